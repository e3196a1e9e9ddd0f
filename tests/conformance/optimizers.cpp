// Optimizers and schedules: every option over several steps, parameter groups, closures, refusals.
#include "conformance.h"

using namespace conformance;
namespace optim = torch::optim;

namespace {

// Runs eight steps on parameters of several sizes whose gradients follow a formula; a parameter in
// the middle gets none.
template <class Optimizer, class Options>
void check(const std::string& name, const Options& options,
           torch::ScalarType type = torch::kFloat32) {
  Context here(name);
  report("run", [&] {
    Tensors parameters = {formula({3, 4}, type), formula({5}, type), formula({2}, type),
                          formula({4, 2}, type).t()};
    for (Tensor& parameter : parameters) parameter.requires_grad_();
    Optimizer optimizer(parameters, options);
    for (int step = 0; step < 8; ++step) {
      optimizer.zero_grad();
      for (std::size_t i = 0; i < parameters.size(); ++i)
        if (i != 2)
          parameters[i].mutable_grad() =
              formula(parameters[i].sizes(), type, 1, 0.1, step + 0.3 * i);
      optimizer.step();
      for (std::size_t i = 0; i < parameters.size(); ++i)
        print("step " + std::to_string(step), parameters[i].detach());
    }
    return optimizer.param_groups().size();
  });
}

void options() {
  using optim::SGDOptions;
  check<optim::SGD>("SGD", SGDOptions(0.1));
  check<optim::SGD>("SGD momentum", SGDOptions(0.1).momentum(0.9));
  check<optim::SGD>("SGD dampening", SGDOptions(0.1).momentum(0.9).dampening(0.5));
  check<optim::SGD>("SGD nesterov", SGDOptions(0.1).momentum(0.9).nesterov(true));
  check<optim::SGD>("SGD decay", SGDOptions(0.1).weight_decay(0.1));
  check<optim::SGD>("SGD all", SGDOptions(0.05).momentum(0.8).weight_decay(0.1).nesterov(true));
  check<optim::SGD>("SGD float64", SGDOptions(0.1).momentum(0.9), torch::kFloat64);
  using optim::AdamOptions;
  check<optim::Adam>("Adam", AdamOptions());
  check<optim::Adam>("Adam lr", AdamOptions(0.05));
  check<optim::Adam>("Adam betas", AdamOptions(0.05).betas(std::make_tuple(0.5, 0.8)).eps(1e-3));
  check<optim::Adam>("Adam decay", AdamOptions(0.05).weight_decay(0.1));
  check<optim::Adam>("Adam amsgrad", AdamOptions(0.05).amsgrad(true));
  check<optim::Adam>("Adam float64", AdamOptions(0.05).amsgrad(true).weight_decay(0.1),
                     torch::kFloat64);
  using optim::AdamWOptions;
  check<optim::AdamW>("AdamW", AdamWOptions());
  check<optim::AdamW>("AdamW decay", AdamWOptions(0.05).weight_decay(0.2));
  check<optim::AdamW>("AdamW amsgrad",
                      AdamWOptions(0.05).amsgrad(true).betas(std::make_tuple(0.7, 0.9)));
  check<optim::AdamW>("AdamW float64", AdamWOptions(0.05), torch::kFloat64);
}

void defaults() {
  REPORT(optim::SGDOptions(0.1).lr());
  REPORT(optim::SGDOptions(0.1).momentum());
  REPORT(optim::SGDOptions(0.1).dampening());
  REPORT(optim::SGDOptions(0.1).weight_decay());
  REPORT(optim::SGDOptions(0.1).nesterov());
  REPORT(optim::AdamOptions().lr());
  REPORT(std::get<0>(optim::AdamOptions().betas()));
  REPORT(std::get<1>(optim::AdamOptions().betas()));
  REPORT(optim::AdamOptions().eps());
  REPORT(optim::AdamOptions().weight_decay());
  REPORT(optim::AdamOptions().amsgrad());
  REPORT(optim::AdamWOptions().lr());
  REPORT(optim::AdamWOptions().weight_decay());
}

void groups() {
  const Tensor a = formula({2}).requires_grad_();
  const Tensor b = formula({3}).requires_grad_();
  const Tensor c = formula({2}).requires_grad_();
  std::vector<optim::OptimizerParamGroup> two;
  two.emplace_back(Tensors{a});
  two.emplace_back(Tensors{b},
                   std::make_unique<optim::SGDOptions>(optim::SGDOptions(0.5).momentum(0.9)));
  optim::SGD optimizer(two, optim::SGDOptions(0.1));
  optimizer.add_param_group(optim::OptimizerParamGroup(Tensors{c}));
  REPORT(optimizer.param_groups().size());
  REPORT(optimizer.param_groups()[0].has_options());
  REPORT(optimizer.param_groups()[1].options().get_lr());
  REPORT(optimizer.param_groups()[2].options().get_lr());
  REPORT(static_cast<optim::SGDOptions&>(optimizer.param_groups()[1].options()).momentum());
  REPORT(static_cast<optim::SGDOptions&>(optimizer.defaults()).lr());
  REPORT(optimizer.param_groups()[1].params()[0].is_same(b));
  REPORT(optimizer.size());
  for (int step = 0; step < 3; ++step) {
    optimizer.zero_grad();
    (a.sum() + (b * b).sum() + c.exp().sum()).backward();
    optimizer.step();
  }
  REPORT(a.detach());
  REPORT(b.detach());
  REPORT(c.detach());
  optimizer.param_groups()[0].options().set_lr(1.0);
  static_cast<optim::SGDOptions&>(optimizer.param_groups()[1].options()).lr(0.25).momentum(0);
  optimizer.step();
  REPORT(a.detach());
  REPORT(b.detach());
  optimizer.zero_grad();
  REPORT(a.grad());
  REPORT_THROWS(optimizer.add_param_group(optim::OptimizerParamGroup(Tensors{a})));
  REPORT_THROWS(optim::SGD({a * 2}, optim::SGDOptions(0.1)));
  REPORT_THROWS(optim::SGD({a}, optim::SGDOptions(-0.1)));
  REPORT_THROWS(optim::SGD({a}, optim::SGDOptions(0.1).momentum(-1)));
  REPORT_THROWS(optim::SGD({a}, optim::SGDOptions(0.1).weight_decay(-1)));
  REPORT_THROWS(optim::SGD({a}, optim::SGDOptions(0.1).nesterov(true)));
  REPORT_THROWS(
      optim::SGD({a}, optim::SGDOptions(0.1).nesterov(true).momentum(0.9).dampening(0.1)));
  REPORT_THROWS(optim::Adam({a}, optim::AdamOptions(-1)));
  REPORT_THROWS(optim::Adam({a}, optim::AdamOptions().eps(-1)));
  REPORT_THROWS(optim::Adam({a}, optim::AdamOptions().betas(std::make_tuple(1.0, 0.9))));
  REPORT_THROWS(optim::Adam({a}, optim::AdamOptions().betas(std::make_tuple(0.9, -0.1))));
  REPORT_THROWS(optim::AdamW({a}, optim::AdamWOptions().weight_decay(-1)));
}

void closures() {
  const Tensor x = formula({3}).requires_grad_();
  optim::Adam optimizer({x}, optim::AdamOptions(0.1));
  for (int step = 0; step < 3; ++step) {
    const Tensor loss = optimizer.step([&] {
      optimizer.zero_grad();
      const Tensor value = (x * x).sum();
      value.backward();
      return value;
    });
    REPORT(loss);
  }
  REPORT(x.detach());
  torch::NoGradGuard no_grad;
  REPORT(optimizer.step([&] {
    optimizer.zero_grad();
    const Tensor value = x.sum();
    value.backward();
    return value;
  }));
}

void schedules() {
  for (const double gamma : {0.5, 0.1})
    for (const unsigned size : {1U, 3U}) {
      Context here("StepLR " + std::to_string(size) + " " + std::to_string(gamma));
      const Tensor x = formula({1}).requires_grad_();
      optim::SGD optimizer({x}, optim::SGDOptions(0.1));
      optim::StepLR schedule(optimizer, size, gamma);
      std::vector<double> rates;
      for (int epoch = 0; epoch < 10; ++epoch) {
        rates.push_back(optimizer.param_groups()[0].options().get_lr());
        schedule.step();
      }
      REPORT(rates);
    }
}

}  // namespace

int main() {
  options();
  defaults();
  groups();
  closures();
  schedules();
  return 0;
}

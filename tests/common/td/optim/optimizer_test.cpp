// Groups, errors, state_dict and schedules: what all optimizers share.
#include "../tensor/values.h"
#include "td/optim/optim.h"

using namespace td;

TEST_CASE("a parameter that cannot be trained is a clear error") {
  Tensor p = leaf({1, 2});
  CHECK(message<Error>([&] { optim::SGD({Tensor()}, 0.1); }) ==
        "optimizer: parameter 0 is undefined");
  CHECK(message<Error>([&] {
          optim::SGD({p, p * 2}, 0.1);
        }) ==
        "optimizer: parameter 1 is the result of an operation, so stepping on it would not change "
        "what it came from; give the tensor itself, or detach() it");
  CHECK(message<DtypeError>([&] { optim::SGD({zeros({2}, kLong)}, 0.1); }) ==
        "optimizer: parameter 0 is int64; only floating point tensors are trained");
  CHECK(message<Error>([&] {
          optim::SGD({p, p}, 0.1);
        }) ==
        "optimizer: parameters 0 and 1 are the same tensor; it would be changed twice a step");
  optim::SGD sgd({p}, 0.1);
  CHECK(message<Error>([&] { sgd.add_param_group(optim::OptimizerParamGroup({p})); }) ==
        "optimizer: parameter 0 is already in a parameter group; it would be changed twice a step");
}

TEST_CASE("options out of range are clear errors") {
  Tensor p = leaf({1});
  CHECK(message<Error>([&] { optim::SGD({p}, -1); }) ==
        "SGD: invalid learning rate -1; it must be 0 or more");
  CHECK(message<Error>([&] { optim::SGD({p}, optim::SGDOptions(1).momentum(-0.5)); }) ==
        "SGD: invalid momentum -0.5; it must be 0 or more");
  CHECK(message<Error>([&] { optim::SGD({p}, optim::SGDOptions(1).nesterov(true)); }) ==
        "SGD: nesterov needs a momentum above 0 and a dampening of 0");
  CHECK(message<Error>([&] {
          optim::Adam({p}, optim::AdamOptions().betas({1.0, 0.9}));
        }) == "Adam: invalid first beta 1; it must be at least 0 and below 1");
}

TEST_CASE("a gradient on another device is an error with the fix") {
  Tensor p = leaf({1, 2});
  optim::SGD sgd({p}, 0.1);
  p.mutable_grad() = ones({2}).to("sim:0");
  CHECK(
      message<DeviceError>([&] { sgd.step(); }) ==
      "sgd: a parameter of size [2] is on cpu but its gradient is on sim:0. Move the whole module "
      "with to(), which takes gradients along, or call zero_grad(true) and backward() again.");
}

TEST_CASE("groups have their own options") {
  Tensor a = leaf({1}), b = leaf({1}), c = leaf({1});
  std::vector<optim::OptimizerParamGroup> groups;
  groups.emplace_back(TensorList{a}, std::make_unique<optim::SGDOptions>(0.5));
  groups.emplace_back(TensorList{b});
  optim::SGD sgd(groups, optim::SGDOptions(0.25));
  sgd.add_param_group(optim::OptimizerParamGroup({c}, std::make_unique<optim::SGDOptions>(1.0)));
  for (Tensor* t : {&a, &b, &c}) t->mutable_grad() = ones({1});
  sgd.step();
  CHECK(values(a) == std::vector<double>{0.5});
  CHECK(values(b) == std::vector<double>{0.75});
  CHECK(values(c) == std::vector<double>{0});
  CHECK(sgd.size() == 3);
  CHECK(static_cast<optim::SGDOptions&>(sgd.param_groups()[1].options()).lr() == 0.25);
}

TEST_CASE("zero_grad fills with zeros or drops") {
  Tensor p = leaf({1, 2});
  optim::SGD sgd({p}, 0.1);
  p.mutable_grad() = ones({2});
  const Tensor gradient = p.grad();
  sgd.zero_grad();
  CHECK(p.grad().is_same(gradient));
  CHECK(values(p.grad()) == std::vector<double>{0, 0});
  sgd.zero_grad(true);
  CHECK_FALSE(p.grad().defined());
}

TEST_CASE("a gradient that zero_grad only marks as zero reads as zero, in p's layout") {
  for (const bool ask : {false, true}) {
    const Tensor p = ones({3, 2}).t().requires_grad_(), unused = leaf({1, 2});
    optim::SGD sgd({p, unused}, optim::SGDOptions(0.5).momentum(0.5));
    p.mutable_grad() = ones_like(p);
    unused.mutable_grad() = ones({2});
    sgd.step();
    sgd.zero_grad();
    if (ask) {
      CHECK(values(p.grad()) == std::vector<double>(6, 0));
      CHECK(p.grad().strides() == p.strides());
      CHECK(p.grad().is_same(p.grad()));
      p.mutable_grad() += 1;
      sgd.zero_grad();
    }
    (p * 3).sum().backward();
    CHECK(values(p.grad()) == std::vector<double>(6, 3));
    sgd.step();  // momentum continues where the gradient is zero
    CHECK(values(unused) == std::vector<double>{1 - 0.5 - 0.25, 2 - 0.5 - 0.25});
    sgd.zero_grad();
    sgd.zero_grad(true);
    CHECK_FALSE(p.grad().defined());
    CHECK_FALSE(unused.grad().defined());
  }
}

namespace {

template <class Make>
void check_resumes(Make make) {
  Tensor a = leaf({1, -2, 3}), b = leaf({1, -2, 3}, Device("sim:0"));
  auto first = make(a);
  const auto step = [](optim::Optimizer& optimizer, Tensor& p, double g) {
    p.mutable_grad() = full({3}, g).to(p.device());
    optimizer.step();
  };
  step(*first, a, 0.5);
  step(*first, a, -1);
  // A new optimizer, on another device, that continues where the first stands.
  auto second = make(b);
  second->load_state_dict(first->state_dict());
  {
    NoGradGuard no_grad;
    b.copy_(a);
  }
  step(*first, a, 0.25);
  step(*second, b, 0.25);
  const std::vector<double> wanted = values(a), actual = values(b);
  for (std::size_t i = 0; i < wanted.size(); ++i)
    CHECK(actual[i] == Approx(wanted[i]).epsilon(1e-6));
}

}  // namespace

TEST_CASE("state_dict resumes training, on another device too") {
  check_resumes([](Tensor& p) {
    return std::make_unique<optim::SGD>(TensorList{p}, optim::SGDOptions(0.1).momentum(0.9));
  });
  check_resumes([](Tensor& p) {
    return std::make_unique<optim::Adam>(TensorList{p}, optim::AdamOptions(0.1).amsgrad(true));
  });
  check_resumes([](Tensor& p) {
    return std::make_unique<optim::AdamW>(TensorList{p}, optim::AdamWOptions(0.1));
  });
}

TEST_CASE("state_dict names state and options, and loading restores options") {
  Tensor p = leaf({1});
  optim::SGD sgd({p}, optim::SGDOptions(0.1).momentum(0.9).nesterov(true));
  p.mutable_grad() = ones({1});
  sgd.step();
  CHECK(sgd.state_dict().keys() ==
        std::vector<std::string>{"state.0.momentum_buffer", "param_groups.0.lr",
                                 "param_groups.0.momentum", "param_groups.0.dampening",
                                 "param_groups.0.weight_decay", "param_groups.0.nesterov",
                                 "param_groups.0.params"});
  Tensor q = leaf({1});
  optim::SGD other({q}, 7.0);
  other.load_state_dict(sgd.state_dict());
  const auto& options = static_cast<optim::SGDOptions&>(other.param_groups()[0].options());
  CHECK(options.lr() == 0.1);
  CHECK(options.momentum() == 0.9);
  CHECK(options.nesterov());
  optim::SGD two({leaf({1}), leaf({1})}, 0.1);
  CHECK(message<Error>([&] { two.load_state_dict(sgd.state_dict()); }) ==
        "load_state_dict: parameter group 0 has 2 parameters here but 1 in the state");
}

namespace {

std::vector<double> rates(optim::Optimizer& optimizer, optim::LRScheduler& schedule, int epochs) {
  std::vector<double> all;
  for (int epoch = 0; epoch < epochs; ++epoch) {
    all.push_back(optimizer.param_groups()[0].options().get_lr());
    schedule.step();
  }
  return all;
}

}  // namespace

TEST_CASE("StepLR decays as libtorch 1.13 does, one call late") {
  optim::SGD sgd({leaf({1})}, 0.1);
  optim::StepLR schedule(sgd, 3, 0.5);
  const std::vector<double> wanted = {0.1, 0.1, 0.1, 0.1, 0.05, 0.05, 0.05, 0.025};
  const std::vector<double> actual = rates(sgd, schedule, 8);
  for (std::size_t i = 0; i < wanted.size(); ++i) CHECK(actual[i] == Approx(wanted[i]));
}

TEST_CASE("LambdaLR follows its formula") {
  optim::SGD sgd({leaf({1})}, 0.1);
  optim::LambdaLR schedule(sgd, [](unsigned epoch) { return 1.0 / (1 + epoch); });
  const std::vector<double> actual = rates(sgd, schedule, 4);
  for (std::size_t i = 0; i < 4; ++i)
    CHECK(actual[i] == Approx(0.1 / (1.0 + static_cast<double>(i))));
}

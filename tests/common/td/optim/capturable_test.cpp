// Capturable optimizers, whose learning rate and step count are in device memory: the same bits as
// the plain ones, steps that the device decides on, states that go from one kind to the other.
#include "../tensor/values.h"
#include "td/device/record.h"
#include "td/optim/optim.h"

using namespace td;

namespace {

// Enough parameters for three launches, one with more elements than a thread takes.
TensorList make_params(Device device, ScalarType type) {
  TensorList params;
  for (std::size_t k = 0; k < 32; ++k) {
    std::vector<float> from(k == 7 ? 70000 : k + 1);
    for (std::size_t i = 0; i < from.size(); ++i) from[i] = 0.25f * static_cast<float>(i % 9) - 1;
    params.push_back(of(from).to(device, type).requires_grad_());
  }
  return params;
}
void set_gradients(const TensorList& params, int step) {
  for (std::size_t k = 0; k < params.size(); ++k) {
    const auto n = static_cast<std::size_t>(params[k].numel());
    std::vector<float> g(n);
    for (std::size_t i = 0; i < n; ++i)
      g[i] = 0.5f * static_cast<float>(step) - 0.75f + 0.125f * static_cast<float>((i + k) % 5);
    params[k].mutable_grad() = of(g).to(params[k].device(), params[k].dtype());
  }
}
void check_same(const TensorList& a, const TensorList& b) {
  REQUIRE(a.size() == b.size());
  for (std::size_t k = 0; k < a.size(); ++k)
    if (values(a[k]) != values(b[k])) FAIL("parameter " << k << " differs");
}

using Maker = std::function<std::unique_ptr<optim::Optimizer>(const TensorList&, bool capturable)>;

template <class Optimizer, class Options>
Maker maker(Options options) {
  return [options](const TensorList& params, bool capturable) {
    return std::make_unique<Optimizer>(params, Options(options).capturable(capturable));
  };
}
std::vector<std::pair<std::string, Maker>> makers() {
  using namespace optim;
  return {{"SGD", maker<SGD>(SGDOptions(0.25))},
          {"SGD with momentum, dampening and decay",
           maker<SGD>(SGDOptions(0.25).momentum(0.5).dampening(0.25).weight_decay(0.125))},
          {"SGD with nesterov", maker<SGD>(SGDOptions(0.25).momentum(0.5).nesterov(true))},
          {"Adam", maker<Adam>(AdamOptions(0.01).weight_decay(0.125))},
          {"Adam with amsgrad", maker<Adam>(AdamOptions(0.01).amsgrad(true))},
          {"AdamW", maker<AdamW>(AdamWOptions(0.01))}};
}

int launches = 0;
void count_launches(const Record&, Device) { ++launches; }

}  // namespace

TEST_CASE("a capturable optimizer makes bitwise the same steps as the plain one") {
  for (const Device device : devices())
    for (const ScalarType type : {kFloat32, kFloat64, kBFloat16})
      for (const auto& [name, make] : makers()) {
        INFO(device << ' ' << type << ' ' << name);
        const TensorList a = make_params(device, type), b = make_params(device, type);
        const auto plain = make(a, false), capturable = make(b, true);
        CHECK_FALSE(plain->is_capturable());
        CHECK(capturable->is_capturable());
        for (int step = 0; step < 4; ++step) {
          for (const auto& [params, optimizer] :
               {std::pair(&a, &plain), std::pair(&b, &capturable)}) {
            set_gradients(*params, step);
            if (step == 2) (*optimizer)->param_groups()[0].options().set_lr(0.125);
            (*optimizer)->step();
          }
        }
        check_same(a, b);
      }
}

TEST_CASE("step_if_finite: divides by the scale, and where something was found changes nothing") {
  for (const Device device : devices())
    for (const auto& [name, make] : makers()) {
      INFO(device << ' ' << name);
      const TensorList a = make_params(device, kFloat), b = make_params(device, kFloat);
      const auto plain = make(a, false), capturable = make(b, true);
      const Tensor found = zeros({}, TensorOptions(device)),
                   scale = full({}, 8.0, TensorOptions(device));
      for (int step = 0; step < 5; ++step) {
        const bool skip = step == 0 || step == 3;  // also the one that would have been the first
        set_gradients(b, step);
        for (const Tensor& p : b) p.grad().mul_(8);
        found.fill_(skip ? 1 : 0);
        capturable->step_if_finite(found, scale);
        if (skip) continue;
        set_gradients(a, step);
        plain->step();
      }
      check_same(a, b);
      // Afterwards a plain step() is one again.
      set_gradients(a, 1);
      set_gradients(b, 1);
      found.fill_(1);
      plain->step();
      capturable->step();
      check_same(a, b);
    }
}

TEST_CASE("step_if_finite asks for a capturable optimizer") {
  Tensor p = leaf({1}), q = leaf({2});
  p.mutable_grad() = ones({1});
  const std::string refused =
      "optimizer: this step is decided in device memory, but the learning rate or the count of "
      "steps is kept on the host; make the optimizer with capturable(true) in its options";
  optim::SGD sgd({p}, 0.1);
  CHECK(message<Error>([&] { sgd.step_if_finite(zeros({})); }) == refused);
  optim::Adam adam({p}, optim::AdamOptions(0.1).capturable(true));
  adam.step_if_finite(zeros({}));
  adam.add_param_group(optim::OptimizerParamGroup({q}, std::make_unique<optim::AdamOptions>(1.0)));
  CHECK_FALSE(adam.is_capturable());  // one group's options are not
  CHECK(message<Error>([&] { adam.step_if_finite(zeros({})); }) == refused);
}

TEST_CASE("set_lr reaches device memory, and a step that is decided there uses it") {
  for (const Device device : devices()) {
    Tensor p = leaf({1}, device);
    optim::SGD sgd({p}, optim::SGDOptions(0.5).capturable(true));
    const Tensor& lr = sgd.param_groups()[0].options().device_lr().on(device, 0.5);
    const void* place = lr.data_ptr();
    optim::StepLR schedule(sgd, 1, 0.5);
    p.mutable_grad() = ones({1}, TensorOptions(device));
    sgd.step();
    CHECK(values(p) == std::vector<double>{0.5});
    schedule.step();  // libtorch's first decay comes one call late
    schedule.step();
    CHECK(lr.item<double>() == 0.25);
    sgd.step();
    CHECK(values(p) == std::vector<double>{0.25});
    static_cast<optim::SGDOptions&>(sgd.param_groups()[0].options()).lr(0.125);
    sgd.step();  // a rate that was set without set_lr arrives with the next step
    CHECK(values(p) == std::vector<double>{0.125});
    optim::StateDict state = sgd.state_dict();
    state["param_groups.0.lr"] = full({}, 2.0, kDouble);
    sgd.load_state_dict(state);
    CHECK(lr.item<double>() == 2);
    CHECK(lr.data_ptr() == place);  // where a recorded graph looks
  }
}

TEST_CASE("copied options do not share their memory on the device") {
  optim::SGDOptions options(0.5);
  const Tensor lr = options.device_lr().on(kCPU, 0.5);
  optim::SGDOptions copy(options);
  copy.set_lr(0.25);
  CHECK(lr.item<double>() == 0.5);
  CHECK_FALSE(copy.device_lr().on(kCPU, 0.25).is_same(lr));
}

TEST_CASE("states go between plain and capturable optimizers, with equal names and numbers") {
  for (const Device device : devices())
    for (const auto& [name, make] : makers())
      for (const bool from_capturable : {false, true}) {
        INFO(device << ' ' << name << ", from capturable " << from_capturable);
        const TensorList a = make_params(device, kFloat), b = make_params(device, kFloat);
        const auto from = make(a, from_capturable), control = make(b, false);
        for (int step = 0; step < 3; ++step) {
          set_gradients(a, step);
          set_gradients(b, step);
          from->step();
          control->step();
        }
        const optim::StateDict state = from->state_dict(), wanted = control->state_dict();
        REQUIRE(state.size() == wanted.size());
        for (const auto& item : wanted) {
          CHECK(state[item.key()].dtype() == item.value().dtype());
          CHECK(values(state[item.key()]) == values(item.value()));
        }
        const auto to = make(a, !from_capturable);
        to->load_state_dict(state);
        for (int step = 3; step < 5; ++step) {
          set_gradients(a, step);
          set_gradients(b, step);
          to->step();
          control->step();
        }
        check_same(a, b);
      }
}

TEST_CASE("an optimizer may become capturable and plain again between steps") {
  for (const Device device : devices()) {
    const TensorList a = make_params(device, kFloat), b = make_params(device, kFloat);
    optim::Adam changing(a, optim::AdamOptions(0.01)), plain(b, optim::AdamOptions(0.01));
    optim::SGD sgd(a, optim::SGDOptions(0.25).momentum(0.5).dampening(0.5)),
        plain_sgd(b, optim::SGDOptions(0.25).momentum(0.5).dampening(0.5));
    for (int step = 0; step < 6; ++step) {
      const bool capturable = step % 3 == 1;
      static_cast<optim::AdamOptions&>(changing.param_groups()[0].options()).capturable(capturable);
      static_cast<optim::SGDOptions&>(sgd.param_groups()[0].options()).capturable(capturable);
      set_gradients(a, step);
      set_gradients(b, step);
      for (auto* optimizer :
           std::initializer_list<optim::Optimizer*>{&changing, &sgd, &plain, &plain_sgd})
        optimizer->step();
    }
    check_same(a, b);
    CHECK(static_cast<optim::AdamParamState&>(*changing.state().at(&a[0].impl())).step() == 6);
  }
}

TEST_CASE("a first step that was skipped is not saved as one") {
  Tensor p = leaf({1});
  p.mutable_grad() = ones({1});
  const auto options = optim::SGDOptions(0.5).momentum(0.5).dampening(0.5);
  optim::SGD sgd({p}, optim::SGDOptions(options).capturable(true)), other({p}, options);
  sgd.step_if_finite(ones({}));
  CHECK_FALSE(sgd.state_dict().contains("state.0.momentum_buffer"));
  other.load_state_dict(sgd.state_dict());
  other.step();  // the first: without dampening
  CHECK(values(p) == std::vector<double>{0.5});
  sgd.step_if_finite(zeros({}));
  CHECK(values(p) == std::vector<double>{0});
  CHECK(sgd.state_dict().contains("state.0.momentum_buffer"));
}

TEST_CASE("a capturable model that is moved takes its step counts along") {
  Tensor a = leaf({1, 2}), b = leaf({1, 2});
  optim::Adam moving({a}, optim::AdamOptions(0.5).capturable(true)), plain({b}, 0.5);
  for (int step = 0; step < 4; ++step) {
    if (step == 2) a.set_data(a.detach().to("sim:0"));
    a.mutable_grad() = of({1, -2}, a.device());
    b.mutable_grad() = of({1, -2});
    moving.step();
    plain.step();
  }
  CHECK(a.device() == Device("sim:0"));
  CHECK(values(a) == values(b));
}

TEST_CASE("launches per step: 10 parameters of Adam, 15 of SGD, and one more that counts") {
  const Device device("sim:0");
  for (const bool adam : {false, true}) {
    TensorList params;
    for (int k = 0; k < (adam ? 10 : 15); ++k) {
      params.push_back(zeros({3}, TensorOptions(device)).requires_grad_());
      params.back().mutable_grad() = ones({3}, TensorOptions(device));
    }
    std::unique_ptr<optim::Optimizer> optimizer;
    if (adam)
      optimizer = std::make_unique<optim::Adam>(
          params, optim::AdamOptions().amsgrad(true).capturable(true));
    else
      optimizer = std::make_unique<optim::SGD>(
          params, optim::SGDOptions(0.1).momentum(0.5).capturable(true));
    const Tensor found = zeros({}, TensorOptions(device)), scale = ones({}, TensorOptions(device));
    optimizer->step_if_finite(found, scale);  // makes the state
    launches = 0;
    {
      const RecordObserver counting(count_launches);
      optimizer->step_if_finite(found, scale);
    }
    CHECK(launches == 2);
  }
}

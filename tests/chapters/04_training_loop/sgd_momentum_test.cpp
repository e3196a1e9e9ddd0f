// Tests of sgd_momentum: against a float64 loop.
#include "loops.h"

namespace {

void set_gradient(const td::Tensor& parameter, double value) {
  parameter.mutable_grad() =
      td::full(parameter.sizes(), value, td::TensorOptions(parameter.device()));
}

td::Tensor parameter_of(std::int64_t n, td::Device device) {
  td::manual_seed(2);
  return td::randn({n}).to(device).requires_grad_();
}

}  // namespace

TEST_CASE("three steps follow the formula", "[sgd_momentum]") {
  for (const td::Device device : check::devices())
    for (const std::int64_t n : check::odd_sizes()) {
      const std::vector<td::Tensor> parameters = {parameter_of(n, device)};
      std::vector<td::Tensor> velocity(1);
      std::vector<double> p = check::values(parameters[0]), v(p.size(), 0);
      for (const double g : {2.0, -1.0, 0.5}) {
        set_gradient(parameters[0], g);
        sgd_momentum(parameters, velocity, 0.1, 0.9);
        for (std::size_t i = 0; i < p.size(); ++i) p[i] -= 0.1 * (v[i] = 0.9 * v[i] + g);
      }
      const std::string what = " of " + std::to_string(n) + " elements on " + device.str();
      check::expect_close(check::values(parameters[0]), p, 1e-5, "the parameter" + what);
      check::expect_close(check::values(velocity[0]), v, 1e-5, "the velocity" + what);
    }
}

TEST_CASE("each parameter has its own device and dtype", "[sgd_momentum]") {
  const std::vector<td::Tensor> parameters = {td::ones({2}, td::kFloat64).requires_grad_(),
                                              td::ones({2}, td::Device("sim:0")).requires_grad_()};
  parameters[0].mutable_grad() = td::full({2}, 1.0 / 3, td::kFloat64);
  parameters[1].mutable_grad() = td::full({2}, 2.0, td::Device("sim:0"));
  std::vector<td::Tensor> velocity(2);
  for (int step = 0; step < 2; ++step) sgd_momentum(parameters, velocity, 0.1, 0.5);
  check::expect_close(
      check::values(parameters[0]), std::vector<double>(2, 1 - 0.1 * 2.5 / 3), 1e-14,
      "a parameter of float64 after two steps with the gradient 1/3 and momentum 0.5");
  check::expect_close(check::values(parameters[1]), std::vector<double>(2, 0.5), 1e-6,
                      "a parameter on sim:0 after two steps with the gradient 2 and momentum 0.5");
}

TEST_CASE("the parameter stays the same tensor, a leaf", "[sgd_momentum]") {
  const std::vector<td::Tensor> parameters = {parameter_of(3, "sim:0")};
  const td::Tensor held = parameters[0];
  std::vector<td::Tensor> velocity(1);
  set_gradient(held, 1);
  const std::vector<double> before = check::values(held);
  sgd_momentum(parameters, velocity, 1, 0);
  check::expect_close(check::values(held),
                      std::vector<double>{before[0] - 1, before[1] - 1, before[2] - 1}, 1e-6,
                      "the parameter as the model holds it");
  check::expect(held.is_leaf() && held.requires_grad(),
                "the parameter is no longer a leaf that requires grad");
}

TEST_CASE("the velocity has memory of its own", "[sgd_momentum]") {
  const std::vector<td::Tensor> parameters = {parameter_of(3, "cpu")};
  std::vector<td::Tensor> velocity(1);
  set_gradient(parameters[0], 2);
  sgd_momentum(parameters, velocity, 0.1, 0.9);
  parameters[0].mutable_grad().zero_();  // what zero_grad() does before the next step
  check::expect_close(check::values(velocity.at(0)), std::vector<double>{2, 2, 2}, 0,
                      "the velocity after the gradient was set to zero");
}

TEST_CASE("the memory stays the same, also for other views", "[sgd_momentum]") {
  for (const td::Device device : {td::Device("cpu"), td::Device("sim:0")}) {
    const std::vector<td::Tensor> parameters = {parameter_of(31, device)};
    const td::Tensor view = parameters[0].detach().slice(0, 0, 2);
    const void* memory = parameters[0].data_ptr();
    std::vector<double> expected = check::values(view);
    std::vector<td::Tensor> velocity(1);
    set_gradient(parameters[0], 1);
    sgd_momentum(parameters, velocity, 0.5, 0.9);
    for (double& value : expected) value -= 0.5;
    check::expect_close(check::values(view), expected, 1e-6,
                        "a view of the parameter on " + device.str() +
                            ", which shares its memory and must see the step");
    check::expect(parameters[0].data_ptr() == memory,
                  "the parameter on " + device.str() + " has other memory after the step");
  }
}

TEST_CASE("an undefined gradient does not change an existing velocity", "[sgd_momentum]") {
  const std::vector<td::Tensor> parameters = {parameter_of(3, "cpu"), parameter_of(3, "cpu")};
  std::vector<td::Tensor> velocity(2);
  for (const td::Tensor& p : parameters) set_gradient(p, 2);
  sgd_momentum(parameters, velocity, 0.1, 0.9);
  parameters[0].mutable_grad() = td::Tensor();
  const auto before = check::values(parameters[0]);
  sgd_momentum(parameters, velocity, 0.1, 0.9);
  check::expect_close(check::values(parameters[0]), before, 0,
                      "parameter 0, which has a velocity but no gradient in this step");
  check::expect(velocity[0].defined(),
                "velocity 0, whose parameter has no gradient in this step, is undefined after it");
  check::expect_close(check::values(velocity[0]), std::vector<double>{2, 2, 2}, 0,
                      "velocity 0, whose parameter has no gradient in this step");
  check::expect_close(check::values(velocity[1]), std::vector<double>{3.8, 3.8, 3.8}, 1e-6,
                      "velocity 1, whose parameter has a gradient");
}

TEST_CASE("each parameter has a first step of its own", "[sgd_momentum]") {
  const std::vector<td::Tensor> parameters = {parameter_of(3, "cpu"), parameter_of(3, "cpu")};
  std::vector<td::Tensor> velocity(2);
  for (int step = 0; step < 2; ++step) {
    for (int i = 0; i <= step; ++i) set_gradient(parameters[static_cast<std::size_t>(i)], 2);
    try {
      sgd_momentum(parameters, velocity, 0.1, 0.9);
    } catch (const td::Error& error) {
      FAIL(
          "parameter 1 has its first gradient in the second step of parameter 0, and an error was "
          "thrown: "
          << error.what());
    }
  }
  check::expect_close(check::values(velocity[0]), std::vector<double>{3.8, 3.8, 3.8}, 1e-6,
                      "the velocity of parameter 0 after its second step");
  check::expect_close(
      check::values(velocity[1]), std::vector<double>{2, 2, 2}, 0,
      "the velocity of parameter 1 after its first step, the second of parameter 0");
}

TEST_CASE("a gradient may require grad", "[sgd_momentum]") {
  const std::vector<td::Tensor> parameters = {parameter_of(3, "cpu")};
  std::vector<td::Tensor> velocity(1);
  for (const char* step : {"first", "second"}) {
    set_gradient(parameters[0], 2);
    parameters[0].grad().requires_grad_();  // as after backward with create_graph
    sgd_momentum(parameters, velocity, 0.1, 0.9);
    check::expect(!velocity[0].requires_grad(),
                  "the velocity requires grad after the " + std::string(step) +
                      " step with a gradient that requires it: compute it without tracking");
  }
}

TEST_CASE("gradients stay, and a velocity does not require grad", "[sgd_momentum]") {
  const std::vector<td::Tensor> parameters = {parameter_of(3, "cpu")};
  std::vector<td::Tensor> velocity(1);
  for (int step = 0; step < 2; ++step) {
    set_gradient(parameters[0], 2);
    sgd_momentum(parameters, velocity, 0.1, 0.9);
    check::expect(parameters[0].grad().defined(), "the gradient is gone after the step");
    check::expect_close(check::values(parameters[0].grad()), std::vector<double>{2, 2, 2}, 0,
                        "the gradient after the step");
    check::expect(!velocity[0].requires_grad(), "the velocity requires grad");
  }
  check::expect(td::GradMode::is_enabled(), "gradients are still disabled after the step");
}

TEST_CASE("an update only enqueues work", "[sgd_momentum]") {
  const std::vector<td::Tensor> parameters = {parameter_of(33, "sim:0"), parameter_of(1, "sim:0")};
  std::vector<td::Tensor> velocity(2);
  for (const td::Tensor& p : parameters) set_gradient(p, 1);
  const auto waits = host_waits([&] { sgd_momentum(parameters, velocity, 0.1, 0.9); });
  check::expect(waits == 0, "the host waited " + std::to_string(waits) +
                                " times in one step: item(), cpu() and printing wait");
}

TEST_CASE("a parameter without a gradient is left alone", "[sgd_momentum]") {
  const std::vector<td::Tensor> parameters = {parameter_of(3, "cpu"), parameter_of(5, "cpu")};
  std::vector<td::Tensor> velocity(2);
  set_gradient(parameters[1], 1);
  const auto before = check::values(parameters[0]);
  sgd_momentum(parameters, velocity, 0.1, 0.9);
  check::expect_close(check::values(parameters[0]), before, 0, "the parameter without a gradient");
  check::expect(!velocity[0].defined(), "a parameter that took no step has a velocity");
}

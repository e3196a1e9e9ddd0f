// What adding_test.py builds and runs: the added element-wise function, the added operation and the
// added device, each against what the core computes without them. Prints one line for each.
#include <cmath>
#include <iostream>

#include "td/amp/autocast.h"
#include "td/nn/nn.h"
#include "td/ops/ops.h"
#include "td/optim/optim.h"

namespace {

int faults = 0;

void expect(bool holds, const char* what) {
  std::cout << (holds ? "ok: " : "fault: ") << what << '\n';
  faults += !holds;
}

bool same(const td::Tensor& a, const td::Tensor& b) {
  return td::allclose(a.detach().cpu(), b.detach().cpu(), 1e-6, 1e-6);
}

td::Tensor leaf(const td::Tensor& value) { return value.detach().clone().requires_grad_(); }

void element_wise_function(const char* device) {
  const td::Tensor x = leaf(td::randn({3, 5}).to(device));
  x.cube().sum().backward();
  expect(same(x.cube(), x * x * x) && same(x.grad(), 3 * x * x), "cube and its gradient");
  td::Tensor y = x.detach().clone();
  y.cube_();
  expect(same(y, td::cube(x)), "cube_ in place");
}

void operation(const char* device) {
  const td::Tensor a = leaf(td::randn({4, 3}).to(device)), b = leaf(td::randn({4, 3}).to(device));
  const td::Tensor y = a.hypot(b);
  y.sum().backward();
  expect(same(y, td::sqrt(a * a + b * b)), "hypot, as a method");
  expect(same(td::hypot(a, b), y), "hypot, as a function");
  expect(same(a.grad(), a / y) && same(b.grad(), b / y), "the gradient of hypot");
}

// One training step of the same model on two devices.
td::Tensor weight_after_a_step(const char* device) {
  td::manual_seed(1);
  td::nn::Sequential model(td::nn::Linear(8, 16), td::nn::ReLU(), td::nn::Linear(16, 4));
  model->to(device);
  td::optim::SGD optimizer(model->parameters(), td::optim::SGDOptions(0.1).momentum(0.9));
  const td::Tensor x = td::randn({32, 8}, td::TensorOptions(td::Device(device)));
  const td::Tensor loss = td::mse_loss(model->forward(x), td::zeros({32, 4}, x.options()));
  loss.backward();
  optimizer.step();
  return model->parameters()[0].detach().cpu();
}

void device() {
  const td::Tensor x = td::randn({2, 3});
  expect(x.twin().device() == td::Device("twin:0") && x.to("twin:1").is_twin(), "to(\"twin:1\")");
  expect(same(x.twin().softmax(1), x.softmax(1)), "an operation on twin");
  expect(same(weight_after_a_step("twin"), weight_after_a_step("cpu")), "a training step on twin");
  try {
    x.twin().add(x);
    expect(false, "two devices in one operation throw");
  } catch (const td::DeviceError& e) {
    expect(std::string(e.what()).find("twin:0") != std::string::npos,
           "two devices in one operation throw");
  }
}

}  // namespace

int main() {
  for (const char* name : {"cpu", "twin"}) {
    element_wise_function(name);
    operation(name);
  }
  device();
  return faults != 0;
}

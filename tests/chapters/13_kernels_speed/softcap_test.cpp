// Tests of softcap.
#include <cmath>

#include "check_kernels.h"
#include "exercises.h"

namespace {

/// The devices with kernels: sim:0, sim:1 and, where there is a GPU, cuda:0.
std::vector<td::Device> devices() {
  std::vector<td::Device> found = check::devices();
  std::erase(found, td::Device(td::kCPU));
  return found;
}

std::vector<double> capped(const std::vector<double>& x, double cap) {
  std::vector<double> y;
  for (const double value : x) y.push_back(cap * std::tanh(value / cap));
  return y;
}

/// The gradient with respect to x where that of the result is `grad`.
std::vector<double> slopes(const std::vector<double>& x, const std::vector<double>& grad,
                           double cap) {
  std::vector<double> g;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double slope = std::tanh(x[i] / cap);
    g.push_back(grad[i] * (1 - slope * slope));
  }
  return g;
}

td::Tensor some(const std::vector<std::int64_t>& sizes, td::Device device) {
  std::int64_t n = 1;
  for (const std::int64_t size : sizes) n *= size;
  return (td::arange(n).to(td::kFloat32) * 0.25 - 3).reshape(sizes).to(device);
}

}  // namespace

TEST_CASE("0, 30 and 3,000 with a cap of 30", "[softcap]") {
  for (const td::Device device : devices()) {
    const td::Tensor x = td::tensor(std::vector<float>{0, 30, 3000}).to(device);
    const td::Tensor y = softcap(x, 30);
    check::expect_on(y, device, "the result");
    check::expect_close(check::values(y), std::vector<double>{0, 22.8478, 30}, 1e-3, "softcap");
  }
}

TEST_CASE("any sizes, transposed views, and no elements", "[softcap]") {
  for (const td::Device device : devices()) {
    for (const int n : check::odd_sizes()) {
      const td::Tensor x = some({n}, device);
      check::expect_close(check::values(softcap(x, 8)), capped(check::values(x), 8), 1e-4,
                          std::to_string(n) + (n == 1 ? " element" : " elements"));
    }
    const td::Tensor view = some({3, 5}, device).t();
    const td::Tensor y = softcap(view, 4);
    check::expect_sizes(y, {5, 3}, "of a transposed view");
    check::expect_close(check::values(y), capped(check::values(view), 4), 1e-5,
                        "of a transposed view");
    check::expect_sizes(softcap(td::empty({0, 4}, device), 4), {0, 4}, "without elements");
    const td::Tensor one = softcap(td::full({}, 3.0, device), 4);
    check::expect_sizes(one, {}, "of a tensor without dimensions");
    check::expect_close(check::values(one), capped({3}, 4), 1e-5, "of a tensor without dimensions");
  }
}

TEST_CASE("the gradient of a sum, and of a weighted sum", "[softcap]") {
  for (const td::Device device : devices()) {
    const td::Tensor x = some({33}, device).requires_grad_();
    const td::Tensor y = softcap(x, 2);
    check::expect(y.requires_grad(), "the result is outside the graph of x");
    y.sum().backward();
    const std::vector<double> ones(33, 1);
    check::expect_close(check::values(x.grad()), slopes(check::values(x), ones, 2), 1e-5,
                        "the gradient of the sum");
    x.mutable_grad().zero_();
    const td::Tensor weights = td::arange(33, device).to(td::kFloat32);
    (softcap(x, 2) * weights).sum().backward();
    check::expect_close(check::values(x.grad()),
                        slopes(check::values(x), check::values(weights), 2), 1e-4,
                        "the gradient of a weighted sum");
  }
}

TEST_CASE("two caps in one graph, one of which is not an integer", "[softcap]") {
  for (const td::Device device : devices()) {
    const td::Tensor x = some({33}, device).requires_grad_();
    (softcap(x, 2.5) + softcap(x, 4)).sum().backward();
    const std::vector<double> ones(33, 1);
    std::vector<double> expected = slopes(check::values(x), ones, 2.5);
    const std::vector<double> others = slopes(check::values(x), ones, 4);
    for (std::size_t i = 0; i < expected.size(); ++i) expected[i] += others[i];
    check::expect_close(check::values(x.grad()), expected, 1e-4,
                        "the gradient through caps of 2.5 and 4");
  }
}

TEST_CASE("two results that receive one gradient", "[softcap]") {
  const td::Tensor x = some({33}, "sim:0").requires_grad_();
  const td::Tensor weights = td::arange(33, td::Device("sim:0")).to(td::kFloat32);
  ((softcap(x, 2) + softcap(x, 2)) * weights).sum().backward();
  std::vector<double> expected = slopes(check::values(x), check::values(weights), 2);
  for (double& slope : expected) slope *= 2;
  check::expect_close(check::values(x.grad()), expected, 1e-4,
                      "the gradient of (softcap(x) + softcap(x)) * weights");
}

TEST_CASE("the given kernels compute both passes", "[softcap]") {
  const td::Tensor x = some({33}, "sim:0").requires_grad_();
  td::Tensor y;
  const auto forward = td::simt::observe({}, [&] { y = softcap(x, 2); });
  check::expect(forward.size() == 1 && forward[0].kernel == "softcap_forward",
                "the forward pass should launch softcap_forward once; it launched " +
                    std::to_string(forward.size()) + " kernels");
  const auto backward = td::simt::observe({}, [&] { y.sum().backward(); });
  check::expect(backward.size() == 1 && backward[0].kernel == "softcap_backward",
                "the backward pass should launch softcap_backward once; it launched " +
                    std::to_string(backward.size()) + " kernels");
}

TEST_CASE("a result that is modified before the backward pass is an error", "[softcap]") {
  const td::Tensor x = some({33}, "sim:0").requires_grad_();
  td::Tensor y = softcap(x, 2);
  const auto change_and_go_back = [&] {
    y.mul_(2);
    y.sum().backward();
  };
  check::expect_throws<td::AutogradError>(change_and_go_back, {"in place"},
                                          "backward() after y.mul_(2)");
}

TEST_CASE("the gradient through transposed views", "[softcap]") {
  const td::Tensor x = some({4, 6}, "sim:0").requires_grad_();
  const td::Tensor weights = some({4, 6}, "sim:0");
  (softcap(x.t(), 3).t() * weights).sum().backward();
  check::expect_close(check::values(x.grad()), slopes(check::values(x), check::values(weights), 3),
                      1e-4, "the gradient of x");
  const td::Tensor none = td::empty({0}, "sim:0").requires_grad_();
  softcap(none, 3).sum().backward();
  check::expect_sizes(none.grad(), {0}, "the gradient of a tensor without elements");
}

TEST_CASE("a model with capped logits learns", "[softcap]") {
  td::manual_seed(5);
  const td::Tensor x = td::randn({64, 4}).to("sim:0");
  const td::Tensor classes = (x.narrow(1, 0, 1) > 0).reshape({64}).to(td::kInt64);
  td::nn::Linear layer(4, 2);
  layer->to("sim:0");
  td::optim::SGD optimizer(layer->parameters(), 0.5);
  double first = 0, last = 0;
  for (int step = 0; step < 40; ++step) {
    optimizer.zero_grad();
    const td::Tensor loss = td::cross_entropy_loss(softcap(layer->forward(x), 5), classes);
    loss.backward();
    optimizer.step();
    last = loss.item<double>();
    if (step == 0) first = last;
  }
  check::expect(last < 0.3 * first, "the loss went from " + std::to_string(first) + " to " +
                                        std::to_string(last) + " in 40 steps, too slowly");
}

// Tests of clip_scaled: against float64 loops, and against the same training without a scale.
#include <cmath>

#include "gradients.h"

namespace {

double norm_of(const std::vector<std::vector<float>>& gradients, double scale) {
  double squares = 0;
  for (const auto& gradient : gradients)
    for (const float g : gradient) squares += (double{g} / scale) * (double{g} / scale);
  return std::sqrt(squares);
}

}  // namespace

TEST_CASE("a gradient of norm 5 and a limit of 1", "[clip_scaled]") {
  const td::Tensor parameter = with_gradient({3 * 1024, 4 * 1024}, "cpu");
  check::expect_close(clip_scaled({parameter}, 1024, 1), 5, 1e-5, "the norm");
  check::expect_close(gradient_of(parameter), std::vector<double>{0.6, 0.8}, 1e-5, "the gradient");
}

TEST_CASE("one factor for all gradients", "[clip_scaled]") {
  for (const td::Device device : check::devices())
    for (const std::int64_t n : check::odd_sizes()) {
      const std::vector<std::vector<float>> gradients = {some_values(n, 1), some_values(5, 2)};
      const std::vector<td::Tensor> parameters = {with_gradient(gradients[0], device),
                                                  with_gradient(gradients[1], device)};
      const double norm = norm_of(gradients, 256), max_norm = norm / 3;
      const std::string what = " of " + std::to_string(n) + " and 5 elements on " + device.str();
      check::expect_close(clip_scaled(parameters, 256, max_norm), norm, 1e-5 * norm,
                          "the norm before the limit" + what);
      for (std::size_t p = 0; p < 2; ++p) {
        std::vector<double> expected;
        for (const float g : gradients[p]) expected.push_back(double{g} / 256 / 3);
        check::expect_close(gradient_of(parameters[p]), expected, 1e-6,
                            "gradient " + std::to_string(p) + what);
      }
    }
}

TEST_CASE("small gradients are only unscaled", "[clip_scaled]") {
  const td::Tensor parameter = with_gradient({30, 40}, "sim:0");
  check::expect_close(clip_scaled({parameter}, 100, 1), 0.5, 1e-6, "the norm");
  check::expect_close(gradient_of(parameter), std::vector<double>{0.3, 0.4}, 1e-6,
                      "the gradient below the limit");
}

TEST_CASE("a norm that would overflow with the scale in it", "[clip_scaled]") {
  // 1e22 is finite, its square is not: only without the scale is there a norm.
  const td::Tensor parameter = with_gradient({3e22f, 4e22f}, "cpu");
  check::expect_close(clip_scaled({parameter}, 1e22f, 1), 5, 1e-4, "the norm");
  check::expect_close(gradient_of(parameter), std::vector<double>{0.6, 0.8}, 1e-5, "the gradient");
}

TEST_CASE("an overflow shows in the norm", "[clip_scaled]") {
  for (const td::Device device : check::devices())
    for (const float bad : {kInf, -kInf, kNaN}) {
      const std::vector<td::Tensor> parameters = {with_gradient({1, 2}, device),
                                                  with_gradient({bad, 1}, device)};
      const double norm = clip_scaled(parameters, 1024, 1);
      check::expect(!std::isfinite(norm), "the norm with " + std::to_string(bad) + " on " +
                                              device.str() + " is " + std::to_string(norm));
    }
}

TEST_CASE("the limit passes over parameters without a gradient", "[clip_scaled]") {
  const td::Tensor without = td::zeros({3}).requires_grad_();
  const td::Tensor with = with_gradient({8}, "cpu");
  check::expect_close(clip_scaled({without, with}, 8, 10), 1, 1e-6, "the norm");
  check::expect(!without.grad().defined(), "a parameter without a gradient has one now");
}

TEST_CASE("the limited gradient stays the tensor it was", "[clip_scaled]") {
  const td::Tensor parameter = with_gradient({8, 0}, "sim:0");
  const td::Tensor held = parameter.grad();
  clip_scaled({parameter}, 8, 10);
  check::expect_close(check::values(held), std::vector<double>{1, 0}, 0,
                      "the gradient as a bucket holds it");
}

TEST_CASE("training with a scale is training without one", "[clip_scaled]") {
  std::vector<std::vector<double>> ends;
  for (const float scale : {1.0f, 4096.0f}) {
    td::manual_seed(4);
    td::nn::Sequential model(td::nn::Linear(7, 31), td::nn::ReLU(), td::nn::Linear(31, 3));
    td::optim::SGD optimizer(model->parameters(), td::optim::SGDOptions(0.5));
    const td::Tensor x = td::randn({33, 7}) * 10, target = td::randint(0, 3, {33}, td::kInt64);
    for (int step = 0; step < 3; ++step) {
      optimizer.zero_grad();
      (td::nn::CrossEntropyLoss()(model->forward(x), target) * scale).backward();
      clip_scaled(model->parameters(), scale, 0.5);
      optimizer.step();
    }
    ends.push_back(check::values(model->parameters()[0]));
  }
  check::expect_close(ends[1], ends[0], 1e-5, "the weights after three steps with scale 4096");
}

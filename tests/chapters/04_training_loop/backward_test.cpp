// Tests of backward: against loops in float64 and against differences of the loss.
#include <cmath>
#include <limits>

#include "loops.h"

namespace {

using Values = std::vector<double>;

struct Sizes {
  std::int64_t n, in, hidden, out;
};

const std::vector<Sizes>& shapes() {
  static const std::vector<Sizes> all = {
      {1, 1, 1, 1}, {5, 3, 7, 2}, {33, 7, 31, 1}, {1, 31, 3, 5}, {6, 4, 4, 4}};
  return all;
}

/// A network, a batch, and the gradients as a caller may have them already.
struct Case {
  explicit Case(Sizes s, td::Device device = "cpu", td::ScalarType dtype = td::kFloat32) {
    td::manual_seed(7);
    const auto make = [&](std::vector<std::int64_t> sizes) {
      return td::randn(sizes).to(device, dtype);
    };
    net = {make({s.hidden, s.in}), make({s.hidden}), make({s.out, s.hidden}), make({s.out})};
    x = make({s.n, s.in});
    target = make({s.n, s.out});
  }
  TwoLayers net;
  td::Tensor x, target;
};

/// The four gradients in the order of TwoLayers.
std::vector<td::Tensor> parts(const TwoLayers& net) {
  return {net.weight1, net.bias1, net.weight2, net.bias2};
}
const char* const kNames[] = {"weight1", "bias1", "weight2", "bias2"};

/// The gradients by loops, with sums in float64.
std::vector<Values> reference(const Case& c) {
  const Values w1 = check::values(c.net.weight1), b1 = check::values(c.net.bias1),
               w2 = check::values(c.net.weight2), b2 = check::values(c.net.bias2),
               x = check::values(c.x), target = check::values(c.target);
  const std::size_t in = static_cast<std::size_t>(c.x.size(1)), hidden = b1.size(), out = b2.size(),
                    n = static_cast<std::size_t>(c.x.size(0));
  std::vector<Values> d = {Values(w1.size()), Values(hidden), Values(w2.size()), Values(out)};
  for (std::size_t row = 0; row < n; ++row) {
    Values h(hidden), dh(hidden);
    for (std::size_t j = 0; j < hidden; ++j) {
      h[j] = b1[j];
      for (std::size_t i = 0; i < in; ++i) h[j] += x[row * in + i] * w1[j * in + i];
      h[j] = std::max(h[j], 0.0);
    }
    for (std::size_t k = 0; k < out; ++k) {
      double y = b2[k];
      for (std::size_t j = 0; j < hidden; ++j) y += h[j] * w2[k * hidden + j];
      const double dy =
          2 * (y - target[row * out + k]) / (static_cast<double>(n) * static_cast<double>(out));
      d[3][k] += dy;
      for (std::size_t j = 0; j < hidden; ++j) {
        d[2][k * hidden + j] += dy * h[j];
        if (h[j] > 0) dh[j] += dy * w2[k * hidden + j];
      }
    }
    for (std::size_t j = 0; j < hidden; ++j) {
      d[1][j] += dh[j];
      for (std::size_t i = 0; i < in; ++i) d[0][j * in + i] += dh[j] * x[row * in + i];
    }
  }
  return d;
}

/// `backward` as the task asks for it: where there is no autograd.
TwoLayers run(const Case& c) {
  const td::InferenceMode no_autograd;
  return backward(c.net, c.x, c.target);
}

void expect_reference(const Case& c, double tolerance, const std::string& where) {
  const auto expected = reference(c);
  const auto actual = parts(run(c)), parameters = parts(c.net);
  for (std::size_t i = 0; i < 4; ++i) {
    const std::string what = std::string("the gradient of ") + kNames[i] + where;
    check::expect(actual[i].defined(), what + " is undefined");
    check::expect_sizes(actual[i], parameters[i].sizes().vec(), what);
    check::expect_dtype(actual[i], parameters[i].scalar_type(), what);
    check::expect_on(actual[i], parameters[i].device(), what);
    check::expect_close(check::values(actual[i]), expected[i], tolerance, what);
  }
}

std::string shape_text(Sizes s) {
  return ", N " + std::to_string(s.n) + ", I " + std::to_string(s.in) + ", H " +
         std::to_string(s.hidden) + ", O " + std::to_string(s.out);
}

}  // namespace

TEST_CASE("the four gradients are those of the loss", "[backward]") {
  for (const td::Device device : check::devices())
    for (const Sizes s : shapes())
      expect_reference(Case(s, device), 1e-3, " on " + device.str() + shape_text(s));
}

TEST_CASE("float64 stays float64", "[backward]") {
  for (const Sizes s : shapes())
    expect_reference(Case(s, "cpu", td::kFloat64), 1e-11, " in float64" + shape_text(s));
}

TEST_CASE("x may be a transposed view", "[backward]") {
  Case c({5, 3, 7, 2}, "sim:0");
  td::manual_seed(9);
  c.x = td::randn({3, 5}).to("sim:0").t();
  expect_reference(c, 1e-4, " for an x that is a transposed view");
}

TEST_CASE("relu's derivative at 0 is 0", "[backward]") {
  Case c({4, 3, 5, 2});
  c.net.weight1 = td::zeros({5, 3});
  c.net.bias1 = td::zeros({5});
  const auto actual = parts(run(c));
  for (const std::size_t i : {std::size_t{0}, std::size_t{1}})
    check::expect_close(
        check::values(actual[i]), Values(static_cast<std::size_t>(actual[i].numel()), 0.0), 0,
        std::string("the gradient of ") + kNames[i] + " where all inputs of relu are 0");
}

TEST_CASE("relu's derivative is 1 for every number above 0", "[backward]") {
  Case c({4, 3, 5, 2});
  c.net.weight1 = td::zeros({5, 3});
  c.net.bias1 = td::full({5}, 1e-30);
  expect_reference(c, 1e-5, " where all inputs of relu are 1e-30");
}

TEST_CASE("relu stops a gradient that is infinite", "[backward]") {
  Case c({1, 2, 2, 1});
  c.net.weight1 = td::zeros({2, 2});
  c.net.bias1 = td::full({2}, -1.0);
  c.target = td::full({1, 1}, -std::numeric_limits<double>::infinity());
  check::expect_close(check::values(parts(run(c))[1]), Values{0, 0}, 0,
                      "the gradient of bias1 where relu is off and the loss is infinite");
}

TEST_CASE("no graph, and the parameters stay as they are", "[backward]") {
  Case c({5, 3, 7, 2});
  for (const td::Tensor& p : parts(c.net)) {
    td::Tensor(p).requires_grad_();
    p.mutable_grad() = td::full(p.sizes(), 3.0);
  }
  std::vector<Values> before;
  for (const td::Tensor& p : parts(c.net)) before.push_back(check::values(p));
  const Values x = check::values(c.x), target = check::values(c.target);
  const auto actual = parts(backward(c.net, c.x, c.target));
  for (std::size_t i = 0; i < 4; ++i) {
    const td::Tensor p = parts(c.net)[i];
    const std::string name = kNames[i];
    check::expect(!actual[i].requires_grad(), "the gradient of " + name + " is part of a graph");
    check::expect(p.is_leaf() && p.requires_grad(),
                  name + " is no longer a leaf that requires grad");
    check::expect_close(check::values(p), before[i], 0, name + " itself");
    check::expect_close(check::values(p.grad()), Values(before[i].size(), 3), 0,
                        "the gradient that " + name + " had before");
  }
  check::expect_close(check::values(c.x), x, 0, "x after the call: backward must not change it");
  check::expect_close(check::values(c.target), target, 0,
                      "target after the call: backward must not change it");
  check::expect(td::GradMode::is_enabled(), "gradients are still disabled afterwards");
}

TEST_CASE("a backward pass only enqueues work", "[backward]") {
  const Case c({5, 3, 7, 2}, "sim:0");
  const auto waits = host_waits([&] { run(c); });
  check::expect(waits == 0, "the host waited " + std::to_string(waits) +
                                " times: item(), cpu() and printing wait");
}

// Tests of master_step: values against float64, and what may not change.
#include <cmath>

#include "gradients.h"
#include "reads.h"

namespace {

constexpr td::ScalarType kTypes[] = {td::kFloat16, td::kBFloat16};

/// A parameter in 16 bits, its gradient, and its master.
struct Pair {
  td::Tensor parameter, master;
};

Pair pair_of(const std::vector<float>& weights, const std::vector<float>& gradient,
             td::ScalarType type, td::Device device) {
  const td::Tensor master = td::tensor(weights).to(device);
  const td::Tensor parameter = master.to(type).requires_grad_();
  if (!gradient.empty()) parameter.mutable_grad() = td::tensor(gradient).to(device).to(type);
  return {parameter, master.clone()};
}

bool step(const std::vector<Pair>& pairs, float scale, double lr) {
  std::vector<td::Tensor> model, masters;
  for (const Pair& pair : pairs) {
    model.push_back(pair.parameter);
    masters.push_back(pair.master);
  }
  return master_step(model, masters, scale, lr);
}

}  // namespace

TEST_CASE("small steps add up in the master weight", "[master_step]") {
  const Pair pair = pair_of({1}, {8}, td::kFloat16, "cpu");
  for (int i = 1; i <= 5; ++i) {
    check::expect(step({pair}, 8, 0.0001), "a step with a finite gradient was not made");
    check::expect_close(check::values(pair.master), std::vector<double>{1 - i * 0.0001}, 1e-6,
                        "the master after step " + std::to_string(i));
    check::expect_close(check::values(pair.parameter), check::values(pair.master.to(td::kFloat16)),
                        0,
                        "the weight, which is the rounded master, after step " + std::to_string(i));
  }
}

TEST_CASE("values on every device, in both types", "[master_step]") {
  for (const td::Device device : check::devices())
    for (const td::ScalarType type : kTypes)
      for (const std::int64_t n : check::odd_sizes()) {
        const std::vector<float> weights = some_values(n, 1), gradient = some_values(n, 2);
        const std::vector<Pair> pairs = {pair_of(weights, gradient, type, device),
                                         pair_of({2}, {512}, type, device)};
        const std::string what = std::string(td::dtype_name(type)) + " with " + std::to_string(n) +
                                 " elements on " + device.str();
        check::expect(step(pairs, 1024, 0.5), "a step with finite gradients was not made: " + what);
        const std::vector<double> rounded = gradient_of(pairs[0].parameter);
        std::vector<double> expected;
        for (std::size_t i = 0; i < weights.size(); ++i)
          expected.push_back(double{weights[i]} - 0.5 * rounded[i] / 1024);
        check::expect_close(check::values(pairs[0].master), expected, 1e-6, "master 0, " + what);
        check::expect_close(check::values(pairs[1].master), std::vector<double>{1.75}, 1e-6,
                            "master 1, " + what);
        for (const Pair& pair : pairs) {
          check::expect_dtype(pair.parameter, type, "the parameter, " + what);
          check::expect_close(check::values(pair.parameter), check::values(pair.master.to(type)), 0,
                              "the parameter, which is the rounded master, " + what);
        }
        check::expect_close(check::values(pairs[0].parameter.grad()), rounded, 0,
                            "the gradient, which must stay as it is, " + what);
      }
}

TEST_CASE("the gradient is divided in float32, not in 16 bits", "[master_step]") {
  // 2^-10 / 65536 = 2^-26 is 0 in float16.
  const Pair pair = pair_of({0}, {0x1p-10f}, td::kFloat16, "sim:0");
  step({pair}, 65536, 1);
  check::expect_close(
      check::values(pair.master)[0] * 0x1p26, -1, 1e-6,
      "2^26 times the master 0 after a step with gradient 2^-10, scale 65536, lr 1");
  const Pair large = pair_of({0}, {60000}, td::kFloat16, "sim:0");
  step({large}, 1024, 2);
  check::expect_close(check::values(large.master)[0], -117.1875, 1e-3,
                      "the master 0 after a step with gradient 60000, scale 1024, lr 2");
}

TEST_CASE("an overflow in any gradient changes nothing", "[master_step]") {
  for (const td::Device device : check::devices())
    for (const float bad : {kInf, -kInf, kNaN})
      for (std::size_t where = 0; where < 3; ++where) {
        std::vector<Pair> pairs;
        for (std::size_t i = 0; i < 3; ++i)
          pairs.push_back(pair_of({1, 2}, {1, i == where ? bad : 2}, td::kFloat16, device));
        const std::string what = std::to_string(bad) + " in gradient " + std::to_string(where) +
                                 " of 3 on " + device.str();
        check::expect(!step(pairs, 8, 0.1), what + ": the step was reported as made");
        for (std::size_t i = 0; i < 3; ++i) {
          check::expect_close(check::values(pairs[i].master), std::vector<double>{1, 2}, 0,
                              what + ": master " + std::to_string(i) + " must not change");
          check::expect_close(check::values(pairs[i].parameter), std::vector<double>{1, 2}, 0,
                              what + ": parameter " + std::to_string(i) + " must not change");
        }
      }
}

TEST_CASE("large finite 16-bit gradients are no overflow", "[master_step]") {
  const Pair pair = pair_of({0, 0, 0}, {65504, 65504, 1}, td::kFloat16, "sim:0");
  check::expect(step({pair}, 65536, 1), "finite gradients were taken for an overflow");
  for (const float large : {1e30f, -1e30f, 3e38f, -3e38f}) {
    const Pair wide = pair_of({0, 0, 0}, {large, large, 1}, td::kBFloat16, "sim:0");
    const std::string what =
        "bfloat16 gradients of " + std::to_string(large) + ", scale 1024, lr 0.001";
    check::expect(step({wide}, 1024, 0.001),
                  what + ": finite gradients were taken for an overflow");
    check::expect_close(check::values(wide.master)[0] / double{large}, -0.001 / 1024, 1e-8,
                        what + ": the master 0 after the step, divided by the gradient");
  }
}

TEST_CASE("a pair without a gradient stays as it is", "[master_step]") {
  // The parameter differs from its master, as after a load: copying the master would show.
  const Pair without = pair_of({1}, {}, td::kFloat16, "cpu"),
             with = pair_of({3}, {8}, td::kFloat16, "cpu");
  without.master.fill_(7);
  check::expect(step({without, with}, 8, 1), "the step was not made");
  check::expect_close(check::values(without.parameter), std::vector<double>{1}, 0,
                      "the parameter without a gradient");
  check::expect_close(check::values(without.master), std::vector<double>{7}, 0,
                      "the master of the parameter without a gradient");
  check::expect_close(check::values(with.master), std::vector<double>{2}, 0, "the other master");
  check::expect(!without.parameter.grad().defined(), "a gradient was created");
  check::expect(step({without}, 8, 1), "without any gradient nothing overflows");
}

TEST_CASE("both are modified in place", "[master_step]") {
  const td::Tensor flat = td::ones({4}, td::TensorOptions(td::kFloat16)).to("sim:0");
  const td::Tensor parameter = flat.narrow(0, 1, 2).requires_grad_();
  parameter.mutable_grad() = td::full({2}, 8, td::TensorOptions(td::kFloat16).device("sim:0"));
  const td::Tensor masters = td::ones({4}, "sim:0");
  master_step({parameter}, {masters.narrow(0, 1, 2)}, 8, 0.5);
  check::expect_close(check::values(flat), std::vector<double>{1, 0.5, 0.5, 1}, 0,
                      "the memory that the parameter is a view of");
  check::expect_close(check::values(masters), std::vector<double>{1, 0.5, 0.5, 1}, 0,
                      "the memory that the master is a view of");
  check::expect(parameter.requires_grad() && parameter.is_leaf(),
                "the parameter must remain a leaf that requires grad");
  check::expect(!masters.requires_grad(), "the masters require grad now: do not record the step");
}

TEST_CASE("the host reads one value for all pairs", "[master_step]") {
  std::vector<Pair> pairs;
  for (int i = 0; i < 20; ++i)
    pairs.push_back(pair_of({1, 2, 3}, {1, 2, 3}, td::kBFloat16, "sim:0"));
  const int reads = copies_in([&] { step(pairs, 2, 0.1); });
  check::expect(reads <= 1,
                "the host read the device " + std::to_string(reads) +
                    " times for 20 pairs; combine the answers on the device, and read one");
}

TEST_CASE("a finite gradient makes a step, also if the new master is infinite", "[master_step]") {
  const Pair far = pair_of({0}, {3e38f}, td::kBFloat16, "sim:0"),
             near = pair_of({0}, {1}, td::kBFloat16, "sim:0");
  check::expect(step({far, near}, 1, 2),
                "gradients of 3e38 and 1, scale 1, lr 2: both are finite, and the step was not "
                "made; look at the gradients, not at the new masters");
  check::expect_close(check::values(near.master), std::vector<double>{-2}, 0,
                      "the master of the second pair, whose gradient is 1, scale 1, lr 2");
}

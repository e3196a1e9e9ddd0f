// Tests of leaf_on: a leaf, its own storage, and values that stay as they were.
#include "exercises.h"
#include "streams.h"

namespace {

void expect_leaf(const td::Tensor& leaf, td::Device device, const std::string& what) {
  check::expect_on(leaf, device, what);
  check::expect(leaf.requires_grad(), what + ": the result should require grad");
  check::expect(leaf.is_leaf(),
                what + ": the result is not a leaf. It is the result of a recorded operation");
}

std::string to(td::Device device) { return "to " + device.str(); }

}  // namespace

TEST_CASE("the result is a leaf with the given values", "[leaf_on]") {
  for (const td::Device device : check::devices())
    for (const td::ScalarType type : {td::kFloat, td::kDouble, td::kHalf}) {
      const auto values = td::arange(6, td::TensorOptions(type)).view({2, 3});
      const auto leaf = leaf_on(values, device);
      expect_leaf(leaf, device, to(device));
      check::expect_dtype(leaf, type, to(device));
      check::expect_close(leaf, values, 0, to(device));
      check::expect(!values.requires_grad(), to(device) +
                                                 ": `values` should stay as it was, but "
                                                 "now it requires grad");
    }
}

TEST_CASE("values that require grad stay as they are", "[leaf_on]") {
  for (const td::Device device : check::devices()) {
    const auto values = td::ones({3}).requires_grad_();
    const auto leaf = leaf_on(values, device);
    expect_leaf(leaf, device, "a leaf " + to(device));
    (leaf * 2).sum().backward();
    check::expect(!values.grad().defined(),
                  to(device) + ": after backward from the result, `values` has a gradient, too");
    check::expect(values.requires_grad() && values.is_leaf(),
                  to(device) + ": `values` required grad before the call, and should afterwards");
    values.mutable_grad() = td::full({3}, 4.0);
    leaf_on(values, device);
    check::expect(
        values.grad().defined(),
        to(device) + ": `values` had a gradient before the call, and has none afterwards");
    check::expect_close(values.grad(), td::full({3}, 4.0), 0,
                        to(device) + ", the gradient that `values` had before the call");
    const auto product = values * 3;
    expect_leaf(leaf_on(product, device), device, "the result of an operation " + to(device));
    check::expect(product.requires_grad() && !product.is_leaf(),
                  to(device) + ": `values` should stay in its graph");
  }
}

TEST_CASE("a backward pass reaches the leaf", "[leaf_on]") {
  for (const td::Device device : check::devices()) {
    const auto leaf = leaf_on(td::ones({2}), device);
    (leaf * 3).sum().backward();
    check::expect(leaf.grad().defined(), to(device) + ": after backward the leaf has no gradient");
    check::expect_on(leaf.grad(), device, "the gradient of the leaf");
    check::expect_close(leaf.grad(), td::full({2}, 3.0), 0, "the gradient of the leaf");
  }
}

TEST_CASE("the leaf has its own storage, also on the device of the values", "[leaf_on]") {
  for (const td::Device from : check::devices())
    for (const td::Device device : check::devices()) {
      const auto values = td::ones({5}, from);
      const auto leaf = leaf_on(values, device);
      {
        const td::NoGradGuard no_grad;
        td::Tensor(leaf).fill_(7);
      }
      check::expect_close(values, td::ones({5}), 0,
                          "values on " + from.str() + ", after an update of the leaf on " +
                              device.str() + ": they share storage");
    }
}

TEST_CASE("leaves of one element, of no elements and of a transposed view", "[leaf_on]") {
  for (const td::Device device : check::devices()) {
    check::expect_close(leaf_on(td::full({}, 7.0), device), td::full({}, 7.0), 0, "one number");
    const auto none = leaf_on(td::empty({0, 3}), device);
    expect_leaf(none, device, "no element");
    check::expect_sizes(none, {0, 3}, "no element");
    const auto view = td::arange(6, td::kFloat).view({2, 3}).t();
    check::expect_close(leaf_on(view, device), view.contiguous(), 0, "a transposed view");
  }
}

TEST_CASE("a leaf of values that queued work still changes", "[leaf_on]") {
  const td::Device a("sim:0");
  const td::StreamGuard guard(td::getStreamFromPool(a));
  td::Tensor values = td::full({31}, 1.0, a);
  td::synchronize(a);
  check::keep_busy(td::getCurrentStream(a));
  values.fill_(10);
  const auto leaf = leaf_on(values, td::kCPU);
  check::expect_close(leaf.detach(), td::full({31}, 10.0), 0,
                      "to cpu, values on sim:0 that queued work was still changing");
}

TEST_CASE("under no_grad the result is a leaf that requires grad, too", "[leaf_on]") {
  const td::NoGradGuard no_grad;
  expect_leaf(leaf_on(td::ones({2}), "sim:0"), "sim:0", "under no_grad");
  check::expect(!td::GradMode::is_enabled(),
                "gradient tracking was off before leaf_on, and is on afterwards");
}

TEST_CASE("gradient tracking stays on", "[leaf_on]") {
  leaf_on(td::ones({2}), "sim:0");
  check::expect(td::GradMode::is_enabled(),
                "gradient tracking was on before leaf_on, and is off afterwards");
}

TEST_CASE("a leaf on a missing device is an error", "[leaf_on]") {
  check::expect_throws<td::DeviceError>([] { leaf_on(td::ones({1}), "sim:99"); }, {"sim:99"},
                                        "to sim:99");
}

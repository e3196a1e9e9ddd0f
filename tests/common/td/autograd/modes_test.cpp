// The modes: what is recorded under no_grad and in inference mode, and errors for tensors and views
// that were made there. conformance/autograd.cpp compares the same with libtorch.
#include <thread>

#include "../tensor/values.h"
#include "td/autograd/engine.h"

using namespace td;

TEST_CASE("modes: what is recorded") {
  const Tensor x = leaf({1});
  {
    NoGradGuard no_grad;
    CHECK_FALSE((x * 2).requires_grad());
    AutoGradMode on(true);
    CHECK((x * 2).requires_grad());
  }
  CHECK(GradMode::is_enabled());
  Tensor made;
  {
    InferenceMode inference;
    made = x * 2;
    CHECK_FALSE(GradMode::is_enabled());
  }
  CHECK_FALSE(made.requires_grad());
  CHECK_THROWS_WITH(made._version(),
                    "_version: tensors made in inference mode do not track a version counter; "
                    "clone it outside that mode");
  CHECK_NOTHROW(made.clone()._version());
  CHECK_THROWS_AS(made.requires_grad_(), AutogradError);
  CHECK_THROWS_AS(made.add_(1), AutogradError);
  CHECK_THROWS_AS(x * made, AutogradError);  // would be kept for x's gradient
  CHECK((x + made).requires_grad());         // is not kept
  CHECK((x * 2).grad_fn()->name() == "MulBackward0");
  CHECK(x.grad_fn().get() == nullptr);
  CHECK(x.is_leaf());
  CHECK_FALSE((x * 2).is_leaf());
  CHECK_FALSE((x * 2).detach().requires_grad());
}

TEST_CASE("operations are recorded within an inference-mode guard that is switched off") {
  const Tensor x = leaf({1, 2});
  NoGradGuard no_grad;
  InferenceMode inference;
  {
    InferenceMode off(false);
    CHECK(GradMode::is_enabled());
    CHECK_FALSE(InferenceMode::is_enabled());
    CHECK((x * 2).requires_grad());
    CHECK_FALSE((x * 2).is_inference());
  }
  CHECK_FALSE(GradMode::is_enabled());
  CHECK(InferenceMode::is_enabled());
}

TEST_CASE("inference mode records nothing, whatever the gradient mode says") {
  const Tensor x = leaf({1, 2});
  InferenceMode inference;
  const Tensor made = x * 2;
  AutoGradMode on(true);
  CHECK_FALSE((x * made).requires_grad());
  CHECK_FALSE(cat({x, made}).requires_grad());
  CHECK((x * made).is_inference());
}

namespace {

// A view of `t` in other sizes, made under no_grad or in inference mode.
Tensor unrecorded(const Tensor& t, bool inference) {
  if (inference) {
    InferenceMode mode;
    return t.view({-1, 1});
  }
  NoGradGuard mode;
  return t.view({-1, 1});
}

std::string refusal(const std::string& mode) {
  return "mul: changes a view in place that was made " + mode +
         ", so that no graph knows what it looks into, whose gradient would be wrong. Make and "
         "change the view both " +
         mode +
         ", where neither is recorded, or both outside, where both are; or change a clone().";
}

}  // namespace

TEST_CASE("an unrecorded view cannot be modified if its base requires grad") {
  const Tensor x = leaf({1, 2});
  for (const bool inference : {false, true}) {
    INFO("inference: " << inference);
    const std::string text = refusal(inference ? "in inference mode" : "under no_grad");
    const auto refused = [&](const Tensor& view) {
      return message<AutogradError>([&] { view.mul_(2); }) == text;
    };
    const Tensor square = x * x;
    CHECK(refused(unrecorded(square, inference)));
    CHECK(refused(unrecorded(x, inference)));                    // of a leaf
    CHECK(refused(unrecorded(square.view({1, 2}), inference)));  // of a recorded view
    CHECK(refused(unrecorded(square, inference).view({2})));     // a recorded view of it
    CHECK(refused(unrecorded(unrecorded(square, inference), inference)));
    CHECK(values(square) == std::vector<double>{1, 4});  // refused before anything changed
    square.sum().backward();
    CHECK(values(x.grad()) == std::vector<double>{2, 4});
    x.mutable_grad() = Tensor();

    Tensor base = of({1, 2});
    const Tensor before = unrecorded(base, inference), again = unrecorded(before, inference);
    before.mul_(2);  // no gradient is lost
    base.mul_(x);
    CHECK(refused(before));
    CHECK(refused(again));
    base = of({1, 2});
    const Tensor of_leaf = unrecorded(base, inference);
    base.requires_grad_();
    CHECK(refused(of_leaf));
  }
}

TEST_CASE("an unrecorded view may be modified if no gradient is lost") {
  const Tensor x = leaf({1, 2});
  for (const bool inference : {false, true}) {
    const Tensor square = x * x;
    const Tensor view = unrecorded(square, inference), parameter = unrecorded(x, inference);
    {
      NoGradGuard no_grad;
      CHECK_NOTHROW(view.mul_(2));
      CHECK_NOTHROW(parameter.mul_(1));
    }
    {
      InferenceMode mode;
      CHECK_NOTHROW(view.mul_(2));
    }
    CHECK_NOTHROW(view.clone().mul_(2));
    CHECK_NOTHROW(unrecorded(square.detach(), inference).mul_(2));
    CHECK_NOTHROW(unrecorded(of({1, 2}), inference).mul_(2));
    const Tensor changed = of({1, 2}).mul_(x);  // joined its graph by a change in place
    CHECK_NOTHROW(unrecorded(changed.detach(), inference).mul_(2));
    const Tensor flat = of({1, 2});  // parameters that are parts of one memory
    const Tensor weight = unrecorded(flat, inference), values = unrecorded(flat, inference);
    weight.requires_grad_();
    CHECK_NOTHROW(values.mul_(2));
    CHECK_THROWS_WITH(weight.mul_(2), Catch::Contains("a leaf that requires a gradient"));
  }
  InferenceMode mode;
  AutoGradMode on(true);  // records nothing here
  CHECK_NOTHROW(x.view({2, 1}).mul_(1));
  CHECK_NOTHROW(x.mul_(1));
}

TEST_CASE("a recorded in-place operation on an unrecorded view is an error") {
  const Tensor x = leaf({1, 2}), base = tensor({3.0, 4.0});
  for (const bool inference : {false, true}) {
    const Tensor view = unrecorded(base, inference);
    CHECK_NOTHROW(view.add_(1));  // is not recorded
    CHECK_THROWS_WITH(view.mul_(x.view({2, 1})),
                      Catch::Contains(inference ? "was made in inference mode" : "under no_grad"));
    CHECK_THROWS_AS(view.view({2}).mul_(x), AutogradError);  // a view of such a view
    CHECK((view.clone().mul_(x.view({2, 1}))).requires_grad());
  }
}

TEST_CASE("the parts of a split are views of their own, which may be changed") {
  const Tensor x = leaf({1, 2}), middle = x * 1;
  middle.unbind()[0].mul_(5);
  middle.chunk(2)[1].mul_(7);
  middle.split(1)[1].add_(7);
  middle.sum().backward();
  CHECK(values(x.grad()) == std::vector<double>{5, 7});
}

TEST_CASE("a view that was made a leaf is a leaf") {
  const Tensor weight = of({1, 2}).view({2, 1}).requires_grad_();
  CHECK_THROWS_WITH(weight.mul_(2), Catch::StartsWith("mul: a leaf that requires a gradient"));
  CHECK_THROWS_WITH(weight.view({2}).mul_(2),
                    Catch::StartsWith("mul: a view of a leaf that requires a gradient"));
}

TEST_CASE("the modes have libtorch's other names") {
  const autograd::InferenceMode mode(false);
  const autograd::AutoGradMode off(false);
  CHECK_FALSE(autograd::GradMode::is_enabled());
}

TEST_CASE("no_grad affects one thread, and no tensor that is made with requires_grad") {
  const Tensor x = leaf({1});
  NoGradGuard no_grad;
  CHECK(ones({2}, requires_grad()).requires_grad());
  CHECK(ones({2}).requires_grad_().requires_grad());
  bool recorded_elsewhere = false;
  std::thread([&] { recorded_elsewhere = (x * 2).requires_grad(); }).join();
  CHECK(recorded_elsewhere);
}

// The modes: what is recorded under no_grad and in inference mode, and what is refused of tensors
// and views that were made there. conformance/autograd.cpp holds the same against libtorch.
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

TEST_CASE("an inference mode that is switched off is an island where operations are recorded") {
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

TEST_CASE("a recorded change of a view that nobody recorded is refused") {
  const Tensor x = leaf({1, 2}), base = tensor({3.0, 4.0});
  Tensor of_no_grad, of_inference;
  {
    NoGradGuard no_grad;
    of_no_grad = base.view({2, 1});
  }
  {
    InferenceMode inference;
    of_inference = base.view({2, 1});
  }
  for (const Tensor& view : {of_no_grad, of_inference}) {
    CHECK_NOTHROW(view.add_(1));  // is not recorded
    CHECK_THROWS_WITH(view.mul_(x.view({2, 1})),
                      Catch::Contains("made under no_grad or in inference mode"));
    CHECK_THROWS_AS(view.view({2}).mul_(x), AutogradError);  // a view of such a view
    CHECK((view.clone().mul_(x.view({2, 1}))).requires_grad());
  }
}

TEST_CASE("no_grad is of one thread, and leaves what is made with requires_grad alone") {
  const Tensor x = leaf({1});
  NoGradGuard no_grad;
  CHECK(ones({2}, requires_grad()).requires_grad());
  CHECK(ones({2}).requires_grad_().requires_grad());
  bool recorded_elsewhere = false;
  std::thread([&] { recorded_elsewhere = (x * 2).requires_grad(); }).join();
  CHECK(recorded_elsewhere);
}

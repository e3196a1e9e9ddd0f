// Custom functions: results without a gradient or without a use, results that are arguments
// or views, and forgotten gradients. conformance/autograd.cpp compares the same with
// libtorch.
#include "td/autograd/function.h"

#include "../tensor/values.h"
#include "catch.h"
#include "td/autograd/engine.h"

using namespace td;
using List = std::vector<double>;

namespace {

struct SumAndProduct : autograd::Function<SumAndProduct> {
  static TensorList forward(autograd::AutogradContext* ctx, Tensor a, Tensor b) {
    ctx->save_for_backward({a, b});
    return {a + b, a * b};
  }
  static TensorList backward(autograd::AutogradContext* ctx, TensorList g) {
    const TensorList saved = ctx->get_saved_variables();
    return {g[0] + g[1] * saved[1], g[0] + g[1] * saved[0]};
  }
};

// x^2, e^x and a mask without a gradient. Backward uses the second result and the mask.
struct SquareAndExp : autograd::Function<SquareAndExp> {
  static TensorList forward(autograd::AutogradContext* ctx, Tensor x) {
    const Tensor e = x.exp(), mask = x * 0 + 1;
    ctx->mark_non_differentiable({mask});
    ctx->save_for_backward({x, e, mask});
    return {x * x, e, mask};
  }
  static TensorList backward(autograd::AutogradContext* ctx, TensorList g) {
    const TensorList saved = ctx->get_saved_variables();
    CHECK_FALSE(saved[2].requires_grad());
    return {g[0] * 2 * saved[0] * saved[2] + g[1] * saved[1] * saved[2]};
  }
};

struct ForgetsOne : autograd::Function<ForgetsOne> {
  static Tensor forward(autograd::AutogradContext*, Tensor a, Tensor b) { return a + b; }
  static TensorList backward(autograd::AutogradContext*, TensorList g) { return {g[0]}; }
};

// Results 0 and 2 have no gradient; backward remembers what it was given.
struct Mixed : autograd::Function<Mixed> {
  static inline TensorList given;
  static TensorList forward(autograd::AutogradContext* ctx, Tensor x) {
    const Tensor marked = x * 2;
    ctx->mark_non_differentiable({marked});
    return {x.to(kInt64), x * 3, marked, x * 5, x.argmax()};
  }
  static TensorList backward(autograd::AutogradContext*, TensorList g) {
    given = g;
    return {g.at(1) * 3 + g.at(3) * 5};
  }
};

struct TenfoldBackward : autograd::Function<TenfoldBackward> {
  static Tensor forward(autograd::AutogradContext*, Tensor x) { return x; }
  static TensorList backward(autograd::AutogradContext*, TensorList g) { return {g[0] * 10}; }
};

struct ReturnsMarkedArgument : autograd::Function<ReturnsMarkedArgument> {
  static TensorList forward(autograd::AutogradContext* ctx, Tensor x) {
    ctx->mark_non_differentiable({x});
    return {x, x * 2};
  }
  static TensorList backward(autograd::AutogradContext*, TensorList g) { return {g[1] * 2}; }
};

struct Doubles : autograd::Function<Doubles> {
  static Tensor forward(autograd::AutogradContext*, Tensor x) { return x.mul_(2); }
  static TensorList backward(autograd::AutogradContext*, TensorList g) { return {g[0] * 2}; }
};

// A view of its argument, or of a tensor that only forward knows.
struct Flat : autograd::Function<Flat> {
  static Tensor forward(autograd::AutogradContext*, Tensor x, bool copies) {
    return (copies ? x * 1 : x).view({-1});
  }
  static TensorList backward(autograd::AutogradContext*, TensorList g) {
    return {g[0].view({2, 1}) * 7, Tensor()};
  }
};

const char* const kReturnedView = "changes a view in place that an autograd::Function returned";

}  // namespace

TEST_CASE("backward gets one gradient per result, also for a result without one") {
  const Tensor x = leaf({1.5, 2.5});
  const TensorList results = Mixed::apply(x);
  CHECK(results[0].dtype() == kInt64);
  for (std::size_t i : {0, 2, 4}) {
    CHECK_FALSE(results[i].requires_grad());
    CHECK(results[i].is_leaf());
  }
  (results[1] + results[3] * 2 + results[2] * results[0]).sum().backward();
  CHECK(values(x.grad()) == List{13, 13});  // by libtorch as well
  REQUIRE(Mixed::given.size() == 5);
  const List expected[] = {{0, 0}, {1, 1}, {0, 0}, {2, 2}, {0}};
  for (std::size_t i = 0; i < 5; ++i) {
    CHECK(values(Mixed::given[i]) == expected[i]);
    CHECK(Mixed::given[i].dtype() == results[i].dtype());
    CHECK(Mixed::given[i].sizes() == results[i].sizes());
  }
  x.mutable_grad() = Tensor();
  Mixed::apply(x)[3].sum().backward();  // results[1] is not used
  CHECK(values(x.grad()) == List{5, 5});
  CHECK(values(Mixed::given[1]) == List{0, 0});
}

TEST_CASE("a result that is an argument leaves the argument's own gradient alone") {
  const Tensor x = leaf({1, 2});
  const Tensor y = TenfoldBackward::apply(x);
  CHECK_FALSE(y.is_same(x));
  CHECK(y.data_ptr() == x.data_ptr());
  CHECK(x.is_leaf());
  y.sum().backward();
  CHECK(values(x.grad()) == List{10, 10});
  x.mutable_grad() = Tensor();
  const Tensor middle = x * 1;
  (TenfoldBackward::apply(middle) + middle).sum().backward();
  CHECK(values(x.grad()) == List{11, 11});

  const TensorList marked = ReturnsMarkedArgument::apply(x);
  CHECK_FALSE(marked[0].requires_grad());
  CHECK(x.requires_grad());
  x.mutable_grad() = Tensor();
  (marked[0] * marked[1]).sum().backward();
  CHECK(values(x.grad()) == List{2, 4});
}

TEST_CASE("forward must not change what requires a gradient") {
  const std::string text =
      "Function::forward changed argument 0 in place, which requires a gradient that would now be "
      "wrong. Change a clone() of it, or use the operation that makes a new tensor.";
  CHECK(message<AutogradError>([] { Doubles::apply(leaf({1, 2})); }) == text);
  CHECK(message<AutogradError>([] { Doubles::apply(leaf({1, 2}) * 1); }) == text);
  CHECK(values(Doubles::apply(of({1, 2}))) == List{2, 4});
}

TEST_CASE("a view that forward made has the function's gradient and cannot be changed in place") {
  for (const bool copies : {false, true}) {
    const Tensor x = leaf({1, 2}, {2, 1}), middle = x * 1;
    Flat::apply(middle, copies).sum().backward();
    CHECK(values(x.grad()) == List{7, 7});
    CHECK_THROWS_WITH(Flat::apply(middle, copies).mul_(2), Catch::Contains(kReturnedView));
    CHECK_THROWS_WITH(Flat::apply(middle, copies).view({1, 2}).mul_(2),
                      Catch::Contains(kReturnedView));
    CHECK_THROWS_WITH(Flat::apply(of({1, 2}, {2, 1}), copies).mul_(leaf({1, 2})),
                      Catch::Contains(kReturnedView));
    CHECK(values(Flat::apply(of({1, 2}, {2, 1}), copies).mul_(2)) == List{2, 4});
    CHECK(Flat::apply(middle, copies).clone().mul_(2).requires_grad());
  }
  CHECK_THROWS_WITH(TenfoldBackward::apply(leaf({1, 2})).mul_(2), Catch::Contains(kReturnedView));
}

TEST_CASE("a view that forward made is an error once its memory has changed") {
  const Tensor middle = leaf({1, 2}, {2, 1}) * 1;
  const Tensor flat = Flat::apply(middle, false);
  middle.mul_(2);
  CHECK(message<AutogradError>([&] { flat.sum(); }) ==
        "a view that an autograd::Function returned is used after its memory was changed in place, "
        "so that the function's own backward is no longer its gradient. Return a clone() from "
        "forward, or change a clone().");
  CHECK(values(flat) == List{2, 4});
}

TEST_CASE("second derivatives of a function that saves one of several results") {
  for (const td::Device device : devices()) {
    const Tensor x = leaf({3}, device);
    const auto second = [&](std::size_t result) {
      const Tensor y = SquareAndExp::apply(x)[result];
      const Tensor first =
          autograd::grad({y}, {x}, {}, /*retain_graph=*/true, /*create_graph=*/true)[0];
      return values(autograd::grad({first}, {x})[0]).at(0);
    };
    CHECK(second(0) == 2);
    CHECK(second(1) == Approx(std::exp(3.0)));
  }
}

TEST_CASE("a result that is not used has a gradient of zeros") {
  const Tensor a = leaf({2, 3}), b = leaf({5, 7});
  SumAndProduct::apply(a, b)[1].sum().backward();
  CHECK(values(a.grad()) == std::vector<double>{5, 7});
  CHECK(values(b.grad()) == std::vector<double>{2, 3});
}

TEST_CASE("a function must return a gradient for every argument") {
  const Tensor a = leaf({2}), b = leaf({3});
  CHECK(message<AutogradError>([&] { ForgetsOne::apply(a, b).sum().backward(); }) ==
        "Function::backward returned 1 gradients for 2 arguments of forward; an undefined Tensor "
        "stands for no gradient");
}

TEST_CASE("a gradient whose sizes do not fit names them") {
  struct Longer : autograd::Function<Longer> {
    static Tensor forward(autograd::AutogradContext*, Tensor x) { return x * 2; }
    static TensorList backward(autograd::AutogradContext*, TensorList) { return {ones({7})}; }
  };
  CHECK_THROWS_WITH(Longer::apply(leaf({3, -2})).sum().backward(),
                    "backward: \"AccumulateGrad\" got a gradient of sizes [7] for a result of "
                    "sizes [2]");
}

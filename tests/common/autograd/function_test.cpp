// Functions of one's own: results that nobody uses, and gradients that were forgotten.
#include <catch2/catch.hpp>

#include "../tensor/values.h"
#include "td/autograd/engine.h"
#include "td/autograd/function.h"

using namespace td;

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

struct ForgetsOne : autograd::Function<ForgetsOne> {
  static Tensor forward(autograd::AutogradContext*, Tensor a, Tensor b) { return a + b; }
  static TensorList backward(autograd::AutogradContext*, TensorList g) { return {g[0]}; }
};

}  // namespace

TEST_CASE("a result that nobody uses has a gradient of zeros") {
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

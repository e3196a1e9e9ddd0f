// Gradients under autocast: the types of backward, wherever it is called; functions with a gradient
// of their own; recomputing in backward; gradients of gradients.
#include "casts.h"
#include "td/autograd/engine.h"
#include "td/autograd/function.h"

using namespace td;
using amp::AutocastGuard;
using autograd::AutogradContext;
using autograd::tensor_list;

namespace {

Tensor parameter(IntArrayRef sizes, Device device) {
  return numbers(sizes).to(device).requires_grad_();
}

// Multiplies in both directions; in backward the gradient is float16 and the weight float32.
struct Product : autograd::Function<Product> {
  static Tensor forward(AutogradContext* ctx, Tensor x, Tensor w) {
    ctx->save_for_backward({x, w});
    return mm(x, w);
  }
  static tensor_list backward(AutogradContext* ctx, tensor_list g) {
    const TensorList saved = ctx->get_saved_variables();
    return {mm(g[0], saved[1].t()), mm(saved[0].t(), g[0])};
  }
};

// Keeps the input alone and runs forward again for the gradients: checkpointing.
struct Recomputed : autograd::Function<Recomputed> {
  static Tensor block(const Tensor& x, const Tensor& w) { return mm(x, w).tanh().exp(); }
  static Tensor forward(AutogradContext* ctx, Tensor x, Tensor w) {
    ctx->save_for_backward({x, w});
    return block(x, w);
  }
  static tensor_list backward(AutogradContext* ctx, tensor_list g) {
    const TensorList saved = ctx->get_saved_variables();
    const Tensor x = saved[0].detach().requires_grad_(), w = saved[1].detach().requires_grad_();
    const AutoGradMode recorded(true);
    return autograd::grad({block(x, w)}, {x, w}, g);
  }
};

}  // namespace

TEST_CASE("gradients have the types of the forward pass, and parameters get float32") {
  for (const Device device : devices())
    for (const ScalarType fast : kFastTypes) {
      INFO(device << " in " << fast);
      const Tensor w = parameter({4, 3}, device), x = parameter({2, 4}, device);
      Tensor hidden, loss;
      {
        const AutocastGuard guard(device.type(), fast);
        hidden = mm(x, w);
        hidden.retain_grad();
        loss = mse_loss(hidden.tanh(), zeros({2, 3}, device));
      }
      loss.backward();
      CHECK(loss.dtype() == kFloat);
      CHECK(hidden.grad().dtype() == fast);
      CHECK(w.grad().dtype() == kFloat);
      CHECK(x.grad().dtype() == kFloat);
      CHECK(same_bits(w.grad(), w.grad().to(fast).to(kFloat)));  // computed in `fast`
    }
}

TEST_CASE("backward gives the same bits inside a region and outside") {
  const auto gradient = [](bool inside, bool forward_inside) {
    const Tensor w = parameter({4, 3}, "sim:0"), x = numbers({2, 4}).to("sim:0");
    Tensor loss;
    {
      const AutocastGuard guard(kSIM, nullopt, forward_inside);
      loss = mm(x, w).softmax(1).square().sum();
    }
    const AutocastGuard guard(kSIM, nullopt, inside);
    loss.backward();
    return w.grad();
  };
  CHECK(same_bits(gradient(true, true), gradient(false, true)));
  CHECK(same_bits(gradient(true, false), gradient(false, false)));  // a float32 graph stays one
  CHECK_FALSE(same_bits(gradient(false, true), gradient(false, false)));
}

TEST_CASE("a function with its own gradient casts in backward as it did in forward") {
  for (const Device device : devices()) {
    INFO(device);
    const Tensor x = parameter({2, 4}, device), w = parameter({4, 3}, device);
    const Tensor x2 = parameter({2, 4}, device), w2 = parameter({4, 3}, device);
    Tensor ours, plain;
    {
      const AutocastGuard guard(device.type());
      ours = Product::apply(x, w);
      plain = mm(x2, w2);
    }
    CHECK(same_bits(ours.detach(), plain.detach()));
    const Tensor g = numbers({2, 3}).to(device, ours.dtype());
    ours.backward(g);
    plain.backward(g);
    CHECK(same_bits(x.grad(), x2.grad()));
    CHECK(same_bits(w.grad(), w2.grad()));
  }
}

TEST_CASE("backward recomputes what forward computed, and keeps nothing of it") {
  const Tensor x = parameter({3, 3}, "sim:0"), w = parameter({3, 3}, "sim:0");
  const Tensor x2 = parameter({3, 3}, "sim:0"), w2 = parameter({3, 3}, "sim:0");
  Tensor recomputed, plain;
  {
    const AutocastGuard guard(kSIM);
    recomputed = Recomputed::apply(x, w);
    plain = Recomputed::block(x2, w2);
  }
  CHECK(same_bits(recomputed.detach(), plain.detach()));
  const Tensor g = numbers({3, 3}).to("sim:0");
  recomputed.backward(g);
  plain.backward(g);
  CHECK(same_bits(x.grad(), x2.grad()));
  CHECK(same_bits(w.grad(), w2.grad()));
  CHECK_FALSE(amp::is_autocast_enabled(kSIM));
}

TEST_CASE("gradients of gradients are those of casting by hand") {
  for (const Device device : devices()) {
    INFO(device);
    const ScalarType fast = AutocastMode().dtype[static_cast<int>(device.type())];
    const auto penalty = [&](bool by_hand, const Tensor& x, const Tensor& w) {
      const AutocastGuard guard(device.type(), nullopt, !by_hand);
      const Tensor y = by_hand ? mm(x.to(fast), w.to(fast)).tanh() : mm(x, w).tanh();
      const Tensor g = numbers({2, 3}).to(device, fast);
      const Tensor slope = autograd::grad({y}, {x}, {g}, nullopt, /*create_graph=*/true)[0];
      CHECK(slope.dtype() == kFloat);
      return sum(slope * slope, kFloat);
    };
    const Tensor x = parameter({2, 4}, device), w = parameter({4, 3}, device);
    const Tensor x2 = parameter({2, 4}, device), w2 = parameter({4, 3}, device);
    penalty(false, x, w).backward();
    penalty(true, x2, w2).backward();
    CHECK(same_bits(w.grad(), w2.grad()));
    CHECK(same_bits(x.grad(), x2.grad()));
  }
}

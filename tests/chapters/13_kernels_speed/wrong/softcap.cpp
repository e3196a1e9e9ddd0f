#include "exercises.h"

#include "td/exercise.h"

namespace {

namespace simt = td::simt;
using Context = td::autograd::AutogradContext;

simt::LaunchConfig config(const td::Tensor& x) {
  return {dim3(static_cast<unsigned>((x.numel() + 255) / 256)), dim3(256)};
}

// The passes of the solution, which most answers change in one place.
td::Tensor forward_of(const td::Tensor& x, double cap) {
  td::Tensor y = td::empty_like(x);
  if (x.numel() > 0)
    simt::launch<softcap_forward>(config(x), x, y, cap, static_cast<int>(x.numel()));
  return y;
}

td::TensorList backward_of(const td::Tensor& grad_y, const td::Tensor& y, double cap) {
  const td::Tensor grad_x = td::empty_like(y);
  if (y.numel() > 0)
    simt::launch<softcap_backward>(config(y), grad_y, y, grad_x, cap, static_cast<int>(y.numel()));
  return {grad_x, td::Tensor()};
}

// The forward pass with all that it saves.
td::Tensor saving_forward(Context* ctx, const td::Tensor& x, double cap) {
  const td::Tensor y = forward_of(x.contiguous(), cap);
  ctx->save_for_backward({y});
  ctx->saved_data["cap"] = cap;
  return y;
}

td::TensorList saved_backward(Context* ctx, const td::Tensor& grad_y) {
  return backward_of(grad_y, ctx->get_saved_variables()[0], ctx->saved_data["cap"].toDouble());
}

}  // namespace

// answer: by_operations_of_td
// expect: the forward pass should launch softcap_forward once; it launched 0 kernels
// Values and gradients are right, but td's own operations compute them, in four passes.
namespace by_operations_of_td {
td::Tensor softcap(const td::Tensor& x, double cap) { return (x / cap).tanh() * cap; }
}  // namespace by_operations_of_td

// answer: cap_as_an_integer
// expect: the gradient through caps of 2.5 and 4
// Right where the cap is an integer. toInt() drops the fraction.
namespace cap_as_an_integer {
struct Softcap : td::autograd::Function<Softcap> {
  static td::Tensor forward(Context* ctx, const td::Tensor& x, double cap) {
    return saving_forward(ctx, x, cap);
  }
  static td::TensorList backward(Context* ctx, td::TensorList gradients) {
    return backward_of(gradients[0].contiguous(), ctx->get_saved_variables()[0],
                       static_cast<double>(ctx->saved_data["cap"].toInt()));
  }
};
td::Tensor softcap(const td::Tensor& x, double cap) { return Softcap::apply(x, cap); }
}  // namespace cap_as_an_integer

// answer: cap_in_a_global
// expect: the gradient through caps of 2.5 and 4
// Right for one call at a time. The next call replaces the cap before the backward pass.
namespace cap_in_a_global {
double last_cap = 0;
struct Softcap : td::autograd::Function<Softcap> {
  static td::Tensor forward(Context* ctx, const td::Tensor& x, double cap) {
    const td::Tensor y = forward_of(x.contiguous(), cap);
    ctx->save_for_backward({y});
    last_cap = cap;
    return y;
  }
  static td::TensorList backward(Context* ctx, td::TensorList gradients) {
    return backward_of(gradients[0].contiguous(), ctx->get_saved_variables()[0], last_cap);
  }
};
td::Tensor softcap(const td::Tensor& x, double cap) { return Softcap::apply(x, cap); }
}  // namespace cap_in_a_global

// answer: empty_grid
// expect: invalid configuration argument: the grid (0, 1, 1) has no block
// Right for tensors with elements. CUDA refuses a grid without blocks.
namespace empty_grid {
struct Softcap : td::autograd::Function<Softcap> {
  static td::Tensor forward(Context* ctx, const td::Tensor& x, double cap) {
    const td::Tensor in = x.contiguous(), y = td::empty_like(in);
    simt::launch<softcap_forward>(config(in), in, y, cap, static_cast<int>(in.numel()));
    ctx->save_for_backward({y});
    ctx->saved_data["cap"] = cap;
    return y;
  }
  static td::TensorList backward(Context* ctx, td::TensorList gradients) {
    return saved_backward(ctx, gradients[0].contiguous());
  }
};
td::Tensor softcap(const td::Tensor& x, double cap) { return Softcap::apply(x, cap); }
}  // namespace empty_grid

// answer: forgets_the_chain
// expect: the gradient of a weighted sum: index 0: expected 0, got 0.18
// Right where the gradient of the result is 1, as for sum().
namespace forgets_the_chain {
struct Softcap : td::autograd::Function<Softcap> {
  static td::Tensor forward(Context* ctx, const td::Tensor& x, double cap) {
    return saving_forward(ctx, x, cap);
  }
  static td::TensorList backward(Context* ctx, td::TensorList gradients) {
    return saved_backward(ctx, td::ones_like(gradients[0]));
  }
};
td::Tensor softcap(const td::Tensor& x, double cap) { return Softcap::apply(x, cap); }
}  // namespace forgets_the_chain

// answer: outside_the_graph
// expect: the result is outside the graph of x
// The values are right. Without a Function the launch leaves no trace in the graph.
namespace outside_the_graph {
td::Tensor softcap(const td::Tensor& x, double cap) { return forward_of(x.contiguous(), cap); }
}  // namespace outside_the_graph

// answer: rounds_the_grid_down
// expect: 1 element: index 0: expected -2.866859
// Right for multiples of 256 elements. The last elements get no thread.
namespace rounds_the_grid_down {
struct Softcap : td::autograd::Function<Softcap> {
  static td::Tensor forward(Context* ctx, const td::Tensor& x, double cap) {
    const td::Tensor in = x.contiguous(), y = td::empty_like(in);
    if (in.numel() >= 256)
      simt::launch<softcap_forward>({dim3(static_cast<unsigned>(in.numel() / 256)), dim3(256)}, in,
                                    y, cap, static_cast<int>(in.numel()));
    ctx->save_for_backward({y});
    ctx->saved_data["cap"] = cap;
    return y;
  }
  static td::TensorList backward(Context* ctx, td::TensorList gradients) {
    return saved_backward(ctx, gradients[0].contiguous());
  }
};
td::Tensor softcap(const td::Tensor& x, double cap) { return Softcap::apply(x, cap); }
}  // namespace rounds_the_grid_down

// answer: saves_the_input
// expect: the gradient of the sum: index 0: expected 0.1807066, got -1.25
// The kernel of the backward pass takes the result. Right only where x is 0.
namespace saves_the_input {
struct Softcap : td::autograd::Function<Softcap> {
  static td::Tensor forward(Context* ctx, const td::Tensor& x, double cap) {
    const td::Tensor in = x.contiguous();
    ctx->save_for_backward({in});
    ctx->saved_data["cap"] = cap;
    return forward_of(in, cap);
  }
  static td::TensorList backward(Context* ctx, td::TensorList gradients) {
    return saved_backward(ctx, gradients[0].contiguous());
  }
};
td::Tensor softcap(const td::Tensor& x, double cap) { return Softcap::apply(x, cap); }
}  // namespace saves_the_input

// answer: takes_views_as_they_are
// expect: is not contiguous, and a kernel counts elements in memory; pass contiguous()
// Right for contiguous tensors. A kernel reads memory in order, whatever the strides are.
namespace takes_views_as_they_are {
struct Softcap : td::autograd::Function<Softcap> {
  static td::Tensor forward(Context* ctx, const td::Tensor& x, double cap) {
    const td::Tensor y = forward_of(x, cap);
    ctx->save_for_backward({y});
    ctx->saved_data["cap"] = cap;
    return y;
  }
  static td::TensorList backward(Context* ctx, td::TensorList gradients) {
    return saved_backward(ctx, gradients[0]);
  }
};
td::Tensor softcap(const td::Tensor& x, double cap) { return Softcap::apply(x, cap); }
}  // namespace takes_views_as_they_are

// answer: unnoticed_by_autograd
// expect: backward() after y.mul_(2): an error was expected, none was thrown
// Right as long as the result is not modified: saved_data does not notice an in-place change.
namespace unnoticed_by_autograd {
struct Softcap : td::autograd::Function<Softcap> {
  static td::Tensor forward(Context* ctx, const td::Tensor& x, double cap) {
    const td::Tensor y = forward_of(x.contiguous(), cap);
    ctx->saved_data["y"] = y;
    ctx->saved_data["cap"] = cap;
    return y;
  }
  static td::TensorList backward(Context* ctx, td::TensorList gradients) {
    return backward_of(gradients[0].contiguous(), ctx->saved_data["y"].toTensor(),
                       ctx->saved_data["cap"].toDouble());
  }
};
td::Tensor softcap(const td::Tensor& x, double cap) { return Softcap::apply(x, cap); }
}  // namespace unnoticed_by_autograd

// answer: in_place_gradient
// expect: the gradient of (softcap(x) + softcap(x)) * weights
// Writes to the gradient that it receives, which another node receives, too.
namespace in_place_gradient {
struct Softcap : td::autograd::Function<Softcap> {
  static td::Tensor forward(Context* ctx, const td::Tensor& x, double cap) {
    return saving_forward(ctx, x, cap);
  }
  static td::TensorList backward(Context* ctx, td::TensorList gradients) {
    const td::Tensor y = ctx->get_saved_variables()[0], grad = gradients[0].contiguous();
    if (y.numel() > 0)
      simt::launch<softcap_backward>(config(y), grad, y, grad, ctx->saved_data["cap"].toDouble(),
                                     static_cast<int>(y.numel()));
    return {grad, td::Tensor()};
  }
};
td::Tensor softcap(const td::Tensor& x, double cap) { return Softcap::apply(x, cap); }
}  // namespace in_place_gradient

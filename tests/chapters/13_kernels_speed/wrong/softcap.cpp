#include "exercises.h"

#include "td/exercise.h"

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
namespace simt = td::simt;

namespace {
unsigned blocks_of(const td::Tensor& x) { return static_cast<unsigned>((x.numel() + 255) / 256); }
struct Softcap : td::autograd::Function<Softcap> {
  static td::Tensor forward(td::autograd::AutogradContext* ctx, const td::Tensor& x, double cap) {
    const td::Tensor in = x.contiguous();
    const td::Tensor y = td::empty(x.sizes(), x.options());
    if (x.numel() > 0)
      simt::launch<softcap_forward>({blocks_of(x), 256}, in, y, static_cast<float>(cap),
                                    static_cast<int>(x.numel()));
    ctx->save_for_backward({y});
    ctx->saved_data["cap"] = cap;
    return y;
  }
  static td::TensorList backward(td::autograd::AutogradContext* ctx, td::TensorList gradients) {
    const td::Tensor y = ctx->get_saved_variables()[0];
    const td::Tensor g = gradients[0].contiguous();
    const td::Tensor out = td::empty(y.sizes(), y.options());
    if (y.numel() > 0)
      simt::launch<softcap_backward>({blocks_of(y), 256}, g, y, out,
                                     static_cast<float>(ctx->saved_data["cap"].toInt()),
                                     static_cast<int>(y.numel()));
    return {out, td::Tensor()};
  }
};
}  // namespace

td::Tensor softcap(const td::Tensor& x, double cap) { return Softcap::apply(x, cap); }
}  // namespace cap_as_an_integer

// answer: cap_in_a_global
// expect: the gradient through caps of 2.5 and 4
// Right for one call at a time. The next call replaces the cap before the backward pass.
namespace cap_in_a_global {
namespace simt = td::simt;

namespace {
unsigned blocks_of(const td::Tensor& x) { return static_cast<unsigned>((x.numel() + 255) / 256); }
double last_cap = 0;
struct Softcap : td::autograd::Function<Softcap> {
  static td::Tensor forward(td::autograd::AutogradContext* ctx, const td::Tensor& x, double cap) {
    const td::Tensor in = x.contiguous();
    const td::Tensor y = td::empty(x.sizes(), x.options());
    if (x.numel() > 0)
      simt::launch<softcap_forward>({blocks_of(x), 256}, in, y, static_cast<float>(cap),
                                    static_cast<int>(x.numel()));
    ctx->save_for_backward({y});
    last_cap = cap;
    return y;
  }
  static td::TensorList backward(td::autograd::AutogradContext* ctx, td::TensorList gradients) {
    const td::Tensor y = ctx->get_saved_variables()[0];
    const td::Tensor g = gradients[0].contiguous();
    const td::Tensor out = td::empty(y.sizes(), y.options());
    if (y.numel() > 0)
      simt::launch<softcap_backward>({blocks_of(y), 256}, g, y, out, static_cast<float>(last_cap),
                                     static_cast<int>(y.numel()));
    return {out, td::Tensor()};
  }
};
}  // namespace

td::Tensor softcap(const td::Tensor& x, double cap) { return Softcap::apply(x, cap); }
}  // namespace cap_in_a_global

// answer: empty_grid
// expect: invalid configuration argument: the grid (0, 1, 1) has no block
// Right for tensors with elements. CUDA refuses a grid without blocks.
namespace empty_grid {
namespace simt = td::simt;

namespace {

simt::LaunchConfig config(const td::Tensor& x) {
  return {dim3(static_cast<unsigned>((x.numel() + 255) / 256)), dim3(256)};
}

struct Softcap : td::autograd::Function<Softcap> {
  static td::Tensor forward(td::autograd::AutogradContext* ctx, const td::Tensor& input,
                            double cap) {
    const td::Tensor x = input.contiguous(), y = td::empty_like(x);
    simt::launch<softcap_forward>(config(x), x, y, cap, static_cast<int>(x.numel()));
    ctx->save_for_backward({y});
    ctx->saved_data["cap"] = cap;
    return y;
  }

  static td::TensorList backward(td::autograd::AutogradContext* ctx, td::TensorList gradients) {
    const td::Tensor y = ctx->get_saved_variables()[0];
    const td::Tensor grad_y = gradients[0].contiguous(), grad_x = td::empty_like(y);
    simt::launch<softcap_backward>(config(y), grad_y, y, grad_x, ctx->saved_data["cap"].toDouble(),
                                   static_cast<int>(y.numel()));
    return {grad_x, td::Tensor()};
  }
};

}  // namespace

td::Tensor softcap(const td::Tensor& x, double cap) { return Softcap::apply(x, cap); }
}  // namespace empty_grid

// answer: forgets_the_chain
// expect: the gradient of a weighted sum: index 0: expected 0, got 0.18
// Right where the gradient of the result is 1, as for sum().
namespace forgets_the_chain {
namespace simt = td::simt;

namespace {

simt::LaunchConfig config(const td::Tensor& x) {
  return {dim3(static_cast<unsigned>((x.numel() + 255) / 256)), dim3(256)};
}

struct Softcap : td::autograd::Function<Softcap> {
  static td::Tensor forward(td::autograd::AutogradContext* ctx, const td::Tensor& input,
                            double cap) {
    const td::Tensor x = input.contiguous(), y = td::empty_like(x);
    if (x.numel() > 0)
      simt::launch<softcap_forward>(config(x), x, y, cap, static_cast<int>(x.numel()));
    ctx->save_for_backward({y});
    ctx->saved_data["cap"] = cap;
    return y;
  }

  static td::TensorList backward(td::autograd::AutogradContext* ctx, td::TensorList gradients) {
    const td::Tensor y = ctx->get_saved_variables()[0];
    const td::Tensor grad_y = td::ones_like(y), grad_x = td::empty_like(y);
    if (y.numel() > 0)
      simt::launch<softcap_backward>(config(y), grad_y, y, grad_x,
                                     ctx->saved_data["cap"].toDouble(),
                                     static_cast<int>(y.numel()));
    return {grad_x, td::Tensor()};
  }
};

}  // namespace

td::Tensor softcap(const td::Tensor& x, double cap) { return Softcap::apply(x, cap); }
}  // namespace forgets_the_chain

// answer: outside_the_graph
// expect: the result is outside the graph of x
// The values are right. Without a Function the launch leaves no trace in the graph.
namespace outside_the_graph {
namespace simt = td::simt;

td::Tensor softcap(const td::Tensor& input, double cap) {
  const td::Tensor x = input.contiguous(), y = td::empty_like(x);
  const auto n = static_cast<int>(x.numel());
  if (n > 0) simt::launch<softcap_forward>({dim3((n + 255) / 256), dim3(256)}, x, y, cap, n);
  return y;
}
}  // namespace outside_the_graph

// answer: rounds_the_grid_down
// expect: 1 element: index 0: expected -2.866859
// Right for multiples of 256 elements. The last elements get no thread.
namespace rounds_the_grid_down {
namespace simt = td::simt;

namespace {

simt::LaunchConfig config(const td::Tensor& x) {
  return {dim3(static_cast<unsigned>(x.numel() / 256)), dim3(256)};
}

struct Softcap : td::autograd::Function<Softcap> {
  static td::Tensor forward(td::autograd::AutogradContext* ctx, const td::Tensor& input,
                            double cap) {
    const td::Tensor x = input.contiguous(), y = td::empty_like(x);
    if (x.numel() >= 256)
      simt::launch<softcap_forward>(config(x), x, y, cap, static_cast<int>(x.numel()));
    ctx->save_for_backward({y});
    ctx->saved_data["cap"] = cap;
    return y;
  }

  static td::TensorList backward(td::autograd::AutogradContext* ctx, td::TensorList gradients) {
    const td::Tensor y = ctx->get_saved_variables()[0];
    const td::Tensor grad_y = gradients[0].contiguous(), grad_x = td::empty_like(y);
    if (y.numel() >= 256)
      simt::launch<softcap_backward>(config(y), grad_y, y, grad_x,
                                     ctx->saved_data["cap"].toDouble(),
                                     static_cast<int>(y.numel()));
    return {grad_x, td::Tensor()};
  }
};

}  // namespace

td::Tensor softcap(const td::Tensor& x, double cap) { return Softcap::apply(x, cap); }
}  // namespace rounds_the_grid_down

// answer: saves_the_input
// expect: the gradient of the sum: index 0: expected 0.1807066, got -1.25
// The kernel of the backward pass takes the result. Right only where x is 0.
namespace saves_the_input {
namespace simt = td::simt;

namespace {

simt::LaunchConfig config(const td::Tensor& x) {
  return {dim3(static_cast<unsigned>((x.numel() + 255) / 256)), dim3(256)};
}

struct Softcap : td::autograd::Function<Softcap> {
  static td::Tensor forward(td::autograd::AutogradContext* ctx, const td::Tensor& input,
                            double cap) {
    const td::Tensor x = input.contiguous(), y = td::empty_like(x);
    if (x.numel() > 0)
      simt::launch<softcap_forward>(config(x), x, y, cap, static_cast<int>(x.numel()));
    ctx->save_for_backward({x});
    ctx->saved_data["cap"] = cap;
    return y;
  }

  static td::TensorList backward(td::autograd::AutogradContext* ctx, td::TensorList gradients) {
    const td::Tensor y = ctx->get_saved_variables()[0];
    const td::Tensor grad_y = gradients[0].contiguous(), grad_x = td::empty_like(y);
    if (y.numel() > 0)
      simt::launch<softcap_backward>(config(y), grad_y, y, grad_x,
                                     ctx->saved_data["cap"].toDouble(),
                                     static_cast<int>(y.numel()));
    return {grad_x, td::Tensor()};
  }
};

}  // namespace

td::Tensor softcap(const td::Tensor& x, double cap) { return Softcap::apply(x, cap); }
}  // namespace saves_the_input

// answer: takes_views_as_they_are
// expect: is not contiguous, and a kernel counts elements in memory; pass contiguous()
// Right for contiguous tensors. A kernel reads memory in order, whatever the strides are.
namespace takes_views_as_they_are {
namespace simt = td::simt;

namespace {

simt::LaunchConfig config(const td::Tensor& x) {
  return {dim3(static_cast<unsigned>((x.numel() + 255) / 256)), dim3(256)};
}

struct Softcap : td::autograd::Function<Softcap> {
  static td::Tensor forward(td::autograd::AutogradContext* ctx, const td::Tensor& input,
                            double cap) {
    const td::Tensor x = input, y = td::empty_like(x);
    if (x.numel() > 0)
      simt::launch<softcap_forward>(config(x), x, y, cap, static_cast<int>(x.numel()));
    ctx->save_for_backward({y});
    ctx->saved_data["cap"] = cap;
    return y;
  }

  static td::TensorList backward(td::autograd::AutogradContext* ctx, td::TensorList gradients) {
    const td::Tensor y = ctx->get_saved_variables()[0];
    const td::Tensor grad_y = gradients[0], grad_x = td::empty_like(y);
    if (y.numel() > 0)
      simt::launch<softcap_backward>(config(y), grad_y, y, grad_x,
                                     ctx->saved_data["cap"].toDouble(),
                                     static_cast<int>(y.numel()));
    return {grad_x, td::Tensor()};
  }
};

}  // namespace

td::Tensor softcap(const td::Tensor& x, double cap) { return Softcap::apply(x, cap); }
}  // namespace takes_views_as_they_are

// answer: unnoticed_by_autograd
// expect: backward() after y.mul_(2): an error was expected, none was thrown
// Right as long as the result is not modified: saved_data does not notice an in-place change.
namespace unnoticed_by_autograd {
namespace simt = td::simt;

namespace {

simt::LaunchConfig config(const td::Tensor& x) {
  return {dim3(static_cast<unsigned>((x.numel() + 255) / 256)), dim3(256)};
}

struct Softcap : td::autograd::Function<Softcap> {
  static td::Tensor forward(td::autograd::AutogradContext* ctx, const td::Tensor& input,
                            double cap) {
    const td::Tensor x = input.contiguous(), y = td::empty_like(x);
    if (x.numel() > 0)
      simt::launch<softcap_forward>(config(x), x, y, cap, static_cast<int>(x.numel()));
    ctx->saved_data["y"] = y;
    ctx->saved_data["cap"] = cap;
    return y;
  }

  static td::TensorList backward(td::autograd::AutogradContext* ctx, td::TensorList gradients) {
    const td::Tensor y = ctx->saved_data["y"].toTensor();
    const td::Tensor grad_y = gradients[0].contiguous(), grad_x = td::empty_like(y);
    if (y.numel() > 0)
      simt::launch<softcap_backward>(config(y), grad_y, y, grad_x,
                                     ctx->saved_data["cap"].toDouble(),
                                     static_cast<int>(y.numel()));
    return {grad_x, td::Tensor()};
  }
};

}  // namespace

td::Tensor softcap(const td::Tensor& x, double cap) { return Softcap::apply(x, cap); }
}  // namespace unnoticed_by_autograd

// answer: in_place_gradient
// expect: the gradient of (softcap(x) + softcap(x)) * weights
// Writes to the gradient that it receives, which another node receives, too.
namespace in_place_gradient {
namespace simt = td::simt;
inline simt::LaunchConfig per_element(const td::Tensor& x) {
  return {dim3(static_cast<unsigned>((x.numel() + 255) / 256)), dim3(256)};
}
struct Softcap : td::autograd::Function<Softcap> {
  static td::Tensor forward(td::autograd::AutogradContext* ctx, const td::Tensor& input,
                            double cap) {
    const td::Tensor x = input.contiguous(), y = td::empty_like(x);
    if (x.numel() > 0)
      simt::launch<softcap_forward>(per_element(x), x, y, cap, static_cast<int>(x.numel()));
    ctx->save_for_backward({y});
    ctx->saved_data["cap"] = cap;
    return y;
  }
  static td::TensorList backward(td::autograd::AutogradContext* ctx, td::TensorList gradients) {
    const td::Tensor y = ctx->get_saved_variables()[0], grad = gradients[0].contiguous();
    if (y.numel() > 0)
      simt::launch<softcap_backward>(per_element(y), grad, y, grad,
                                     ctx->saved_data["cap"].toDouble(),
                                     static_cast<int>(y.numel()));
    return {grad, td::Tensor()};
  }
};
td::Tensor softcap(const td::Tensor& x, double cap) { return Softcap::apply(x, cap); }

}  // namespace in_place_gradient

// A linear layer whose three matrix products run through the chapter's kernels, and a model in
// which such layers take the place of nn::Linear. Included by main.cpp.
#pragma once

#include "demos.h"

namespace kernel_linear {

// anchor: product
/// a b, by the kernel of 11.matmul.
inline td::Tensor product(const td::Tensor& a, const td::Tensor& b) {
  const int m = static_cast<int>(a.size(0)), n = static_cast<int>(b.size(1));
  const td::Tensor c = td::empty({m, n}, a.options());
  td::simt::launch<matmul>({{blocks_for(n, 16), blocks_for(m, 16)}, {16, 16}}, a.contiguous(),
                           b.contiguous(), c, m, n, static_cast<int>(a.size(1)));
  return c;
}

/// The transpose of x, by the kernel of 11.transpose.
inline td::Tensor transposed(const td::Tensor& x) {
  const int rows = static_cast<int>(x.size(0)), cols = static_cast<int>(x.size(1));
  const td::Tensor out = td::empty({cols, rows}, x.options());
  td::simt::launch<transpose>({{blocks_for(cols, 32), blocks_for(rows, 32)}, {32, 8}},
                              x.contiguous(), out, rows, cols);
  return out;
}

/// x W^T and its gradients.
struct Product : td::autograd::Function<Product> {
  static td::Tensor forward(td::autograd::AutogradContext* ctx, const td::Tensor& x,
                            const td::Tensor& weight) {
    ctx->save_for_backward({x, weight});
    return product(x, transposed(weight));
  }
  static td::TensorList backward(td::autograd::AutogradContext* ctx, td::TensorList gradients) {
    const td::TensorList saved = ctx->get_saved_variables();
    const td::Tensor& g = gradients[0];
    return {product(g, saved[1]), product(transposed(g), saved[0])};
  }
};
// anchor end

/// nn::Linear with these products. It holds the parameters of the layer that it replaces.
struct KernelLinearImpl : td::nn::Module {
  explicit KernelLinearImpl(td::nn::LinearImpl& layer)
      : weight(register_parameter("weight", layer.weight)),
        bias(register_parameter("bias", layer.bias)) {}
  td::Tensor forward(const td::Tensor& x) { return Product::apply(x, weight) + bias; }
  td::Tensor weight, bias;
};
TD_MODULE(KernelLinear);

/// A model of chapter 04 with a KernelLinear in the place of each Linear.
inline td::nn::Sequential with_kernels(td::nn::Sequential model) {
  td::nn::Sequential changed;
  for (auto& layer : *model)
    if (auto linear = std::dynamic_pointer_cast<td::nn::LinearImpl>(layer.ptr()))
      changed->push_back(KernelLinear(*linear));
    else
      changed->push_back(layer);
  return changed;
}

}  // namespace kernel_linear

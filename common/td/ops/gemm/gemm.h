// Matrix products of tensors, on every device. ops/gemm/products.cpp and ops/gemm/linear.cpp call them.
// Transposed views are read as they lie; other strides are copied first.
#pragma once

#include "td/tensor/tensor.h"

namespace td::kernels {

/// out = alpha * (a b) + beta * out, for matrices [m, k] [k, n] or batches of them [b, m, k]
/// [b, k, n]; then `bias` [n], when defined, is added to every row. One element type for all.
/// @pre out is contiguous and overlaps no argument; with a bias, beta is 0.
void matmul(const char* name, const Tensor& out, const Tensor& a, const Tensor& b,
            const Tensor& bias = {}, double alpha = 1, double beta = 0);

}  // namespace td::kernels

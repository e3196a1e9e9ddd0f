// The exercises of chapter 13. Those that are kernels are declared in kernels.h; here are those in
// host code. Included by the programs, by the exercises in host code and by the tests.
#pragma once

#include "kernels.h"
#include "launch/blas.h"
#include "launch/launch.h"
#include "td/td.h"

/// Exercise 13.gemm. Complete `gemm`. It must compute C = A B with one call of
/// td::simt::blas::sgemm, cuBLAS's function, which stores matrices by columns:
/// - A matrix that td stores by rows is its transpose for cuBLAS. So ask for the transpose of C.
/// - Views must be read as they are: slices, whose rows are farther apart than they are long, and
///   transposed matrices. Make no copies.
/// - The product runs on the current stream of the device, see blas::set_stream.
///
/// @param a, b float32 matrices (m, k) and (k, n) on one device. In each, one of the two strides
///     is 1.
/// @return (m, n), contiguous, on the same device.
///
/// Example: gemm({{1, 2}, {3, 4}}, {{5}, {6}}) is {{17}, {39}}.
td::Tensor gemm(const td::Tensor& a, const td::Tensor& b);

/// Exercise 13.softcap. Complete `softcap`. It must compute cap * tanh(x / cap), which keeps the
/// logits of a model between -cap and cap, as an operation with a gradient. The kernels
/// softcap_forward and softcap_backward are given (kernels.h); join them by
/// td::autograd::Function:
/// - The forward pass is given but for one thing: it saves what softcap_backward needs with
///   save_for_backward(), which notices when the tensor is changed in place before the backward
///   pass.
/// - The backward pass launches softcap_backward. It returns one gradient per argument of forward;
///   for a number, an undefined tensor.
/// - The kernels take contiguous elements. `x` may be a transposed view, and the gradient of the
///   result may be an expanded one, such as that of sum().
/// - A tensor without elements needs no launch; CUDA refuses an empty grid.
///
/// @param x float32, on sim or cuda, with any sizes.
/// @param cap positive.
/// @return x's sizes, on x's device.
///
/// Example: softcap({0, 30, 3000}, 30) is {0, 22.85, 30}, and its gradient is {1, 0.42, 0}.
td::Tensor softcap(const td::Tensor& x, double cap);

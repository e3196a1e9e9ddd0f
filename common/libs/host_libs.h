// Matrix products and convolutions on host memory, for cpu and sim: by oneDNN, by OpenBLAS, or by
// loops of our own where no library serves a type or a size. ops/gemm/gemm.cu and ops/conv/conv.cu
// call these functions. Compiled by g++ alone, so that nvcc sees no library header.
// Invariant: each uses at most parallel_width() threads of the calling thread.
#pragma once

#include "libs/products.h"

namespace td::kernels {

/// Computes the products, then adds `bias` (n values, or nullptr) to every row of C.
/// Types: the floating point ones, of which those of 16 bits are summed in float and rounded once,
/// and int64, int32, uint8, whose products wrap around.
/// @pre C overlaps neither A, B nor bias; with a bias, alpha is 1 and beta 0.
void host_gemm(const Gemm& gemm, const void* a, const void* b, const void* bias, void* c);

/// output = convolution of input with weight, plus bias [k] unless that is nullptr.
/// @pre host_convolves(dtype), and channels last only where host_conv_takes_channels_last(dtype);
/// no size is zero; nothing overlaps.
void host_conv2d(const Conv2d& conv, const void* input, const void* weight, const void* bias,
                 void* output);
/// Gradients from `grad`, that of the output. A target that is nullptr is not computed, and
/// `weight` is needed only for grad_input, `input` only for grad_weight.
void host_conv2d_backward(const Conv2d& conv, const void* grad, const void* input,
                          const void* weight, void* grad_input, void* grad_weight);
/// Whether host_conv2d takes tensors of this type; else pass float copies.
bool host_convolves(ScalarType dtype);
/// Whether it takes channels last in this type; else pass contiguous copies.
bool host_conv_takes_channels_last(ScalarType dtype);

/// How bfloat16 factors are multiplied, by where they become float. The sums are float in any case.
enum class Bfloat16Products {
  kNative,     ///< nowhere: the processor has instructions that multiply bfloat16
  kConverted,  ///< convolutions: in oneDNN, which reorders images anyway; matrices: by tiles
  kCopied,     ///< convolutions: in float copies of some images; matrices: by tiles
};
/// The method in use: the fastest that this processor has, unless another was set.
Bfloat16Products bfloat16_products();
/// Sets another method, in all threads; for tests and measurements.
/// @throws Error when this build or this processor lacks it.
void set_bfloat16_products(Bfloat16Products wanted);

#ifdef TD_HAS_ONEDNN
/// The same by oneDNN: products of bfloat16 with no size 0, convolutions of float32 and bfloat16.
///@{
void onednn_gemm(const Gemm& gemm, const void* a, const void* b, const void* bias, void* c);
void onednn_conv2d(const Conv2d& conv, const void* input, const void* weight, const void* bias,
                   void* output);
void onednn_conv2d_backward(const Conv2d& conv, const void* grad, const void* input,
                            const void* weight, void* grad_input, void* grad_weight);
///@}
#endif

}  // namespace td::kernels

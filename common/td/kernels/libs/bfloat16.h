// How the host multiplies bfloat16 numbers, which depends on the processor. host_gemm and host_conv
// ask; ops/conv/conv_kernels.cu asks whether it may hand bfloat16 tensors over at all.
// Invariant: the products are summed in float in each of the ways.
#pragma once

#include "td/tensor/dtype.h"

namespace td::kernels {

/// The ways, by where the factors become float.
enum class Bfloat16Products {
  kNative,     ///< nowhere: the processor has instructions that multiply bfloat16
  kConverted,  ///< convolutions: in oneDNN, which rearranges images anyway; matrices: by tiles
  kCopied,     ///< convolutions: in float copies of some images; matrices: by tiles
};
/// The way in use: the fastest that this processor has, unless another was set.
Bfloat16Products bfloat16_products();
/// Takes another way from now on, in all threads; for tests and measurements.
/// @throws Error when this build or this processor lacks it.
void set_bfloat16_products(Bfloat16Products way);

/// Whether host_conv2d takes tensors of this type; else give it float copies.
bool host_convolves(ScalarType dtype);

}  // namespace td::kernels

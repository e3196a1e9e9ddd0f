// How exactly float32 products are made: one switch for matrix products and convolutions.
// kernels/gemm.cpp and conv.cpp read it at every launch. Invariant: off means off, for convolutions
// too, where cuDNN and PyTorch would otherwise take TF32.
#pragma once

#include <string_view>

namespace td {

/// Says how much of their precision float32 products may give up for speed, in the whole process.
/// PyTorch's torch.set_float32_matmul_precision.
/// @param precision "highest": none, 24 bits are multiplied; this is how a program starts.
///   "high" and "medium": GPUs may round the factors to TF32 (11 bits, the exponents of float32)
///   and multiply them on Tensor Cores; sums stay in float32. Unlike in PyTorch this is also said
///   of convolutions, and cpu and sim compute in float32 in any case.
/// @throws Error for another word.
void set_float32_matmul_precision(std::string_view precision);
/// The word that was set last.
std::string_view get_float32_matmul_precision();
/// Whether float32 products may use TF32.
bool allow_tf32();

}  // namespace td

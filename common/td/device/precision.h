// How exactly products are made: one switch for float32, which ops/gemm/gemm.cu and
// ops/conv/conv.cu read at every launch, and the GPUs that know bfloat16. Invariant: off means off,
// for convolutions too, where cuDNN and PyTorch would otherwise take TF32.
#pragma once

#include <string_view>

#include "td/device/device.h"

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

/// Asks whether a GPU can compute in bfloat16, which began with compute capability 8.0.
/// @param what who asks, as the message's beginning: "autocast", "conv2d".
/// @param compute_capability 75 for 7.5; 0 for a device that is no GPU, which can.
/// @throws DeviceError with the cure when it cannot.
void check_bfloat16(const char* what, Device device, int compute_capability);

}  // namespace td

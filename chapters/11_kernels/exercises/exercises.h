// The exercises of chapter 11. Those that are kernels are declared in kernels.h; here are those in
// host code. Included by the programs, by the exercises in host code and by the tests.
#pragma once

#include <string>

#include "kernels.h"
#include "simt/blas.h"
#include "simt/launch.h"
#include "simt/observe/gpu_limits.h"
#include "td/td.h"

/// What a kernel needs, for 11.plan. One thread computes one element.
struct Problem {
  std::int64_t elements = 0;
  int threads_per_block = 256;
  std::size_t static_shared = 0;   ///< Bytes per block, of `__shared__` arrays with a fixed size.
  std::size_t dynamic_shared = 0;  ///< Bytes per block, of `extern __shared__`.
  bool opt_in = false;           ///< cudaFuncSetAttribute has raised the limit of 48 KiB per block.
  int registers_per_thread = 0;  ///< 0: not known, so registers do not limit.
};

/// How to launch it, and what the GPU makes of it.
struct LaunchPlan {
  dim3 grid, block;
  std::size_t shared = 0;  ///< Dynamic bytes, as the launch states them.
  int blocks_per_sm = 0;   ///< How many blocks an SM (streaming multiprocessor) runs at a time.
  std::string limit;       ///< What keeps it from running more; see plan().
  double occupancy = 0;    ///< Warps of these blocks, as a fraction of those that the SM holds.
};

/// Exercise 11.plan. Implement `plan`. It must compute the grid, and how many blocks an SM runs at
/// a time. That is the smallest of these four counts:
/// - "threads": the warps of an SM divided by the warps of a block. A block takes whole warps.
/// - "shared memory": shared_per_sm divided by the static, dynamic and reserved bytes of a block,
///   together rounded up to a multiple of shared_granularity.
/// - "blocks": blocks_per_sm.
/// - "registers": an SM has 4 parts of 16,384 registers. A warp takes 32 * registers_per_thread of
///   one part, rounded up to a multiple of 256. So count the warps of one part, rounded down, times
///   4, divided by the warps of a block.
///
/// `limit` is the name of the smallest count; of equal counts, the one named first in this list.
/// Write it without td::simt::occupancy() and check_launch(), which compute the same.
///
/// @throws td::Error for a launch that CUDA refuses. The message must contain CUDA's name of the
///     error:
///     - cudaErrorInvalidConfiguration: a block without threads or with more than 1,024; a grid
///       without blocks or with more than 2^31 - 1.
///     - cudaErrorInvalidValue: static and dynamic bytes together above 48 KiB without opt_in, or
///       above gpu.shared_opt_in with opt_in.
///     - cudaErrorLaunchOutOfResources: not even one block fits into the registers.
///
/// Example: 1,000,000 elements in blocks of 256 on an A100: 3,907 blocks, 8 per SM, limited by
/// "threads", occupancy 1.
LaunchPlan plan(const Problem& problem, const td::simt::GpuLimits& gpu);

/// Exercise 11.gemm. Implement `gemm`. It must compute C = A B with one call of
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

/// Exercise 11.softcap. Implement `softcap`. It must compute cap * tanh(x / cap), which keeps the
/// logits of a model between -cap and cap, as an operation with a gradient. The kernels
/// softcap_forward and softcap_backward are given (kernels.h); join them by
/// td::autograd::Function:
/// - The forward pass launches softcap_forward, and saves what softcap_backward needs with
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

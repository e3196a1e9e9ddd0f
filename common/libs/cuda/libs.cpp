// The table that td::cuda::libs() returns, in libtd_cuda_libs.so, and what replaces convolutions in
// a build without cuDNN: matrix products and collectives work without it.
#include "libs/cuda/stream_state.h"
#include "td/base/error.h"

namespace td::cuda {

#ifndef TD_HAS_CUDNN
void run_conv(ConvKind, const Conv2d&, const void*, const void*, void*, Where) {
  fail<DeviceError>(
      "conv2d on cuda needs cuDNN, which this build did not find: install it (libcudnn9-dev of "
      "NVIDIA's packages, or nvidia-cudnn-cu13 with pip) and configure again, or convolve on cpu");
}
#endif

}  // namespace td::cuda

td::cuda::Libs* td_cuda_libs() {
  using namespace td::cuda;
  static Libs libs{.gemm = run_gemm,
                   .gemm_with_bias = run_gemm_with_bias,
                   .conv2d = run_conv,
                   .new_communicator_id = new_nccl_id,
                   .join_communicator = join_nccl};
  return &libs;
}

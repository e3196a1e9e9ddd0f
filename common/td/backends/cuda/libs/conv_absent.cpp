// Stands for conv.cpp in a build that found no cuDNN: matrix products and collectives work without
// it, and a convolution says what is missing.
#include "td/backends/cuda/libs/stream_state.h"
#include "td/base/error.h"

namespace td::cuda {

void run_conv(ConvKind, const Conv2d&, const void*, const void*, void*, Where) {
  fail<DeviceError>(
      "conv2d on cuda needs cuDNN, which this build did not find: install it (libcudnn9-dev of "
      "NVIDIA's packages, or nvidia-cudnn-cu13 with pip) and configure again, or convolve on cpu");
}

}  // namespace td::cuda

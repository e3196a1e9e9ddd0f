// A build whose toolkit has neither cuDNN nor NCCL: code that needs them says so, the rest works.
// BARE_CUDA_LIBS names the library that was built as if they were absent.
#include <dlfcn.h>

#include "catch.h"
#include "libs/cuda_libs.h"
#include "td/base/error.h"

namespace td {
namespace {

cuda::Libs& bare_libs() {
  void* const opened = dlopen(BARE_CUDA_LIBS, RTLD_NOW | RTLD_LOCAL);
  INFO(BARE_CUDA_LIBS);
  REQUIRE(opened);
  return *reinterpret_cast<decltype(&td_cuda_libs)>(dlsym(opened, "td_cuda_libs"))();
}

TEST_CASE("without cuDNN a convolution on cuda is an error with the fix") {
  cuda::Conv2d conv;
  conv.n = conv.c = conv.h = conv.w = conv.k = conv.r = conv.s = conv.oh = conv.ow = 1;
  const float x = 1, w = 1;
  float y = 0;
  const std::string text =
      "conv2d on cuda needs cuDNN, which this build did not find: install it (libcudnn9-dev of "
      "NVIDIA's packages, or nvidia-cudnn-cu13 with pip) and configure again, or convolve on cpu";
  cuda::Libs& libs = bare_libs();
  using cuda::ConvKind;
  for (const ConvKind kind :
       {ConvKind::kForward, ConvKind::kBackwardInput, ConvKind::kBackwardWeight})
    CHECK_THROWS_WITH(libs.conv2d(kind, conv, &x, &w, &y, {0, nullptr}), text);
}

TEST_CASE("without NCCL a communicator is a clear error") {
  cuda::Libs& libs = bare_libs();
  CHECK_THROWS_WITH(libs.new_communicator_id(), Catch::StartsWith("this build has no NCCL: "));
  CHECK_THROWS_AS(libs.join_communicator("12", 0, 1, 0), DeviceError);
}

}  // namespace
}  // namespace td

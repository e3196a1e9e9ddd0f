// Opens libtd_cuda_libs.so at its first use. Linking it would delay the start of every program by
// 60 to 330 ms, with or without a GPU.
#include "libs/cuda_libs.h"

#include <string>

#include "td/base/error.h"
#include "td/base/own_library.h"

namespace td::cuda {
namespace {

Libs* open() {
  std::string reason;
  void* const factory = own_library_function("libtd_cuda_libs.so", "td_cuda_libs", reason);
  if (!factory) {
    fail<DeviceError>(
        "matrix products, convolutions and collectives on cuda need cuBLAS, cuDNN and NCCL, but "
        "libtd_cuda_libs.so could not be opened: ",
        reason,
        ". Build the target td_all, and see that the libraries it names are "
        "installed; cpu and sim work without them.");
  }
  return reinterpret_cast<decltype(&td_cuda_libs)>(factory)();
}

}  // namespace

Libs& libs() {
  static Libs* const opened = open();  // a failure throws, and the next call tries again
  return *opened;
}

}  // namespace td::cuda

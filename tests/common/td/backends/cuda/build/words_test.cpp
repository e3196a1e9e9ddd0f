// CUDA's error codes become messages that say what to do. Numbers are cudaError_t's, which no
// header of the core shows.
#include <string>

#include "catch.h"
#include "td/backends/cuda/cuda.h"
#include "td/base/error.h"

namespace td {
namespace {

constexpr int kOldDriver = 35, kStub = 34, kNoDevice = 100, kNotReady = 802, kMismatch = 803;
constexpr int kUnavailable = 46;
constexpr int kIllegalAddress = 700, kNoKernelImage = 209, kInvalidValue = 1;

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST_CASE("why there is no GPU, by what the driver answered") {
  using cuda::no_device_reason;
  CHECK(no_device_reason(kOldDriver, 0, 13000) ==
        "no NVIDIA driver was found: install one, or, in a container, start it with --gpus all. Or "
        "use sim:0, the software accelerator.");
  CHECK(no_device_reason(kOldDriver, 12040, 13000) ==
        "the NVIDIA driver is too old: it serves CUDA 12.4, and this build needs 13.0. Install a "
        "newer driver, or build with an older CUDA toolkit. Or use sim:0, the software "
        "accelerator.");
  CHECK(has(no_device_reason(kNoDevice, 13000, 13000), "CUDA_VISIBLE_DEVICES"));
  CHECK(has(no_device_reason(kStub, 0, 13000), "LD_LIBRARY_PATH"));
  CHECK(has(no_device_reason(kMismatch, 13000, 13000), "restart the machine"));
  CHECK(no_device_reason(kNotReady, 13000, 13000) ==
        "the GPUs are not ready for CUDA (error 802). Where NVSwitches join the GPUs, as in HGX "
        "machines, the service nvidia-fabricmanager must run, in the version of the driver: `sudo "
        "systemctl start nvidia-fabricmanager`, then wait until `nvidia-smi -q` shows its Fabric "
        "state as Completed. Or use sim:0, the software accelerator.");
  CHECK(has(no_device_reason(kUnavailable, 13000, 13000), "the NVIDIA driver reports: "));
}

TEST_CASE("a kernel's failure is an AsyncError, a refused request a DeviceError") {
  CHECK_THROWS_AS(cuda::throw_error("relu on cuda:0", kIllegalAddress), AsyncError);
  CHECK_THROWS_AS(cuda::throw_error("relu on cuda:0", kInvalidValue), DeviceError);
  CHECK_THROWS_WITH(cuda::throw_error("relu on cuda:0", kIllegalAddress),
                    Catch::StartsWith("relu on cuda:0: an illegal memory access was encountered "
                                      "(cudaErrorIllegalAddress). ") &&
                        Catch::Contains("CUDA_LAUNCH_BLOCKING=1"));
  CHECK_THROWS_WITH(cuda::throw_error("relu on cuda:0", kNoKernelImage),
                    Catch::Contains("-DCMAKE_CUDA_ARCHITECTURES="));
  CHECK_THROWS_WITH(cuda::throw_error("relu on cuda:0", kNotReady),
                    Catch::Contains("nvidia-fabricmanager"));
}

// By the comments in CUDA's driver_types.h.
TEST_CASE("only errors after which CUDA refuses all further work are AsyncErrors") {
  for (const int sticky : {214, 220, 226, 700, 702, 710, 714, 715, 716, 717, 718, 719, 721}) {
    CAPTURE(sticky);
    CHECK_THROWS_AS(cuda::throw_error("relu on cuda:0", sticky), AsyncError);
  }
  for (const int passing :
       {2, 9, 400, 600, 701, 703, 704, 705, 708, 709, 711, 712, 713, 720, 900}) {
    CAPTURE(passing);
    CHECK_THROWS_AS(cuda::throw_error("relu on cuda:0", passing), DeviceError);
  }
}

}  // namespace
}  // namespace td

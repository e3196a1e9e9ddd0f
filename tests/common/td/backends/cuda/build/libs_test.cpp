// cuBLAS, cuDNN and NCCL are opened when used and not before: they cost a process up to 330 ms.
#include <dlfcn.h>
#include <link.h>

#include <cstring>

#include "catch.h"
#include "libs/cuda_libs.h"
#include "td/base/error.h"
#include "td/device/device.h"

namespace td {
namespace {

bool is_loaded(const char* name) {
  const auto visit = [](dl_phdr_info* info, std::size_t, void* wanted) -> int {
    return std::strstr(info->dlpi_name, static_cast<const char*>(wanted)) != nullptr;
  };
  return dl_iterate_phdr(visit, const_cast<char*>(name)) != 0;
}

// Taken before main, so that no test case can have opened them.
const bool kBlasAtStart = is_loaded("libcublas"), kDnnAtStart = is_loaded("libcudnn");
const bool kNcclAtStart = is_loaded("libnccl");
const bool kDriverAtStart = is_loaded("libcuda.so");

TEST_CASE("a program starts without cuBLAS, cuDNN, NCCL and the driver") {
  CHECK(is_loaded("libtd.so"));  // else the names above would prove nothing
  CHECK_FALSE(kBlasAtStart);
  CHECK_FALSE(kDnnAtStart);
  CHECK_FALSE(kNcclAtStart);
  CHECK_FALSE(kDriverAtStart);
}

TEST_CASE("libtd_cuda_libs opens at first use, and answers") {
  cuda::Libs& libs = cuda::libs();
  CHECK(&libs == &cuda::libs());
  CHECK(is_loaded("libtd_cuda_libs.so"));
}

TEST_CASE("NVIDIA's libraries are opened at first use") {
  cuda::libs();
  CHECK(is_loaded("libcublas"));
  new_communicator_id();
  CHECK(is_loaded("libnccl"));
}

TEST_CASE("without a GPU the libraries refuse in words") {
  if (device_count(kCUDA) > 0) return;
  cuda::Gemm gemm;
  gemm.m = gemm.n = gemm.k = gemm.lda = gemm.ldb = gemm.ldc = 1;
  float a = 1, b = 1, c = 0;
  CHECK_THROWS_WITH(cuda::libs().gemm(gemm, &a, &b, &c, {0, nullptr}),
                    Catch::StartsWith("cublasCreate: cuBLAS reports "));
  cuda::Conv2d conv;
  conv.n = conv.c = conv.h = conv.w = conv.k = conv.r = conv.s = conv.oh = conv.ow = 1;
  CHECK_THROWS_WITH(cuda::libs().conv2d(cuda::ConvKind::kForward, conv, &a, &b, &c, {0, nullptr}),
                    Catch::StartsWith("cudnnCreate: cuDNN reports "));
  gemm.dtype = kLong;
  CHECK_THROWS_AS(cuda::libs().gemm(gemm, &a, &b, &c, {0, nullptr}), DtypeError);
}

// The build has NCCL wherever it has the toolkit of this course; without it this test must fail.
TEST_CASE("NCCL makes ids without a GPU, but joins no communicator without one") {
  const std::string id = new_communicator_id();
  CHECK(id.size() == 256);
  CHECK(id.find_first_not_of("0123456789abcdef") == std::string::npos);
  CHECK(new_communicator_id() != id);
  CHECK_THROWS_WITH(cuda::libs().join_communicator("12", 0, 1, 0),
                    "\"12\" is no id of NCCL: did rank 0 fail to make one?");
  if (device_count(kCUDA) > 0) return;
  CHECK_THROWS_AS(cuda::libs().join_communicator(id, 0, 1, 0), DeviceError);
  CHECK_THROWS_WITH(join_communicator(id, 0, 1, Device(kCUDA, 0)),
                    Catch::StartsWith("there is no cuda:0: "));
  CHECK_THROWS_WITH(device_uuid(Device(kCUDA, 0)), Catch::StartsWith("there is no cuda:0: "));
}

}  // namespace
}  // namespace td

// Kernels that fail: which call reports it, and that all later calls do.
#include <set>

#include "raw.h"

using namespace raw;

namespace {

/// The number of the first call after a failure that reports it.
int calls_until_told(cudaEvent_t event) {
  for (int i = 0; i < 1000000; ++i)
    if (cudaEventRecord(event, nullptr) == cudaErrorIllegalAddress) return i;
  return -1;
}

void repair(int device) {
  cuda_stand_in::break_device(device, cudaSuccess);
  cudaGetLastError();
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
}

TEST_CASE("a failure is returned by a later call, and then by every call of every thread") {
  on_gpu(0, [] {
    const cudaEvent_t event = new_event();
    std::set<int> told;
    for (int i = 0; i < 20; ++i) {
      std::atomic<bool> fails = false;
      queue(nullptr, "op", {}, [&] {
        fails = true;
        throw cuda_stand_in::DeviceFault{cudaErrorIllegalAddress, "a wrong address"};
      });
      while (!fails) std::this_thread::yield();
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      told.insert(calls_until_told(event));
      CHECK(cudaEventQuery(event) == cudaErrorIllegalAddress);
      CHECK(cudaGetLastError() == cudaErrorIllegalAddress);
      CHECK(cudaGetLastError() == cudaErrorIllegalAddress);
      fake::in_new_thread([] { CHECK(cudaSetDevice(0) == cudaErrorIllegalAddress); });
      repair(0);
    }
    CHECK(told.size() > 2);
    CHECK(told.count(-1) == 0);
  });
}

TEST_CASE("a call that waits for work that fails returns the error immediately") {
  on_gpu(1, [] {
    for (int i = 0; i < 10; ++i) {
      cuda_stand_in::fail_kernel(cudaErrorLaunchFailure, 1);
      std::atomic<int> ran = 0;
      for (int k = 0; k < 2; ++k) {
        const cudaError_t error = queue(nullptr, "op", {}, [&] { ++ran; });
        CHECK((error == cudaSuccess || error == cudaErrorLaunchFailure));
      }
      CHECK(cudaDeviceSynchronize() == cudaErrorLaunchFailure);
      CHECK(ran == 1);
      fake::in_new_thread([] { CHECK(cudaSetDevice(0) == cudaSuccess); });
      repair(1);
    }
  });
}

TEST_CASE("an exception of an operation makes its device fail") {
  on_gpu(0, [] {
    const auto fail_with = [](auto thrown) {
      queue(nullptr, "op", {}, [thrown] { throw thrown; });
      const cudaError_t error = cudaDeviceSynchronize();
      repair(0);
      return error;
    };
    CHECK(fail_with(std::runtime_error("out of range")) == cudaErrorLaunchFailure);
    CHECK(fail_with(cuda_stand_in::DeviceFault{cudaErrorMisalignedAddress, "odd"}) ==
          cudaErrorMisalignedAddress);
  });
}

TEST_CASE("a replay may fail") {
  on_gpu(0, [] {
    const cudaStream_t stream = new_stream();
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t exec = nullptr;
    REQUIRE(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed) == cudaSuccess);
    queue(stream, "op", {});
    REQUIRE(cudaStreamEndCapture(stream, &graph) == cudaSuccess);
    REQUIRE(cudaGraphInstantiate(&exec, graph, 0) == cudaSuccess);
    CHECK(cudaGraphDestroy(graph) == cudaSuccess);
    cuda_stand_in::fail_kernel(cudaErrorIllegalAddress, 1);
    CHECK(cudaGraphLaunch(exec, stream) == cudaSuccess);
    cudaGraphLaunch(exec, stream);
    CHECK(cudaStreamSynchronize(stream) == cudaErrorIllegalAddress);
    repair(0);
    CHECK(cudaGraphExecDestroy(exec) == cudaSuccess);
  });
}

TEST_CASE("a device that waits for a device that failed does not hang") {
  on_gpu(0, [] {
    const cudaEvent_t event = new_event();
    cuda_stand_in::fail_kernel(cudaErrorLaunchFailure);
    queue(nullptr, "op", {});
    cudaEventRecord(event, nullptr);
    fake::in_new_thread([&] {
      REQUIRE(cudaSetDevice(1) == cudaSuccess);
      CHECK(cudaStreamWaitEvent(nullptr, event, 0) == cudaSuccess);
      CHECK(cudaDeviceSynchronize() == cudaSuccess);
    });
    CHECK(cudaDeviceSynchronize() == cudaErrorLaunchFailure);
    repair(0);
  });
}

}  // namespace

// The stand-in for CUDA itself: what it computes, and that it rejects what it must reject.
#include <cuda_runtime.h>

#include "catch.h"
#include "fake_gpus.h"

using namespace td;

namespace {

TEST_CASE("a launch does the kernel's work, and is seen with its shape") {
  const Tensor x = arange(0, 1000, kFloat), on_gpu = x.to(fake::gpu(1));
  CHECK(equal((on_gpu * 2 + on_gpu).cpu(), x * 3));
  CHECK(on_gpu.sum().item<float>() == 499500);
  const cuda_stand_in::Launch launch = cuda_stand_in::last_launch();
  CHECK(launch.device == 1);
  CHECK(launch.kernel == "sum");
  CHECK(launch.block[0] * launch.block[1] * launch.block[2] > 1);
}

TEST_CASE("calls that would make a context on GPU 0 are an error") {
  Event event(kCUDA);
  event.record(getDefaultStream(fake::gpu(1)));
  cuda_stand_in::CollectRefusals refusals;
  cudaEvent_t native = nullptr;
  cudaEventCreate(&native);
  fake::in_new_thread([&] {
    void* memory = nullptr;
    cudaPointerAttributes attributes;
    CHECK(cudaEventQuery(native) == cudaErrorDeviceUninitialized);
    CHECK(cudaEventSynchronize(native) == cudaErrorDeviceUninitialized);
    CHECK(cudaEventDestroy(native) == cudaErrorDeviceUninitialized);
    CHECK(cudaHostAlloc(&memory, 8, cudaHostAllocPortable) == cudaErrorDeviceUninitialized);
    CHECK(cudaPointerGetAttributes(&attributes, &memory) == cudaErrorDeviceUninitialized);
    CHECK(cudaStreamQuery(nullptr) == cudaErrorDeviceUninitialized);
  });
  CHECK(refusals.take().size() == 6);
  CHECK(cudaEventDestroy(native) == cudaSuccess);
  cudaEventQuery(native);
  CHECK(refusals.take() ==
        std::vector<std::string>{"cudaEventQuery: this event does not exist any more"});
}

TEST_CASE("streams and events of another device are distinguished as CUDA does") {
  cudaStream_t stream = nullptr;
  cudaEvent_t event = nullptr;
  REQUIRE(cudaSetDevice(1) == cudaSuccess);
  REQUIRE(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) == cudaSuccess);
  REQUIRE(cudaSetDevice(0) == cudaSuccess);
  REQUIRE(cudaEventCreate(&event) == cudaSuccess);
  CHECK(cudaEventRecord(event, stream) == cudaErrorInvalidResourceHandle);
  CHECK(cudaEventRecord(event, nullptr) == cudaSuccess);
  CHECK(cudaStreamWaitEvent(stream, event, 0) == cudaSuccess);
  cudaEventDestroy(event);
  cudaGetLastError();
}

TEST_CASE("a capture ends with the code that CUDA gives") {
  cudaStream_t stream = nullptr;
  cudaGraph_t graph = nullptr;
  REQUIRE(cudaSetDevice(0) == cudaSuccess);
  REQUIRE(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) == cudaSuccess);
  const auto begin = [&] {
    REQUIRE(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed) == cudaSuccess);
  };
  begin();
  CHECK(cudaStreamQuery(stream) == cudaErrorStreamCaptureUnsupported);
  CHECK(cudaStreamEndCapture(stream, &graph) == cudaErrorStreamCaptureInvalidated);
  begin();
  CHECK(cudaDeviceSynchronize() == cudaErrorStreamCaptureUnsupported);
  CHECK(cudaStreamEndCapture(stream, &graph) == cudaErrorStreamCaptureInvalidated);
  begin();
  {
    cuda_stand_in::CollectRefusals refusals;
    CHECK(cudaFree(nullptr) == cudaErrorInvalidValue);
    void* memory = nullptr;
    REQUIRE(cudaMalloc(&memory, 512) == cudaSuccess);
    cudaFree(memory);
    CHECK(refusals.take() ==
          std::vector<std::string>{"cudaFree: a graph is being captured on the device"});
  }
  CHECK(cudaStreamEndCapture(stream, &graph) == cudaSuccess);
  CHECK(cudaGraphDestroy(graph) == cudaSuccess);
  cudaGetLastError();
}

TEST_CASE("a held stream tells nothing before it is let go") {
  const Stream stream = getStreamFromPool(fake::gpu());
  Event event(kCUDA);
  {
    const fake::Held held(stream);
    event.record(stream);
    CHECK_FALSE(event.query());
    CHECK_FALSE(stream.query());
  }
  stream.synchronize();
  CHECK(event.query());
}

}  // namespace

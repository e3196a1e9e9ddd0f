// What the stand-in rejects although CUDA would accept it, and the codes of CUDA's own errors.
#include <sys/wait.h>
#include <unistd.h>

#include "raw.h"

using namespace raw;
using Catch::Contains;

namespace {

TEST_CASE("operations use existing memory of their device or pinned memory") {
  on_gpu(1, [] {
    const cudaStream_t stream = new_stream();
    const Block block;
    char host[8];
    void* freed = nullptr;
    REQUIRE(cudaMalloc(&freed, 512) == cudaSuccess);
    REQUIRE(cudaFree(freed) == cudaSuccess);
    CollectRefusals refusals;
    const auto why = [&](Use use) {
      CHECK(queue(stream, "op", {use}) == cudaErrorDeviceUninitialized);
      return only(refusals.take());
    };
    CHECK(why({freed, 8, false}) == "test: \"op\" on cuda:1 reads memory that was freed");
    CHECK(why({host, 8, true}) ==
          "test: \"op\" on cuda:1 writes memory that is memory of the host that is not pinned");
    CHECK_THAT(why({block.data() + 500, 13, false}), Contains("reaches beyond its block"));
    on_gpu(0, [&] {
      const Block elsewhere;
      fake::in_new_thread([&] {
        cudaSetDevice(1);
        CHECK_THAT(why(elsewhere.read()), Contains("is memory of cuda:0"));
      });
      CHECK(queue(stream, "op", {}) == cudaErrorDeviceUninitialized);
      CHECK(only(refusals.take()) ==
            "test: the stream is not of the current device, but of cuda:1");
    });
    CHECK(queue(stream, "op", {block.read(), {host, 0, true}}) == cudaSuccess);
    CHECK(refusals.take() == Texts{});
  });
}

TEST_CASE("the interface reports which memory is at an address") {
  on_gpu(1, [] {
    const Block block;
    char host = 0;
    CHECK(cuda_stand_in::why_not_on_device(block.data(), 512, 1) == "");
    CHECK(cuda_stand_in::why_not_on_device(block.data(), 513, 1) == "reaches beyond its block");
    CHECK(cuda_stand_in::why_not_on_device(block.data(), 1, 0) == "is memory of cuda:1");
    CHECK(cuda_stand_in::why_not_on_device(&host, 1, 1) == "is memory of the host");
    CHECK(cuda_stand_in::memory_device(block.data()) == 1);
    CHECK(cuda_stand_in::current_device() == 1);
    CHECK(cuda_stand_in::stream_device(nullptr) == 1);
  });
}

TEST_CASE("an unread error is reported before another call could return it") {
  on_gpu(0, [] {
    const Block block, other;
    CollectRefusals refusals;
    void* memory = nullptr;
    CHECK(cudaMalloc(&memory, std::size_t{1} << 40) == cudaErrorMemoryAllocation);
    const std::string why =
        ": the error cudaErrorMemoryAllocation of cudaMalloc was not read with cudaGetLastError, "
        "so this call would be blamed for it";
    queue(nullptr, "op", {});
    CHECK(only(refusals.take()) == "test" + why);
    cudaMemcpyAsync(block.data(), other.data(), 512, cudaMemcpyDefault, nullptr);
    CHECK(only(refusals.take()) == "cudaMemcpyAsync" + why);
    CHECK(cudaGetLastError() == cudaErrorMemoryAllocation);
    CHECK(queue(nullptr, "op", {}) == cudaSuccess);
    CHECK(refusals.take() == Texts{});
  });
}

TEST_CASE("the two sides of a copy exist and do not overlap") {
  on_gpu(0, [] {
    const Block block(1024);
    char host[512];
    CollectRefusals refusals;
    const auto copy = [&](void* to, const void* from, std::size_t bytes) {
      const cudaError_t error = cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, nullptr);
      cudaGetLastError();
      return error;
    };
    copy(block.data(), host, 0);
    CHECK_THAT(only(refusals.take()), Contains("0 bytes"));
    copy(nullptr, host, 512);
    CHECK_THAT(only(refusals.take()), Contains("at address 0"));
    copy(block.data(), block.data() + 511, 512);
    CHECK_THAT(only(refusals.take()), Contains("overlap"));
    CHECK(copy(block.data() + 513, host, 512) == cudaErrorInvalidValue);
    CHECK(copy(block.data(), block.data() + 512, 512) == cudaSuccess);
    CHECK(cudaMemcpyPeerAsync(block.data(), 1, block.data() + 512, 0, 8, nullptr) ==
          cudaErrorInvalidValue);
    CHECK(cudaGetLastError() == cudaErrorInvalidValue);
    CHECK(refusals.take() == Texts{});
  });
}

TEST_CASE("memory that work uses must not be freed") {
  on_gpu(0, [] {
    const cudaStream_t stream = new_stream();
    void* pinned = nullptr;
    Block block;
    REQUIRE(cudaHostAlloc(&pinned, 512, cudaHostAllocPortable) == cudaSuccess);
    CollectRefusals refusals;
    cudaMemcpyAsync(pinned, block.data(), 512, cudaMemcpyDefault, stream);
    cudaFreeHost(pinned);
    CHECK_THAT(only(refusals.take()),
               Contains("cudaFreeHost: the memory is still used by \"a copy\" on stream"));
    CHECK(block.free() == cudaSuccess);  // waits for the device
    CHECK(cudaFreeHost(pinned) == cudaSuccess);
    CHECK(refusals.take() == Texts{});
  });
}

TEST_CASE("cudaFree does not wait for a device without a road", "[.child]") {
  void* memory = nullptr;
  on_gpu(0, [&] { REQUIRE(cudaMalloc(&memory, 512) == cudaSuccess); });
  on_gpu(1, [&] {
    const Block block;
    CHECK(cudaMemcpyPeerAsync(block.data(), 1, memory, 0, 512, nullptr) == cudaSuccess);
    on_gpu(0, [&] {
      CollectRefusals refusals;
      cudaFree(memory);
      CHECK(only(refusals.take()) ==
            "cudaFree: the memory is still used by \"a copy between GPUs\" on the default stream "
            "of cuda:1, for which the host did not wait");
    });
    CHECK(cudaDeviceSynchronize() == cudaSuccess);
  });
}

TEST_CASE("cudaFree rejects memory that another device may still use") {
  run_in_order("cudaFree does not wait for a device without a road", "lazy");
}

TEST_CASE("calls of the allocator have CUDA's codes") {
  on_gpu(0, [] {
    Block block(1024);
    CHECK(cudaFree(block.data() + 512) == cudaErrorInvalidValue);
    char* const memory = block.data();
    CHECK(block.free() == cudaSuccess);
    CHECK(cudaFree(memory) == cudaErrorInvalidValue);
    CHECK(cudaFreeHost(memory) == cudaErrorInvalidValue);
    cudaGetLastError();
    CollectRefusals refusals;
    void* none = nullptr;
    cudaPointerAttributes attributes;
    cudaMalloc(&none, 0);
    cudaPointerGetAttributes(&attributes, memory);
    CHECK(refusals.take() == Texts{"cudaMalloc: no bytes were asked for",
                                   "cudaPointerGetAttributes: the memory of the device was freed"});
  });
}

TEST_CASE("streams that would wait for the default stream are an error") {
  on_gpu(0, [] {
    CollectRefusals refusals;
    cudaStream_t stream = nullptr;
    cudaStreamCreateWithFlags(&stream, cudaStreamDefault);
    CHECK_THAT(only(refusals.take()), Contains("would wait for the default stream"));
  });
}

TEST_CASE("roads lead to neighbours only", "[.child]") {
  int possible = -1;
  CHECK(cudaDeviceCanAccessPeer(&possible, 0, 1) == cudaSuccess);
  CHECK(possible == 1);
  CHECK(cudaDeviceCanAccessPeer(&possible, 0, 2) == cudaSuccess);
  CHECK(possible == 0);
  on_gpu(0, [] {
    CHECK(cudaDeviceEnablePeerAccess(1, 0) == cudaSuccess);
    CHECK(cudaDeviceEnablePeerAccess(1, 0) == cudaErrorPeerAccessAlreadyEnabled);
    CHECK(cudaDeviceEnablePeerAccess(2, 0) == cudaErrorInvalidDevice);
    CHECK(cudaDeviceEnablePeerAccess(0, 0) == cudaErrorInvalidDevice);
  });
}

TEST_CASE("of three GPUs two pairs have peer access") {
  const auto child = test::run_child("roads lead to neighbours only", "TD_STAND_IN_GPUS=3");
  INFO(child.output);
  CHECK(child.exit_code == 0);
}

TEST_CASE("a runtime that unloads returns the same code from every call") {
  on_gpu(0, [] {
    const cudaEvent_t event = new_event();
    cuda_stand_in::unload(true);
    CHECK(cudaEventQuery(event) == cudaErrorCudartUnloading);
    CHECK(cudaSetDevice(0) == cudaErrorCudartUnloading);
    CHECK(queue(nullptr, "op", {}) == cudaErrorCudartUnloading);
    cuda_stand_in::unload(false);
    CHECK(cudaGetLastError() == cudaErrorCudartUnloading);
    CHECK(cudaEventQuery(event) == cudaSuccess);
  });
}

TEST_CASE("a forked child cannot use CUDA after its parent") {
  on_gpu(0, [] {
    queue(nullptr, "op", {});
    const pid_t child = fork();
    if (child == 0) _exit(cudaDeviceSynchronize() == cudaErrorInitializationError ? 0 : 1);
    int status = -1;
    CHECK(waitpid(child, &status, 0) == child);
    CHECK(status == 0);
    CHECK(cudaDeviceSynchronize() == cudaSuccess);
  });
}

TEST_CASE("a refusal ends the process with the seed", "[.child]") { cudaStreamQuery(nullptr); }

TEST_CASE("a refusal is printed on stderr") {
  const auto child =
      test::run_child("a refusal ends the process with the seed", "TD_STAND_IN_SEED=7");
  CHECK(child.exit_code != 0);
  CHECK_THAT(child.output, Contains("The stand-in for CUDA refuses cudaStreamQuery: this thread "
                                    "has chosen no device, so CUDA would make a context on 0 "
                                    "(TD_STAND_IN_SEED=7)"));
}

}  // namespace

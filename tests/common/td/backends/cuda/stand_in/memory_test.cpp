// Memory of the stand-in: two addresses, guard pages, and copies that are as late as CUDA allows.
#include <chrono>
#include <cstring>
#include <set>

#include "raw.h"

using namespace raw;
using Catch::Contains;
using cuda_stand_in::device_view;

namespace {

TEST_CASE("fresh memory is aligned and holds NaN") {
  on_gpu(0, [] {
    const Block block(1000);
    CHECK(reinterpret_cast<std::uintptr_t>(block.data()) % 512 == 0);
    const auto* const bytes = reinterpret_cast<unsigned char*>(device_view(block.data()));
    CHECK(std::set<unsigned char>(bytes, bytes + 1000) == std::set<unsigned char>{0xFF});
    CHECK(device_view(block.data() + 10) == device_view(block.data()) + 10);
    char host = 0;
    CHECK(device_view(&host) == &host);
  });
}

TEST_CASE("a freed address is not used again soon") {
  on_gpu(0, [] {
    std::set<char*> seen;
    for (int i = 0; i < 1000; ++i) {
      const Block block(4096);
      seen.insert(block.data());
    }
    CHECK(seen.size() == 1000);
  });
}

TEST_CASE("a large block costs neither time nor memory", "[.child]") {
  on_gpu(0, [] {
    const auto begin = std::chrono::steady_clock::now();
    std::size_t free = 0, total = 0;
    {
      const Block block(std::size_t{3} << 30);
      CHECK(cudaMemGetInfo(&free, &total) == cudaSuccess);
      CHECK(total - free >= std::size_t{3} << 30);
      void* second = nullptr;
      CHECK(cudaMalloc(&second, std::size_t{3} << 30) == cudaErrorMemoryAllocation);
      CHECK(cudaGetLastError() == cudaErrorMemoryAllocation);
      const char* const view = device_view(block.data());
      for (const std::size_t at : {std::size_t{0}, (std::size_t{3} << 30) - 1})
        CHECK(view[at] == '\xFF');
    }
    CHECK(cudaMemGetInfo(&free, &total) == cudaSuccess);
    CHECK(free == total);
    CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(1));
  });
}

TEST_CASE("an allocation of gigabytes is quick") {
  const auto child = test::run_child("a large block costs neither time nor memory");
  INFO(child.output);
  CHECK(child.exit_code == 0);
}

TEST_CASE("child: the host writes to a block", "[.child]") {
  on_gpu(1, [] {
    const Block block;
    *static_cast<volatile char*>(block.data()) = 1;
  });
}
TEST_CASE("child: a kernel writes behind a block", "[.child]") {
  on_gpu(0, [] {
    const Block block, next;
    *static_cast<volatile char*>(device_view(block.data()) + 512) = 1;
  });
}
TEST_CASE("child: a kernel reads a freed block", "[.child]") {
  on_gpu(0, [] {
    Block block;
    const volatile char* const view = device_view(block.data());
    block.free();
    static_cast<void>(*view);
  });
}

TEST_CASE("forbidden accesses to device memory end the process") {
  const auto run = [](const char* name) { return test::run_child(std::string("child: ") + name); };
  const auto host = run("the host writes to a block");
  CHECK(host.exit_code != 0);
  CHECK_THAT(host.output, Contains("The host accessed memory of cuda:1 at 0x"));
  CHECK_THAT(host.output, Contains("SIGSEGV"));  // Catch's own handler comes after
  for (const char* name : {"a kernel writes behind a block", "a kernel reads a freed block"}) {
    const auto child = run(name);
    CHECK(child.exit_code != 0);
    CHECK_THAT(child.output, Contains("SIGSEGV"));
  }
}

/// Copies to the device while its stream is held, and changes the source before the copy runs.
char value_after_change(bool pageable_access) {
  const cudaStream_t stream = new_stream();
  const Block block(1);
  char source = 1, result = 0;
  cuda_stand_in::set_pageable_memory_access(pageable_access);
  cuda_stand_in::hold(0, stream);
  CHECK(cudaMemcpyAsync(block.data(), &source, 1, cudaMemcpyDefault, stream) == cudaSuccess);
  source = 2;
  cuda_stand_in::let_go(0, stream);
  cuda_stand_in::set_pageable_memory_access(false);
  CHECK(cudaMemcpyAsync(&result, block.data(), 1, cudaMemcpyDefault, stream) == cudaSuccess);
  CHECK(cudaStreamSynchronize(stream) == cudaSuccess);
  return result;
}

TEST_CASE("the call reads pageable memory, or the device does later where it has access") {
  on_gpu(0, [] {
    CHECK(value_after_change(false) == 1);
    CHECK(value_after_change(true) == 2);
  });
}

TEST_CASE("pageable memory is written when the stream reaches the copy") {
  on_gpu(0, [] {
    const cudaStream_t stream = new_stream();
    const Block block(1);
    char result = 0;
    cuda_stand_in::hold(0, stream);
    CHECK(cudaMemcpyAsync(&result, block.data(), 1, cudaMemcpyDefault, stream) == cudaSuccess);
    CHECK(result == 0);
    cuda_stand_in::let_go(0, stream);
    CHECK(cudaStreamSynchronize(stream) == cudaSuccess);
    CHECK(result == '\xFF');
  });
}

TEST_CASE("pinned memory knows its device, and where it ends") {
  on_gpu(1, [] {
    void* pinned = nullptr;
    cudaPointerAttributes attributes;
    REQUIRE(cudaHostAlloc(&pinned, 100, cudaHostAllocPortable) == cudaSuccess);
    CHECK(cuda_stand_in::pinned_on(static_cast<char*>(pinned) + 99) == 1);
    CHECK(cudaPointerGetAttributes(&attributes, pinned) == cudaSuccess);
    CHECK(attributes.type == cudaMemoryTypeHost);
    CHECK(cudaFreeHost(pinned) == cudaSuccess);
    CHECK(cuda_stand_in::pinned_on(pinned) == -1);
    CHECK(cudaFreeHost(pinned) == cudaErrorInvalidValue);
    cudaGetLastError();
  });
}

}  // namespace

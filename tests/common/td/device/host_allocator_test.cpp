// The cpu's allocator: reuse, statistics, threads, and sizes that no machine has.
#include <cstdint>
#include <cstring>
#include <limits>
#include <thread>
#include <utility>
#include <vector>

#include "catch.h"
#include "td/base/error.h"
#include "td/device/allocator.h"

using namespace td;

TEST_CASE("host blocks are aligned, distinct and writable") {
  Allocator& host = allocator(kCPU);
  std::vector<std::pair<char*, std::size_t>> blocks;
  std::vector<std::size_t> sizes;
  for (std::size_t n = 1; n < (std::size_t{9} << 20); n += n / 3 + 1)
    for (std::size_t size : {n, n + 1}) sizes.push_back(size);
  for (std::size_t size : sizes) {
    char* block = static_cast<char*>(host.allocate(size));
    CHECK(reinterpret_cast<std::uintptr_t>(block) % 64 == 0);
    std::memset(block, static_cast<int>(blocks.size() % 251), size);
    blocks.push_back({block, size});
  }
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const auto [block, size] = blocks[i];
    const char expected = static_cast<char>(i % 251);
    CHECK(block[0] == expected);
    CHECK(block[size / 2] == expected);
    CHECK(block[size - 1] == expected);
    host.release(block, size);
  }
  CHECK(host.allocate(0) == nullptr);
  host.release(nullptr, 0);
}

TEST_CASE("a released host block is returned to the next request of its size") {
  Allocator& host = allocator(kCPU);
  for (std::size_t size :
       {std::size_t{4}, std::size_t{5000}, std::size_t{100} << 10, std::size_t{6} << 20}) {
    void* block = host.allocate(size);
    host.release(block, size);
    const auto before = host.stats();
    for (int i = 0; i < 100; ++i) {
      void* again = host.allocate(size);
      CHECK(again == block);
      host.release(again, size);
    }
    CHECK(host.stats().device_allocations == before.device_allocations);
    CHECK(host.stats().allocations == before.allocations + 100);
  }
}

TEST_CASE("host statistics count the blocks in use") {
  Allocator& host = allocator(kCPU);
  host.reset_peak();
  const MemoryStats before = memory_stats(kCPU);
  CHECK(before.peak_allocated == before.allocated);
  void* small = host.allocate(1000);
  void* large = host.allocate(std::size_t{4} << 20);
  const MemoryStats during = host.stats();
  CHECK(during.allocated == before.allocated + 1024 + (std::size_t{4} << 20));
  CHECK(during.reserved >= during.allocated);
  host.release(large, std::size_t{4} << 20);
  host.release(small, 1000);
  CHECK(host.stats().allocated == before.allocated);
  CHECK(host.stats().peak_allocated == during.allocated);
  CHECK(host.stats().largest_free >= std::size_t{4} << 20);
  empty_cache();
  CHECK(host.stats().reserved < during.reserved);
}

TEST_CASE("a size beyond the machine's memory is a clear error") {
  Allocator& host = allocator(kCPU);
  CHECK_THROWS_WITH(
      host.allocate(std::size_t{10} << 40),
      Catch::StartsWith("cpu is out of memory: tried to allocate 10.0 TiB; the machine "
                        "has ") &&
          Catch::EndsWith("free tensors you no longer need."));
  for (std::size_t size :
       {std::numeric_limits<std::size_t>::max(), std::size_t{1} << 63, (std::size_t{1} << 47) + 1})
    CHECK_THROWS_AS(host.allocate(size), OutOfMemoryError);
}

namespace {

/// Allocates and releases in a scrambled order; false when two threads had the same block.
bool scramble(unsigned seed, int rounds) {
  Allocator& host = allocator(kCPU);
  std::vector<std::pair<unsigned char*, std::size_t>> live;
  const auto mark = static_cast<unsigned char>(seed);
  bool intact = true;
  const auto drop = [&](std::size_t i) {
    const auto [block, size] = live[i];
    intact = intact && block[0] == mark && block[size - 1] == mark;
    host.release(block, size);
    live[i] = live.back();
    live.pop_back();
  };
  for (int i = 0; i < rounds; ++i) {
    seed = seed * 1664525 + 1013904223;
    const std::size_t size = 1 + (seed >> 8) % (i % 50 ? 9000 : 300000);
    auto* block = static_cast<unsigned char*>(host.allocate(size));
    block[0] = block[size - 1] = mark;
    live.push_back({block, size});
    if (live.size() > 60) drop(seed % 60);
  }
  while (!live.empty()) drop(live.size() - 1);
  return intact;
}

}  // namespace

TEST_CASE("threads allocate host memory concurrently") {
  const std::size_t before = memory_stats(kCPU).allocated;
  std::vector<int> intact(6);
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < 6; ++i)
    threads.emplace_back([&intact, i] { intact[i] = scramble(i + 1, 3000); });
  for (std::thread& thread : threads) thread.join();
  for (int ok : intact) CHECK(ok);
  CHECK(memory_stats(kCPU).allocated == before);
}

TEST_CASE("a block may be released by another thread, without hoarding") {
  Allocator& host = allocator(kCPU);
  const std::size_t live = host.stats().allocated;
  std::size_t reserved = 0;
  for (int round = 0; round < 40; ++round) {
    std::vector<void*> blocks(500);
    for (void*& block : blocks) block = host.allocate(256);
    std::thread([&] {
      for (void* block : blocks) host.release(block, 256);
    }).join();
    if (round == 4) reserved = host.stats().reserved;
  }
  CHECK(host.stats().allocated == live);
  CHECK(host.stats().reserved == reserved);  // blocks that other threads freed are reused
}

// Device memory of sim: the caching allocator's reuse, streams, statistics, out of memory.
#include <cstdint>
#include <limits>
#include <thread>

#include "catch.h"
#include "sim_work.h"
#include "td/base/error.h"

using namespace td;
using test::Gate;
using test::launch;

namespace {

constexpr std::size_t kMiB = std::size_t{1} << 20;

/// An allocator with nothing cached, and the given capacity until the end of the scope.
struct Fresh {
  explicit Fresh(std::size_t capacity = std::size_t{1} << 30) : before(sim::capacity()) {
    empty_cache();
    sim::set_capacity(capacity);
  }
  ~Fresh() {
    sim::set_capacity(before);
    empty_cache();
  }
  std::size_t before;
  const Device device = Device("sim:1");
  Allocator& memory = allocator(device);
};

}  // namespace

TEST_CASE("a released block serves the same stream immediately, and no other stream") {
  Fresh fresh;
  void* block = fresh.memory.allocate(1000);
  CHECK(reinterpret_cast<std::uintptr_t>(block) % 512 == 0);
  Gate gate;
  gate.hold(getDefaultStream(fresh.device));  // work on it is still queued
  fresh.memory.release(block, 1000);
  {
    const StreamGuard guard(getStreamFromPool(fresh.device));
    void* elsewhere = fresh.memory.allocate(1000);
    CHECK(elsewhere != block);
    fresh.memory.release(elsewhere, 1000);
  }
  void* again = fresh.memory.allocate(900);
  CHECK(again == block);
  fresh.memory.release(again, 900);
  CHECK(fresh.memory.allocate(0) == nullptr);
}

TEST_CASE("blocks are cut from segments and joined again") {
  Fresh fresh;
  std::vector<void*> blocks;
  for (int i = 0; i < 2048; ++i) blocks.push_back(fresh.memory.allocate(1024));
  CHECK(fresh.memory.stats().reserved == 2 * kMiB);
  CHECK(fresh.memory.stats().allocated == 2 * kMiB);
  for (std::size_t i = 0; i < blocks.size(); i += 2) fresh.memory.release(blocks[i], 1024);
  CHECK(fresh.memory.stats().largest_free == 1024);
  for (std::size_t i = 1; i < blocks.size(); i += 2) fresh.memory.release(blocks[i], 1024);
  CHECK(fresh.memory.stats().largest_free == 2 * kMiB);
  CHECK(fresh.memory.stats().allocated == 0);

  void* medium = fresh.memory.allocate(3 * kMiB);
  CHECK(fresh.memory.stats().reserved == 22 * kMiB);
  void* large = fresh.memory.allocate(15 * kMiB);  // the rest of the 20 MiB segment is enough
  CHECK(fresh.memory.stats().reserved == 22 * kMiB);
  void* own = fresh.memory.allocate(25 * kMiB - 5);
  CHECK(fresh.memory.stats().reserved == 48 * kMiB);
  fresh.memory.release(medium, 3 * kMiB);
  fresh.memory.release(large, 15 * kMiB);
  fresh.memory.release(own, 25 * kMiB - 5);
  empty_cache();
  CHECK(fresh.memory.stats().reserved == 0);
  CHECK(fresh.memory.stats().peak_allocated >= 43 * kMiB - 512);
  fresh.memory.reset_peak();
  CHECK(fresh.memory.stats().peak_allocated == 0);
}

TEST_CASE("the size of a request decides the size of its segment") {
  const auto segment_of = [](std::size_t bytes) {
    Fresh fresh;
    void* block = fresh.memory.allocate(bytes);
    const std::size_t reserved = fresh.memory.stats().reserved;
    fresh.memory.release(block, bytes);
    return reserved;
  };
  CHECK(segment_of(1) == 2 * kMiB);
  CHECK(segment_of(kMiB) == 2 * kMiB);
  CHECK(segment_of(kMiB + 1) == 20 * kMiB);
  CHECK(segment_of(10 * kMiB - 512) == 20 * kMiB);
  CHECK(segment_of(10 * kMiB) == 10 * kMiB);
  CHECK(segment_of(11 * kMiB) == 12 * kMiB);
}

TEST_CASE("record_stream keeps a block from reuse until that stream has finished") {
  Fresh fresh;
  const Stream side = getStreamFromPool(fresh.device);
  void* block = fresh.memory.allocate(5000);
  Gate gate;
  gate.hold(side);
  fresh.memory.record_stream(block, side);
  fresh.memory.release(block, 5000);
  void* other = fresh.memory.allocate(5000);
  CHECK(other != block);
  fresh.memory.release(other, 5000);
  gate.open();
  side.synchronize();
  void* first = fresh.memory.allocate(5000);
  void* second = fresh.memory.allocate(5000);
  CHECK((first == block || second == block));
  fresh.memory.release(first, 5000);
  fresh.memory.release(second, 5000);
  // Its own stream needs no event.
  void* own = fresh.memory.allocate(5000);
  fresh.memory.record_stream(own, getDefaultStream(fresh.device));
  fresh.memory.release(own, 5000);
  CHECK(fresh.memory.allocate(5000) == own);
  fresh.memory.release(own, 5000);
}

TEST_CASE("an out-of-memory error says where the memory is, after emptying the cache") {
  Fresh fresh(64 * kMiB);
  void* live = fresh.memory.allocate(40 * kMiB);
  void* cached = fresh.memory.allocate(20 * kMiB);
  fresh.memory.release(cached, 20 * kMiB);
  void* reshaped = fresh.memory.allocate(22 * kMiB);  // fits only where the cached segment was
  fresh.memory.release(reshaped, 22 * kMiB);
  void* small = fresh.memory.allocate(100);
  CHECK_THROWS_WITH(
      fresh.memory.allocate(30 * kMiB),
      "sim:1 is out of memory: tried to allocate 30.0 MiB; 64.0 MiB in all, 40.0 MiB in live "
      "tensors, 2.00 MiB cached but in pieces of at most 2.00 MiB. Use a smaller batch, or free "
      "tensors you no longer need, or give the device more with TD_SIM_MEMORY=8GiB.");
  fresh.memory.release(live, 40 * kMiB);
  void* now = fresh.memory.allocate(60 * kMiB);
  CHECK(now != nullptr);
  fresh.memory.release(now, 60 * kMiB);
  fresh.memory.release(small, 100);
  for (std::size_t size :
       {std::numeric_limits<std::size_t>::max(), std::size_t{1} << 62, std::size_t{1} << 46})
    CHECK_THROWS_AS(fresh.memory.allocate(size), OutOfMemoryError);
}

TEST_CASE("an allocation waits for memory of another stream before it fails") {
  Fresh fresh(64 * kMiB);
  const Stream side = getStreamFromPool(fresh.device);
  void* block = fresh.memory.allocate(40 * kMiB);
  Gate gate;
  gate.hold(side);
  fresh.memory.record_stream(block, side);
  fresh.memory.release(block, 40 * kMiB);
  std::thread opener([&gate] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    gate.open();
  });
  void* again = fresh.memory.allocate(50 * kMiB);
  opener.join();
  CHECK(again != nullptr);
  fresh.memory.release(again, 50 * kMiB);
}

TEST_CASE("threads allocate device memory concurrently") {
  Fresh fresh;
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < 4; ++t)
    threads.emplace_back([&fresh, t] {
      const StreamGuard guard(getStreamFromPool(fresh.device));
      std::vector<std::pair<void*, std::size_t>> live;
      unsigned seed = t + 1;
      for (int i = 0; i < 2000; ++i) {
        seed = seed * 1664525 + 1013904223;
        const std::size_t size = 1 + (seed >> 8) % (i % 20 ? 5000 : 2000000);
        live.push_back({fresh.memory.allocate(size), size});
        if (live.size() < 20) continue;
        fresh.memory.release(live[seed % 20].first, live[seed % 20].second);
        live[seed % 20] = live.back();
        live.pop_back();
      }
      for (auto& block : live) fresh.memory.release(block.first, block.second);
    });
  for (std::thread& thread : threads) thread.join();
  CHECK(fresh.memory.stats().allocated == 0);
  empty_cache();
  CHECK(fresh.memory.stats().reserved == 0);  // every block joined its neighbours again
}

TEST_CASE("pinned memory is reused when the copies that read it are done") {
  Allocator& pinned = pinned_allocator(kSIM);
  const Stream stream = getStreamFromPool("sim:1");
  void* block = pinned.allocate(3000);
  CHECK(is_pinned_memory(block));
  Gate gate;
  gate.hold(stream);
  pinned.record_stream(block, stream);
  pinned.release(block, 3000);
  void* other = pinned.allocate(3000);
  CHECK(other != block);
  pinned.release(other, 3000);
  CHECK(pinned.allocate(4000) == other);  // the same power of two
  gate.open();
  stream.synchronize();
  void* again = pinned.allocate(3000);
  CHECK(again == block);
  pinned.release(again, 3000);
  pinned.release(other, 4000);
  CHECK(pinned.stats().allocated == 0);
  empty_cache();
  CHECK(pinned.stats().reserved == 0);
  CHECK_FALSE(is_pinned_memory(block));
  CHECK_THROWS_AS(pinned.allocate(std::size_t{1} << 60), OutOfMemoryError);
  CHECK_THROWS_WITH(pinned_allocator(kCPU),
                    "memory is pinned for an accelerator, and cpu is none; ask for sim or cuda.");
}

// What the device layer takes from base: amounts of memory as text, and parallel loops.
#include <atomic>
#include <stdexcept>
#include <vector>

#include "catch.h"
#include "td/base/error.h"
#include "td/base/host_memory.h"
#include "td/base/parallel.h"

using namespace td;

TEST_CASE("amounts of memory print with three digits") {
  CHECK(format_bytes(0) == "0 bytes");
  CHECK(format_bytes(1) == "1 byte");
  CHECK(format_bytes(1023) == "1023 bytes");
  CHECK(format_bytes(1024) == "1.00 KiB");
  CHECK(format_bytes(20 << 20) == "20.0 MiB");
  CHECK(format_bytes(1057648576) == "0.985 GiB");
  CHECK(format_bytes((std::size_t{1} << 20) - 1) == "1.00 MiB");
  CHECK(format_bytes(std::size_t{100} << 30) == "100 GiB");
  CHECK(format_bytes(~std::size_t{0}) == "16.0 EiB");
}

TEST_CASE("parallel_for sees every index once") {
  for (std::int64_t n : {0, 1, 31, 33, 1023, 100000}) {
    std::vector<int> seen(static_cast<std::size_t>(n) + 5);
    parallel_for(5, n + 5, 100, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) ++seen[static_cast<std::size_t>(i)];
    });
    for (std::int64_t i = 0; i < n + 5; ++i) CHECK(seen[static_cast<std::size_t>(i)] == (i >= 5));
  }
}

TEST_CASE("parallel_for uses no more threads than set, and passes errors on") {
  const int width = parallel_width();
  set_parallel_width(3);
  CHECK(parallel_width() == 3);
  std::atomic<int> ranges{0};
  parallel_for(0, 1000, 10, [&](std::int64_t, std::int64_t) { ++ranges; });
  CHECK(ranges <= 3);
  CHECK(ranges >= 1);
  CHECK_THROWS_AS(parallel_for(0, 1000, 10,
                               [](std::int64_t, std::int64_t end) {
                                 if (end == 1000) throw ShapeError("in the body");
                               }),
                  ShapeError);
  set_parallel_width(1);
  ranges = 0;
  parallel_for(0, 1000, 10, [&](std::int64_t, std::int64_t) { ++ranges; });
  CHECK(ranges == 1);
  set_parallel_width(width);
}

TEST_CASE("objects are reused by the thread that released them") {
  void* block = allocate_object(100);
  release_object(block, 100);
  CHECK(allocate_object(128) == block);  // the same class of 64-byte steps
  release_object(block, 128);
  void* large = allocate_object(5000);
  release_object(large, 5000);
  release_object(nullptr, 100);
}

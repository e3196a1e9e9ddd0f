// The backend contract on a real GPU: memory, copies, streams, events, and a full memory.
#include <numeric>

#include "catch.h"
#include "gpu.h"
#include "td/base/error.h"

namespace td {
namespace {

TEST_CASE("bytes survive the way to the GPU and back, from pageable and pinned memory") {
  for (const std::size_t size : {1u, 31u, 33u, 1023u, 3000000u}) {
    std::vector<int> values(size);
    std::iota(values.begin(), values.end(), 7);
    const gpu::Array<int> array(values);
    CHECK(array.host() == values);

    const std::size_t bytes = size * sizeof(int);
    auto* const pinned = static_cast<int*>(pinned_allocator(kCUDA).allocate(bytes));
    REQUIRE(is_pinned_memory(pinned));
    std::copy(values.rbegin(), values.rend(), pinned);
    Backend& cuda = backend(kCUDA);
    cuda.copy(array.data(), gpu::device(), pinned, Device(kCPU), bytes, 0, gpu::stream());
    CHECK(array.host() == std::vector<int>(values.rbegin(), values.rend()));
    cuda.copy(pinned, Device(kCPU), array.data(), gpu::device(), bytes, 0, gpu::stream());
    cuda.synchronize(0, gpu::stream(), false);
    CHECK(std::vector<int>(pinned, pinned + size) == array.host());
    pinned_allocator(kCUDA).release(pinned, bytes);
  }
}

TEST_CASE("an event orders a second stream after the first, and measures time") {
  constexpr std::size_t kSize = 1 << 24;
  const std::vector<int> values(kSize, 41);
  const gpu::Array<int> from(values), middle(std::vector<int>(kSize, 0)), to(kSize);
  synchronize(gpu::device());
  const Stream first = getStreamFromPool(gpu::device()), second = getStreamFromPool(gpu::device());
  REQUIRE_FALSE(first == second);
  Event begin(kCUDA, EventFlag::kTiming), end(kCUDA, EventFlag::kTiming);
  Backend& cuda = backend(kCUDA);
  const auto copy = [&](const gpu::Array<int>& a, const gpu::Array<int>& b, const Stream& stream) {
    cuda.copy(b.data(), gpu::device(), a.data(), gpu::device(), kSize * sizeof(int), 0,
              stream.native());
  };
  begin.record(first);
  for (int i = 0; i < 20; ++i) copy(from, middle, first);
  end.record(first);
  second.wait(first);
  copy(middle, to, second);
  second.synchronize();
  CHECK(second.query());
  CHECK(end.query());
  CHECK(begin.elapsed_time(end) > 0);
  CHECK(to.host() == values);
}

TEST_CASE("a full GPU is told in words, and works on") {
  const auto name = backend(kCUDA).name(0);
  CHECK_FALSE(name.empty());
  CHECK_THROWS_WITH(allocator(gpu::device()).allocate(std::size_t{10} << 40),
                    Catch::StartsWith("cuda:0 is out of memory: tried to allocate 10.0 TiB"));
  const std::vector<float> values(100, 2.5f);
  CHECK(gpu::Array<float>(values).host() == values);
}

}  // namespace
}  // namespace td

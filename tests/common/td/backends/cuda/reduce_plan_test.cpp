// How reductions are spread over a GPU: enough blocks, no launch beyond CUDA's limits, and every
// element combined exactly once. Runs without a GPU.
#include "td/kernels/reduce_plan.h"

#include <vector>

#include "catch.h"
#include "td/ops/ops.h"

namespace td {
namespace {

std::int64_t blocks(const ReducePlan& p) { return p.tiles() * p.pieces; }

ReducePlan plan_of(const Tensor& x, DimSet dims) { return plan_blocks(plan_reduce(x, dims)); }

TEST_CASE("reductions of a network's shapes fill a GPU of 132 multiprocessors") {
  const auto rows = [](std::int64_t results, std::int64_t count) {
    return plan_blocks(results, count, 1);
  };
  const auto columns = [](std::int64_t results, std::int64_t count) {
    return plan_blocks(results, count, results);
  };
  CHECK(blocks(columns(768, 8192)) >= 264);   // the gradient of a bias
  CHECK(blocks(columns(64, 131072)) >= 264);  // channels last
  CHECK(blocks(rows(64, 131072)) >= 264);     // channels first
  CHECK(blocks(rows(1, 1 << 24)) >= 264);
  CHECK(blocks(columns(10, 1 << 20)) >= 264);
  CHECK(blocks(rows(8192, 768)) >= 264);
  // Where splitting would leave a block next to nothing, one launch is quicker.
  CHECK(rows(1, 4096).pieces == 1);
  CHECK(columns(768, 128).pieces == 1);
  CHECK(rows(8192, 768).pieces == 1);
}

TEST_CASE("a plan depends on which direction is contiguous") {
  const Tensor x = empty({256, 512}), image = empty({8, 64, 16, 16});
  CHECK(plan_of(x, 1).columns);
  CHECK_FALSE(plan_of(x, 2).columns);
  CHECK_FALSE(plan_of(x.t(), 1).columns);
  CHECK_FALSE(plan_of(image, 0b1101).columns);
  CHECK(plan_of(image.to(MemoryFormat::ChannelsLast), 0b1101).columns);
  CHECK(plan_of(x, 1).width >= 32);  // whole lines of memory
}

TEST_CASE("no plan goes beyond the limits of a launch") {
  const std::int64_t large[] = {1,
                                2,
                                3,
                                65535,
                                65536,
                                1 << 20,
                                std::int64_t(1) << 31,
                                (std::int64_t(1) << 31) + 1,
                                std::int64_t(1) << 36};
  for (const std::int64_t results : large)
    for (const std::int64_t count : large)
      for (const std::int64_t neighbours : {std::int64_t(1), std::int64_t(4), results}) {
        const ReducePlan first = plan_blocks(results, count, neighbours);
        for (const ReducePlan& p : {first, plan_join(first)}) {
          INFO(p.results << " results of " << p.count << ", " << p.members << " members");
          CHECK(p.tiles() <= 0x7fffffff);
          CHECK((p.pieces >= 1 && p.pieces <= 65535));
          CHECK(p.members * p.width == kReduceThreads);
          CHECK(p.tiles() * p.width >= p.results);
        }
      }
}

TEST_CASE("every element is in exactly one piece, and no piece is empty") {
  std::vector<std::int64_t> counts = {0, 1, 7, 8, 9, 255, 256, 257, 8191, 8192, 1 << 20};
  for (std::int64_t n = 10000; n < 20000000; n = n * 3 / 2 + 1) counts.push_back(n);
  for (const std::int64_t count : counts)
    for (const std::int64_t results : {1, 2, 10, 32, 33, 768, 5000})
      for (const std::int64_t neighbours : {std::int64_t(1), results}) {
        const ReducePlan p = plan_blocks(results, count, neighbours);
        INFO(results << " results of " << count << " in " << p.pieces << " of " << p.length);
        CHECK(p.pieces * p.length >= count);
        CHECK((p.pieces == 1 || (p.pieces - 1) * p.length < count));
        const ReducePlan join = plan_join(p);
        CHECK(join.pieces == 1);
        CHECK(join.length == p.pieces);
      }
}

TEST_CASE("loops in the order of memory visit the same elements") {
  const Tensor image = empty({4, 6, 5, 7}).to(MemoryFormat::ChannelsLast);
  const auto places = [](const Loops& loops) {
    std::vector<std::int64_t> at;
    for (std::int64_t i = 0; i < loops.count; ++i) at.push_back(loops.offset(i));
    std::sort(at.begin(), at.end());
    return at;
  };
  for (const Tensor& x : {image, image.permute({2, 0, 3, 1}), image.narrow(2, 1, 3),
                          empty({3, 1}).expand({3, 5}), empty({})})
    for (DimSet dims = 0; dims < 16; ++dims) {
      const Loops loops = plan_reduce(x, dims).reduced;
      const Loops sorted = in_memory_order(loops);
      CHECK(sorted.count == loops.count);
      CHECK(places(sorted) == places(loops));
      CHECK(sorted.dims <= loops.dims);
    }
  const Loops all = in_memory_order(plan_reduce(image, 0b1111).reduced);
  CHECK(all.dims == 1);
  CHECK(all.strides[0] == 1);
}

}  // namespace
}  // namespace td

// How cuda's sort and its running sums split their work: host functions of sizes.
#include <vector>

#include "catch.h"
#include "td/kernels/launch_plans.h"

namespace td {
namespace {

TEST_CASE("every element is in one tile of a sort, and a tile holds whole rows or a part of one") {
  for (const std::int64_t rows : {1, 2, 3, 1000})
    for (const std::int64_t n : {1, 2, 3, 10, 1000, 1023, 1024, 1025, 2048, 5000}) {
      INFO(rows << " rows of " << n);
      const SortTiles tiles(rows, n);
      std::vector<int> seen(static_cast<std::size_t>(rows * n));
      int wrong = 0;
      for (std::int64_t t = 0; t < tiles.count; ++t) {
        const std::int64_t begin = tiles.begin(t), size = tiles.size(t), last = begin + size - 1;
        wrong += size < 1 || size > SortTiles::kMost || last >= rows * n;
        if (n <= SortTiles::kMost)
          wrong += begin % n != 0 || size % n != 0;
        else
          wrong += begin / n != last / n || begin % n % SortTiles::kMost != 0;
        for (std::int64_t i = begin; i <= last && i < rows * n; ++i)
          ++seen[static_cast<std::size_t>(i)];
      }
      CHECK(wrong == 0);
      CHECK(seen == std::vector<int>(seen.size(), 1));
    }
}

TEST_CASE("a scan gives a row a warp for each chunk, up to a block of them") {
  CHECK(scan_warps(1) == 1);
  CHECK(scan_warps(128) == 1);
  CHECK(scan_warps(129) == 2);
  CHECK(scan_warps(1000000000) == kScanWarps);
}

}  // namespace
}  // namespace td

// Results so large that they are written past the caches: every element must arrive, at any
// alignment of the first one and with any rest at the end.
#include "reference.h"
#include "td/base/stream_store.h"

using namespace td;
using namespace reference;

TEST_CASE("a result larger than the caches, from every alignment") {
  const auto n = static_cast<std::int64_t>(kStreamBytes / sizeof(float)) + 41;
  const Tensor x = arange(n, kFloat);  // integers below 2^24 are exact
  for (const std::int64_t first : {0, 1, 15}) {
    const Tensor room = zeros({n}, kFloat);
    room.narrow(0, first, n - first - 1).add_(x.narrow(0, first, n - first - 1));
    const float* got = room.data_ptr<float>();
    std::int64_t wrong = 0;
    for (std::int64_t i = 0; i < n; ++i)
      wrong += got[i] != (i < first || i == n - 1 ? 0.0f : static_cast<float>(i));
    CHECK(wrong == 0);
  }
}

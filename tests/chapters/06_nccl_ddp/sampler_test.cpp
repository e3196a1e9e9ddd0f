// Tests of indices_of_rank: PyTorch's results for small cases, the documented rule for many sizes.
#include <algorithm>
#include <sstream>

#include "exercises.h"
#include "ranks.h"

namespace {

using Indices = std::vector<std::size_t>;

Indices indices(std::size_t size, int world_size, int rank, bool drop_last = false) {
  Sampling sampling;
  sampling.world_size = world_size;
  sampling.rank = rank;
  sampling.shuffle = false;
  sampling.drop_last = drop_last;
  return indices_of_rank(size, sampling);
}

std::vector<Indices> shuffled(std::size_t size, int world_size, std::uint64_t seed,
                              std::uint64_t epoch) {
  Sampling sampling;
  sampling.world_size = world_size;
  sampling.seed = seed;
  sampling.epoch = epoch;
  std::vector<Indices> all;
  for (sampling.rank = 0; sampling.rank < world_size; ++sampling.rank)
    all.push_back(indices_of_rank(size, sampling));
  return all;
}

void expect_indices(const Indices& actual, const Indices& expected, const std::string& what) {
  const auto text = [](const Indices& list) {
    std::ostringstream out;
    for (std::size_t i : list) out << (out.tellp() > 0 ? " " : "") << i;
    return out.str();
  };
  check::expect(actual == expected,
                what + ": expected {" + text(expected) + "}, got {" + text(actual) + "}");
}

// The indices of all ranks in the order of the epoch.
Indices dealt(const std::vector<Indices>& ranks) {
  Indices all;
  for (std::size_t i = 0; i < ranks[0].size(); ++i)
    for (const Indices& mine : ranks) {
      check::expect(mine.size() == ranks[0].size(), "the ranks have unequal numbers of samples");
      all.push_back(mine[i]);
    }
  return all;
}

}  // namespace

TEST_CASE("10 samples on 4 ranks, as in the example", "[sampler]") {
  const std::vector<Indices> padded = {{0, 4, 8}, {1, 5, 9}, {2, 6, 0}, {3, 7, 1}};
  const std::vector<Indices> cut = {{0, 4}, {1, 5}, {2, 6}, {3, 7}};
  for (int r = 0; r < 4; ++r) {
    const std::string what = "10 samples, " + rank_name(r, 4);
    expect_indices(indices(10, 4, r), padded[static_cast<std::size_t>(r)], what);
    expect_indices(indices(10, 4, r, true), cut[static_cast<std::size_t>(r)], what + ", drop_last");
  }
}

TEST_CASE("fewer samples than ranks, and none at all", "[sampler]") {
  for (int r = 0; r < 7; ++r) {
    expect_indices(indices(1, 7, r), {0}, "1 sample, " + rank_name(r, 7));
    expect_indices(indices(3, 7, r), {static_cast<std::size_t>(r % 3)},
                   "3 samples, " + rank_name(r, 7));
    expect_indices(indices(3, 7, r, true), {}, "3 samples, drop_last, " + rank_name(r, 7));
    expect_indices(indices(0, 7, r), {}, "no samples, " + rank_name(r, 7));
  }
}

TEST_CASE("each rank takes every world_size-th sample, for all sizes", "[sampler]") {
  for (const int ranks : {1, 2, 3, 5})
    for (std::size_t size = 1; size < 40; ++size)
      for (int r = 0; r < ranks; ++r) {
        Indices padded, cut;
        const std::size_t n = static_cast<std::size_t>(ranks);
        for (std::size_t i = 0; i % n || i < size; ++i)
          if (i % n == static_cast<std::size_t>(r)) padded.push_back(i % size);
        for (std::size_t i = static_cast<std::size_t>(r); i < size - size % n; i += n)
          cut.push_back(i);
        const std::string what = std::to_string(size) + " samples, " + rank_name(r, ranks);
        expect_indices(indices(size, ranks, r), padded, what);
        expect_indices(indices(size, ranks, r, true), cut, what + ", drop_last");
      }
}

TEST_CASE("shuffled, all ranks together see every sample, and the first ones again", "[sampler]") {
  const Indices all = dealt(shuffled(1023, 4, 7, 0));
  check::expect(all.size() == 1024, "4 ranks have " + std::to_string(all.size()) +
                                        " of 1023 samples together; expected 1024");
  Indices sorted(all.begin(), all.begin() + 1023);
  std::sort(sorted.begin(), sorted.end());
  for (std::size_t i = 0; i < sorted.size(); ++i)
    check::expect(sorted[i] == i, "sample " + std::to_string(i) +
                                      " is not given by exactly one rank: do all ranks shuffle "
                                      "in the same way?");
  check::expect(all.back() == all.front(), "the sample that fills up is not the order's first one");
  Indices plain(1023);
  for (std::size_t i = 0; i < plain.size(); ++i) plain[i] = i;
  check::expect(!std::equal(plain.begin(), plain.end(), all.begin()),
                "shuffle = true gave the order 0, 1, 2, ...");
}

TEST_CASE("every epoch has its own order, and two calls give the same one", "[sampler]") {
  const Indices first = dealt(shuffled(1023, 2, 7, 0));
  check::expect(dealt(shuffled(1023, 2, 7, 1)) != first, "epoch 1 has the same order as epoch 0");
  check::expect(dealt(shuffled(1023, 2, 8, 0)) != first, "seed 8 gives the same order as seed 7");
  check::expect(dealt(shuffled(1023, 2, 7, 0)) == first,
                "the same seed and epoch gave another order");
}

TEST_CASE("the shuffle depends on seed + epoch only", "[sampler]") {
  const Indices order = dealt(shuffled(1024, 1, 7, 3));
  check::expect(dealt(shuffled(1024, 1, 8, 2)) == order,
                "seed 7 and epoch 3 give another order than seed 8 and epoch 2: the generator is "
                "seeded with seed + epoch");
  check::expect(dealt(shuffled(1024, 4, 7, 3)) == order,
                "4 ranks together see another order than 1 rank: the number of ranks must not "
                "change the shuffle");
  Sampling sampling;
  sampling.seed = 7;
  sampling.epoch = 3;
  sampling.world_size = 3;
  sampling.drop_last = true;
  std::vector<Indices> cut;
  for (sampling.rank = 0; sampling.rank < 3; ++sampling.rank)
    cut.push_back(indices_of_rank(1024, sampling));
  check::expect(dealt(cut) == Indices(order.begin(), order.begin() + 1023),
                "with drop_last the ranks do not get the beginning of the same order");
}

TEST_CASE("a call does not depend on the calls before it", "[sampler]") {
  Sampling sampling;
  sampling.seed = 5;
  const Indices order = indices_of_rank(100, sampling);
  sampling.shuffle = false;
  Indices plain(100);
  for (std::size_t i = 0; i < plain.size(); ++i) plain[i] = i;
  expect_indices(indices_of_rank(100, sampling), plain,
                 "100 samples without shuffle, after a call with shuffle and the same seed");
  sampling.shuffle = true;
  check::expect(indices_of_rank(100, sampling) == order,
                "100 samples with shuffle, after a call without it and the same seed: expected "
                "the shuffled order again");
}

TEST_CASE("samples that were neighbors are not neighbors after the shuffle", "[sampler]") {
  const Indices order = dealt(shuffled(1000, 1, 3, 0));
  int neighbors = 0;  // a random order has about two such pairs
  for (std::size_t i = 0; i + 1 < order.size(); ++i)
    neighbors += order[i + 1] == order[i] + 1 || order[i] == order[i + 1] + 1;
  check::expect(neighbors < 100, std::to_string(neighbors) +
                                     " of 1000 samples come next to their neighbor: the order is "
                                     "moved or cut, but not shuffled");
}

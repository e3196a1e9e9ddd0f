// DistributedSampler against what PyTorch 1.13 gives for the same arguments.
#include <map>

#include "ranks.h"

using namespace ranks;
using Items = std::vector<std::size_t>;
using SamplerOptions = DistributedSamplerOptions;

namespace {

Items all_of(DistributedSampler& sampler, std::size_t batch = 2) {
  Items all;
  while (const auto items = sampler.next(batch))
    all.insert(all.end(), items->begin(), items->end());
  return all;
}

std::vector<Items> shares(std::size_t n, int ranks, const SamplerOptions& options,
                          std::uint64_t epoch = 0) {
  std::vector<Items> all;
  for (int rank = 0; rank < ranks; ++rank) {
    DistributedSampler sampler(n, SamplerOptions(options).num_replicas(ranks).rank(rank));
    sampler.set_epoch(epoch);
    sampler.reset();
    all.push_back(all_of(sampler));
    CHECK(all.back().size() == sampler.size());
  }
  return all;
}

// A dataset whose examples are their own numbers.
struct Numbers : data::datasets::Dataset<Numbers, data::Example<>> {
  data::Example<> get(std::size_t index) override {
    return {full({1}, static_cast<double>(index)), zeros({1})};
  }
  optional<std::size_t> size() const override { return 10; }
};

}  // namespace

TEST_CASE("indices are interleaved, padded from the front or without the last ones") {
  const auto plain = SamplerOptions().shuffle(false);
  const auto dropping = SamplerOptions().shuffle(false).drop_last(true);
  CHECK(shares(10, 4, plain) == std::vector<Items>{{0, 4, 8}, {1, 5, 9}, {2, 6, 0}, {3, 7, 1}});
  CHECK(shares(10, 4, dropping) == std::vector<Items>{{0, 4}, {1, 5}, {2, 6}, {3, 7}});
  CHECK(shares(3, 4, plain) == std::vector<Items>{{0}, {1}, {2}, {0}});
  CHECK(shares(3, 4, dropping) == std::vector<Items>(4));
  CHECK(shares(1, 4, plain) == std::vector<Items>(4, {0}));
  CHECK(shares(0, 4, plain) == std::vector<Items>(4));
  CHECK(shares(8, 4, dropping) == shares(8, 4, plain));
}

TEST_CASE("the orders are PyTorch's, by seed and epoch") {
  CHECK(shares(10, 4, {}, 0) == std::vector<Items>{{4, 3, 6}, {1, 9, 2}, {7, 0, 4}, {5, 8, 1}});
  CHECK(shares(10, 4, {}, 1) == std::vector<Items>{{5, 0, 7}, {6, 8, 4}, {1, 9, 5}, {2, 3, 6}});
  CHECK(shares(10, 4, SamplerOptions().seed(1), 0) == shares(10, 4, {}, 1));
}

TEST_CASE("every item is returned, and padding() counts the items returned twice") {
  for (const std::size_t n : {1, 2, 3, 31, 33, 64})
    for (const int ranks : {1, 2, 3, 4}) {
      INFO(n << " items, " << ranks << " ranks");
      std::map<std::size_t, int> seen;
      std::size_t padding = 0;
      for (int rank = 0; rank < ranks; ++rank) {
        DistributedSampler sampler(n, SamplerOptions().num_replicas(ranks).rank(rank));
        const Items items = all_of(sampler, 7);
        for (std::size_t i = 0; i + sampler.padding() < items.size(); ++i) ++seen[items[i]];
        padding += sampler.padding();
        CHECK(DistributedSampler(n, SamplerOptions().num_replicas(ranks).rank(rank).drop_last(true))
                  .padding() == 0);
      }
      CHECK(seen.size() == n);  // without the padding: each exactly once
      for (const auto& [item, times] : seen) CHECK(times == 1);
      CHECK((n + padding) % static_cast<std::size_t>(ranks) == 0);
      CHECK(padding < static_cast<std::size_t>(ranks));
    }
}

TEST_CASE("without set_epoch() a second epoch is an error, because its order would be the same") {
  DistributedSampler sampler(10, SamplerOptions().num_replicas(2).rank(0));
  sampler.reset();  // nothing was given yet
  const Items first = all_of(sampler);
  CHECK_THROWS_WITH(
      sampler.reset(),
      "DistributedSampler: epoch 0 would give the same order again; call "
      "sampler.set_epoch(epoch) before each epoch, with the same number on all ranks");
  sampler.set_epoch(1);
  sampler.reset();
  CHECK(all_of(sampler) != first);
  sampler.set_epoch(0);  // on purpose
  sampler.reset();
  CHECK(all_of(sampler) == first);
  DistributedSampler plain(10, SamplerOptions().num_replicas(2).rank(0).shuffle(false));
  const Items once = all_of(plain);
  CHECK_NOTHROW(plain.reset());
  CHECK(all_of(plain) == once);
}

TEST_CASE("ranks that do not exist are an error, and the default group gives the defaults") {
  CHECK_THROWS_WITH(DistributedSampler(4, SamplerOptions().num_replicas(2).rank(2)),
                    "DistributedSampler: invalid rank 2, rank should be in the interval [0, 1]");
  const auto got = on_ranks(2, [](int) {
    DistributedSampler sampler(4, SamplerOptions().shuffle(false));
    return all_of(sampler);
  });
  CHECK(got == std::vector<Items>{{0, 2}, {1, 3}});
}

TEST_CASE("a loader uses the sampler, and resumes in the middle of an epoch") {
  const auto make = [] {
    return data::make_data_loader(Numbers().map(data::transforms::Stack<>()),
                                  DistributedSampler(10, SamplerOptions().num_replicas(2).rank(1)),
                                  data::DataLoaderOptions(2));
  };
  const auto rest = [](auto& loader, std::size_t skip) {
    List all;
    for (auto& batch : loader)
      if (skip == 0)
        for (double v : values(batch.data)) all.push_back(v);
      else
        --skip;
    return all;
  };
  auto whole = make(), broken_off = make(), resumed = make();
  for (auto* loader : {&whole, &broken_off}) (*loader)->sampler().set_epoch(5);
  const List expected = rest(*whole, 1);
  CHECK(expected.size() == 3);
  NamedTensors state;
  for (auto& batch : *broken_off) {
    (void)batch;
    state = broken_off->state_dict();
    break;
  }
  resumed->load_state_dict(state);
  CHECK(rest(*resumed, 0) == expected);
  resumed->sampler().set_epoch(6);
  whole->sampler().set_epoch(6);
  CHECK(rest(*resumed, 0) == rest(*whole, 0));
}

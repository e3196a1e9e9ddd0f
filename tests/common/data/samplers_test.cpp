// Distributed samplers: shares, duplicates, and orders that are the same in all processes.
#include <algorithm>

#include "../td/tensor/values.h"
#include "data/data.h"

using namespace td;
using namespace td::data;
using samplers::DistributedRandomSampler;
using samplers::DistributedSequentialSampler;
using samplers::Sampler;

namespace {

using Indices = std::vector<std::size_t>;

Indices all_of(Sampler<>& sampler) {
  Indices all;
  while (const auto batch = sampler.next(3)) {
    CHECK(batch->size() <= 3);
    all.insert(all.end(), batch->begin(), batch->end());
  }
  return all;
}

Indices sequential(std::size_t size, std::size_t replicas, std::size_t rank, bool duplicates) {
  DistributedSequentialSampler sampler(size, replicas, rank, duplicates);
  return all_of(sampler);
}

}  // namespace

TEST_CASE("each rank gets an equal share: padded from the front, or without the last items") {
  CHECK(sequential(7, 2, 0, true) == Indices{0, 1, 2, 3});
  CHECK(sequential(7, 2, 1, true) == Indices{4, 5, 6, 0});
  CHECK(sequential(7, 2, 0, false) == Indices{0, 1, 2});
  CHECK(sequential(7, 2, 1, false) == Indices{3, 4, 5});
  CHECK(sequential(3, 4, 3, true) == Indices{0});
  CHECK(sequential(3, 4, 0, false).empty());
  CHECK(message<Error>([] { DistributedSequentialSampler(7, 2, 2); }) ==
        "distributed sampler: rank 2 of 2 replicas does not exist; ranks count from 0");
}

TEST_CASE("reset begins again, with another size if one is given") {
  DistributedSequentialSampler sampler(4, 2, 1);
  CHECK(all_of(sampler) == Indices{2, 3});
  CHECK(all_of(sampler).empty());
  CHECK(sampler.index() == 4);
  sampler.reset();
  CHECK(sampler.index() == 2);
  sampler.reset(8);
  CHECK(all_of(sampler) == Indices{4, 5, 6, 7});
}

TEST_CASE("the random shares of all ranks are the whole set, in an order set by the epoch") {
  for (const std::size_t epoch : {0u, 5u}) {
    Indices all;
    for (std::size_t rank = 0; rank < 3; ++rank) {
      DistributedRandomSampler sampler(10, 3, rank);
      sampler.set_epoch(epoch);
      sampler.reset();
      CHECK(sampler.epoch() == epoch);
      const Indices own = all_of(sampler);
      CHECK(own.size() == 4);
      all.insert(all.end(), own.begin(), own.end());
    }
    std::sort(all.begin(), all.end());
    CHECK(all == Indices{0, 0, 1, 1, 2, 3, 4, 5, 6, 7, 8, 9});  // 0 and 1 fill up
  }
  DistributedRandomSampler sampler(100);
  const Indices first = all_of(sampler);
  sampler.reset();
  CHECK(all_of(sampler) == first);
  sampler.set_epoch(1);
  sampler.reset();
  CHECK(all_of(sampler) != first);
}

TEST_CASE("a distributed sampler resumes where its state was saved") {
  DistributedRandomSampler first(20, 2, 1), second(20, 2, 1);
  first.set_epoch(3);
  first.reset();
  (void)first.next(4);
  second.load_state_dict(first.state_dict());
  CHECK(second.epoch() == 3);
  CHECK(all_of(second) == all_of(first));
  DistributedRandomSampler other(21, 2, 1);
  CHECK(message<Error>([&] {
          other.load_state_dict(first.state_dict());
        }).find("the state is of a dataset of 20 items but this one has 21") != std::string::npos);
}

TEST_CASE("a loader takes a distributed sampler") {
  auto loader = make_data_loader(
      datasets::TensorDataset(arange(7, kFloat), arange(7)).map(transforms::Stack<>()),
      DistributedSequentialSampler(7, 2, 1), DataLoaderOptions(2));
  std::vector<double> seen;
  for (const auto& batch : *loader)
    for (const double v : values(batch.target)) seen.push_back(v);
  CHECK(seen == std::vector<double>{4, 5, 6, 0});
}

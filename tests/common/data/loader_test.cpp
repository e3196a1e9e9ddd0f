// The loader: order, batches, threads, exceptions and leaving early.
#include <atomic>
#include <set>
#include <thread>

#include "../td/tensor/values.h"
#include "data/data.h"

using namespace td;
using namespace td::data;
using datasets::TensorDataset;
using samplers::RandomSampler;
using samplers::SequentialSampler;
using transforms::Stack;

namespace {

// Item i is (i, 10 i).
TensorDataset numbers(std::int64_t count) {
  return TensorDataset(arange(count, kFloat), arange(count, kFloat).mul(10));
}

// Throws or sleeps for the items that the test chooses.
struct Moody : datasets::Dataset<Moody, int> {
  explicit Moody(std::size_t n, int bad = -1, int slow = -1)
      : count(n), bad_at(bad), slow_at(slow) {}
  int get(std::size_t index) override {
    const int i = static_cast<int>(index);
    if (i == bad_at) throw std::runtime_error("item 5 is broken");
    if (i == slow_at) std::this_thread::sleep_for(std::chrono::milliseconds(200));
    return i;
  }
  optional<std::size_t> size() const override { return count; }
  std::size_t count;
  int bad_at, slow_at;
};

// Item i is a random number, which takes the longer the smaller i is.
struct Noise : datasets::Dataset<Noise, double> {
  double get(std::size_t index) override {
    if (index < 3) std::this_thread::sleep_for(std::chrono::milliseconds(3 - index));
    return randn({}).item<double>();
  }
  optional<std::size_t> size() const override { return 12; }
};

template <class Loader>
std::vector<std::vector<int>> batches(Loader& loader) {
  std::vector<std::vector<int>> all;
  for (auto& batch : loader) all.push_back(batch);
  return all;
}

}  // namespace

TEST_CASE("batches come in order with the last one short, whatever the number of workers") {
  for (std::size_t workers : {0u, 1u, 3u}) {
    INFO(workers << " workers");
    auto loader =
        make_data_loader<SequentialSampler>(Moody(7, -1, 1), DataLoaderOptions(3).workers(workers));
    const std::vector<std::vector<int>> wanted = {{0, 1, 2}, {3, 4, 5}, {6}};
    CHECK(batches(*loader) == wanted);
    CHECK(batches(*loader) == wanted);  // a second epoch
    auto whole = make_data_loader<SequentialSampler>(
        Moody(7), DataLoaderOptions(3).workers(workers).drop_last(true));
    CHECK(batches(*whole) == std::vector<std::vector<int>>{{0, 1, 2}, {3, 4, 5}});
  }
}

TEST_CASE("Stack makes tensors of a batch") {
  auto loader = make_data_loader<SequentialSampler>(numbers(5).map(Stack<>()), 2);
  std::vector<double> data, targets;
  std::vector<std::int64_t> sizes;
  for (auto& [x, y] : *loader) {
    for (double v : values(x)) data.push_back(v);
    for (double v : values(y)) targets.push_back(v);
    sizes.push_back(x.size(0));
  }
  CHECK(data == std::vector<double>{0, 1, 2, 3, 4});
  CHECK(targets == std::vector<double>{0, 10, 20, 30, 40});
  CHECK(sizes == std::vector<std::int64_t>{2, 2, 1});
}

TEST_CASE("transforms apply in order, item by item") {
  auto set = numbers(4)
                 .map(transforms::TensorLambda<>([](Tensor x) { return x + 1; }))
                 .map(transforms::Normalize<>(1.0, 2.0))
                 .map(transforms::Lambda<Example<>>([](Example<> e) {
                   e.target = e.target.neg();
                   return e;
                 }))
                 .map(Stack<>());
  const Example<> batch = set.get_batch({1, 3});
  CHECK(values(batch.data) == std::vector<double>{0.5, 1.5});
  CHECK(values(batch.target) == std::vector<double>{-10, -30});
  CHECK(*set.size() == 4);
  transforms::Normalize<> channels({0, 1}, {1, 2});
  CHECK(values(channels(ones({2, 1, 2}))) == std::vector<double>{1, 1, 0, 0});
}

TEST_CASE("random numbers of workers are repeatable, and leave those of the loop alone") {
  const auto noise = [](std::size_t workers) {
    return make_data_loader<SequentialSampler>(Noise(), DataLoaderOptions(2).workers(workers));
  };
  const auto draw = [&](std::size_t workers) {
    manual_seed(7);
    auto loader = noise(workers);
    std::vector<double> drawn;
    for (int epoch = 0; epoch < 2; ++epoch)
      for (auto& batch : *loader) drawn.insert(drawn.end(), batch.begin(), batch.end());
    return drawn;
  };
  manual_seed(7);
  const std::vector<double> of_loop = values(randn({4}));
  const std::vector<double> first = draw(1);
  CHECK(values(randn({4})) == of_loop);
  for (const std::size_t workers : {1u, 2u, 3u}) CHECK(draw(workers) == first);
  const std::set<double> different(first.begin(), first.end());
  CHECK(different.size() == 24);  // of two epochs, none twice
  manual_seed(8);
  CHECK((*noise(2)->begin())[0] != first[0]);

  // Continued after 3 of 6 batches, in a loader of another process.
  manual_seed(7);
  auto saved = noise(2);
  auto position = saved->begin();
  for (int batch = 0; batch < 2; ++batch) ++position;
  const auto state = saved->state_dict();
  manual_seed(99);
  auto resumed = noise(3);
  resumed->load_state_dict(state);
  std::vector<double> rest;
  for (auto& batch : *resumed) rest.insert(rest.end(), batch.begin(), batch.end());
  CHECK(rest == std::vector<double>(first.begin() + 6, first.begin() + 12));
}

TEST_CASE("a random order has every item once and another order each epoch") {
  manual_seed(7);
  auto loader = make_data_loader(Moody(100), DataLoaderOptions(9).workers(2));
  std::vector<std::vector<int>> orders;
  for (int epoch = 0; epoch < 2; ++epoch) {
    std::vector<int> seen;
    for (auto& batch : *loader) seen.insert(seen.end(), batch.begin(), batch.end());
    orders.push_back(seen);
    std::sort(seen.begin(), seen.end());
    REQUIRE(seen.size() == 100);
    for (int i = 0; i < 100; ++i) CHECK(seen[static_cast<std::size_t>(i)] == i);
  }
  CHECK(orders[0] != orders[1]);
  manual_seed(7);
  auto again = make_data_loader(Moody(100), DataLoaderOptions(9));
  std::vector<int> seen;
  for (auto& batch : *again) seen.insert(seen.end(), batch.begin(), batch.end());
  CHECK(seen == orders[0]);  // the seed decides, not the threads
}

TEST_CASE("a worker's exception reaches the loop and the loader goes on") {
  for (std::size_t workers : {0u, 2u}) {
    auto loader =
        make_data_loader<SequentialSampler>(Moody(9, 5), DataLoaderOptions(2).workers(workers));
    for (int round = 0; round < 2; ++round) {
      int before = 0;
      std::string text;
      try {
        for (auto& batch : *loader) before += static_cast<int>(batch.size());
      } catch (const std::runtime_error& error) {
        text = error.what();
      }
      CHECK(text == "item 5 is broken");
      CHECK(before == 4);  // items 0 to 3; the batch of 4 and 5 is the broken one
    }
  }
}

TEST_CASE("a loop may be left early, and the next one starts again") {
  auto loader =
      make_data_loader<SequentialSampler>(Moody(1000), DataLoaderOptions(1).workers(3).prefetch(8));
  for (int round = 0; round < 50; ++round)
    for (auto& batch : *loader) {
      CHECK(batch == std::vector<int>{0});
      break;
    }
  int count = 0;
  for (auto& batch : *loader) {
    CHECK(batch[0] == count);
    ++count;
  }
  CHECK(count == 1000);
}

TEST_CASE("without ordering a slow batch does not delay the others") {
  auto loader = make_data_loader<SequentialSampler>(
      Moody(6, -1, 0), DataLoaderOptions(1).workers(2).enforce_ordering(false).prefetch(3));
  std::vector<std::vector<int>> all = batches(*loader);
  REQUIRE(all.size() == 6);
  CHECK(all.front() != std::vector<int>{0});
  std::sort(all.begin(), all.end());
  for (int i = 0; i < 6; ++i) CHECK(all[static_cast<std::size_t>(i)] == std::vector<int>{i});
}

TEST_CASE("copies of a loader's iterator share their position, and none reads past the end") {
  for (std::size_t workers : {0u, 2u}) {
    auto loader =
        make_data_loader<SequentialSampler>(Moody(3), DataLoaderOptions(2).workers(workers));
    auto at = loader->begin(), copy = at;
    CHECK(at == copy);
    CHECK(*copy == std::vector<int>{0, 1});
    CHECK(at == copy);
    ++copy;
    CHECK(*at == std::vector<int>{2});  // the place moved for both
    CHECK(at->size() == 1);
    CHECK(at != loader->end());
    ++at;
    CHECK(at == loader->end());
    CHECK(loader->end() == copy);
    CHECK(loader->end() == loader->end());
    CHECK(at != loader->begin());
    for (auto past : {loader->end(), copy, decltype(at)()}) {
      const std::string advice =
          " past the end of the epoch; compare the iterator with end() first";
      CHECK(message<Error>([&] { *past; }) == "data loader: there is no batch to read" + advice);
      CHECK(message<Error>([&] { (void)past->size(); }) ==
            "data loader: there is no batch to read" + advice);
      CHECK(message<Error>([&] { ++past; }) ==
            "data loader: the iterator cannot be moved" + advice);
    }
  }
}

TEST_CASE("begin() returns before the first batch is there; an error comes when it is read") {
  for (std::size_t workers : {0u, 1u}) {
    auto loader =
        make_data_loader<SequentialSampler>(Moody(9, 5), DataLoaderOptions(6).workers(workers));
    auto at = loader->begin();
    CHECK_THROWS_WITH(*at, "item 5 is broken");
    CHECK(*at == std::vector<int>{6, 7, 8});  // the loader continues with the batch after it
  }
}

TEST_CASE("the error of a timeout says what to change") {
  auto loader = make_data_loader<SequentialSampler>(
      Moody(2, -1, 0), DataLoaderOptions(1).workers(1).timeout(std::chrono::milliseconds(5)));
  CHECK(message<Error>([&] { *loader->begin(); }) ==
        "data loader: no batch came within 5 ms; the dataset's get() is slow or stuck. Give more "
        "workers, or a longer timeout.");
}

TEST_CASE("pinned batches are in page-locked memory") {
  auto set = numbers(6).map(Stack<>());
  for (std::size_t workers : {0u, 2u}) {
    auto loader = make_data_loader<SequentialSampler>(
        set, DataLoaderOptions(4).workers(workers).pin_memory(true));
    for (auto& [x, y] : *loader) {
      CHECK(x.is_pinned());
      CHECK(y.is_pinned());
      CHECK(x.to("sim:0", true).device() == Device("sim:0"));
    }
  }
}

TEST_CASE("a loader rejects options that cannot work") {
  CHECK(message<Error>([] { make_data_loader(Moody(3), DataLoaderOptions(0)); }) ==
        "data loader: batch_size must be at least 1");
  CHECK(message<ShapeError>([] {
          TensorDataset(zeros({2, 3}), zeros({3}));
        }) == "TensorDataset: data [2, 3] and targets [3] must have the same number of rows");
  auto empty_loader =
      make_data_loader<SequentialSampler>(Moody(0), DataLoaderOptions(2).workers(2));
  CHECK(batches(*empty_loader).empty());
}

TEST_CASE("samplers count and start over") {
  SequentialSampler sampler(3);
  CHECK(*sampler.next(2) == std::vector<std::size_t>{0, 1});
  CHECK(sampler.index() == 2);
  CHECK(*sampler.next(2) == std::vector<std::size_t>{2});
  CHECK_FALSE(sampler.next(2));
  sampler.reset(1);
  CHECK(*sampler.next(2) == std::vector<std::size_t>{0});
  RandomSampler random(4);
  random.reset(5);
  CHECK(random.next(9)->size() == 5);
}

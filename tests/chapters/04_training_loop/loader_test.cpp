// Tests of collate and Loader.
#include <set>

#include "loops.h"

namespace {

// Sample i of a data set: i % 4 + 1 elements of value i, and class i.
Batch sample(std::int64_t i) {
  return {td::full({i % 4 + 1}, static_cast<double>(i)), td::full({}, i, td::kInt64)};
}

std::vector<std::int64_t> indices_of(const Batch& batch) {
  std::vector<std::int64_t> indices;
  for (const double value : check::values(batch.target))
    indices.push_back(static_cast<std::int64_t>(value));
  return indices;
}

// The classes of one epoch in the order in which they came.
std::vector<std::int64_t> epoch_of(Loader& loader) {
  std::vector<std::int64_t> all;
  loader.begin();
  while (const auto batch = loader.next())
    for (const std::int64_t i : indices_of(*batch)) all.push_back(i);
  return all;
}

std::string text(const std::vector<std::int64_t>& numbers) {
  std::string all;
  for (const std::int64_t n : numbers) all += (all.empty() ? "" : " ") + std::to_string(n);
  return "{" + all + "}";
}

}  // namespace

TEST_CASE("collate pads with zeros at the end", "[loader]") {
  const Batch batch = collate({{td::tensor({1.0, 2.0, 3.0}), td::full({}, 0, td::kInt64)},
                               {td::tensor({4.0}), td::full({}, 1, td::kInt64)}});
  check::expect_sizes(batch.data, {2, 3}, "the data of two samples with 3 and 1 elements");
  check::expect_close(check::values(batch.data), std::vector<double>{1, 2, 3, 4, 0, 0}, 0,
                      "the data of two samples with 3 and 1 elements");
  check::expect_sizes(batch.target, {2}, "the target of two samples");
  check::expect_close(check::values(batch.target), std::vector<double>{0, 1}, 0, "the target");
}

TEST_CASE("collate keeps dtypes and further dimensions", "[loader]") {
  const td::Tensor tokens = td::arange(6).to(td::kInt64).reshape({3, 2});
  const Batch batch = collate({{tokens.slice(0, 0, 1), td::ones({2}, td::kFloat64)},
                               {tokens, td::zeros({2}, td::kFloat64)},
                               {tokens.slice(0, 0, 0), td::ones({2}, td::kFloat64)}});
  check::expect_sizes(batch.data, {3, 3, 2}, "samples of 1, 3 and 0 rows of two integers");
  check::expect_dtype(batch.data, td::kInt64, "integer data");
  check::expect_close(check::values(batch.data),
                      std::vector<double>{0, 1, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 0, 0, 0, 0, 0, 0}, 0,
                      "samples of 1, 3 and 0 rows of two integers");
  check::expect_sizes(batch.target, {3, 2}, "targets with two elements");
  check::expect_dtype(batch.target, td::kFloat64, "a target of float64");
}

TEST_CASE("collate makes a batch of samples without elements", "[loader]") {
  const td::Tensor none = td::empty({0, 2}), label = td::zeros({}, td::kInt64);
  const Batch batch = collate({{none, label}, {none, label}});
  check::expect_sizes(batch.data, {2, 0, 2}, "two samples of 0 rows of two elements");
}

TEST_CASE("collate makes one batch of one sample, and reads any strides", "[loader]") {
  const td::Tensor column = td::arange(6).reshape({3, 2}).t()[1];  // 1, 3, 5
  const Batch batch = collate({{column, td::full({}, 7, td::kInt64)}});
  check::expect_sizes(batch.data, {1, 3}, "one sample");
  check::expect_close(check::values(batch.data), std::vector<double>{1, 3, 5}, 0, "one sample");
}

TEST_CASE("batches are in pinned memory", "[loader]") {
  for (const std::int64_t n : {1, 3}) {
    std::vector<Batch> samples;
    for (std::int64_t i = 0; i < n; ++i) samples.push_back(sample(i));
    const Batch batch = collate(samples);
    check::expect(batch.data.is_pinned(), "the data of a batch is not in pinned memory");
    check::expect(batch.target.is_pinned(), "the target of a batch is not in pinned memory");
  }
}

TEST_CASE("the padding is written, also in memory that was used before", "[loader]") {
  td::full({2, 8}, 7, td::TensorOptions(td::kFloat32).pinned_memory(true));  // freed immediately
  const Batch batch = collate(
      {{td::ones({8}), td::full({}, 0, td::kInt64)}, {td::ones({1}), td::full({}, 1, td::kInt64)}});
  check::expect_close(check::values(batch.data[1]), std::vector<double>{1, 0, 0, 0, 0, 0, 0, 0}, 0,
                      "a sample of one element and the padding, in memory that held other values "
                      "before");
}

TEST_CASE("collate copies: samples stay as they are", "[loader]") {
  const Batch one{td::ones({2}).pin_memory(), td::zeros({}, td::kInt64)};
  const Batch batch = collate({one});
  td::Tensor(batch.data).fill_(5);
  check::expect_close(one.data, td::ones({2}), 0, "a sample after its batch was changed");
}

TEST_CASE("every sample once per epoch, the last batch with the rest", "[loader]") {
  for (const std::int64_t size : {1, 31, 33, 100})
    for (const std::int64_t batch_size : {1, 32, 200}) {
      Loader loader(sample, size, batch_size);
      loader.begin();
      std::set<std::int64_t> seen;
      std::int64_t left = size;
      const std::string what =
          std::to_string(size) + " samples in batches of " + std::to_string(batch_size);
      while (const auto batch = loader.next()) {
        check::expect(left > 0, what + ": more than all samples were returned in one epoch");
        check::expect_sizes(batch->target, {std::min(left, batch_size)}, what + ": the next batch");
        for (const std::int64_t i : indices_of(*batch)) seen.insert(i);
        left -= batch->target.size(0);
      }
      check::expect(static_cast<std::int64_t>(seen.size()) == size,
                    what + ": " + std::to_string(seen.size()) + " different samples were returned");
      check::expect(!loader.next(), what + ": a batch came after the end of the epoch");
    }
}

TEST_CASE("data and target belong together", "[loader]") {
  Loader loader(sample, 33, 8);
  loader.begin();
  while (const auto batch = loader.next()) {
    const auto indices = indices_of(*batch);
    for (std::size_t row = 0; row < indices.size(); ++row)
      check::expect_close(batch->data[static_cast<std::int64_t>(row)][0].item<double>(),
                          static_cast<double>(indices[row]), 0, "the data of a sample");
  }
}

TEST_CASE("each epoch has a different order", "[loader]") {
  td::manual_seed(4);
  Loader loader(sample, 31, 8);
  const auto first = epoch_of(loader), second = epoch_of(loader);
  std::vector<std::int64_t> sorted(31);
  for (std::int64_t i = 0; i < 31; ++i) sorted[static_cast<std::size_t>(i)] = i;
  check::expect(first != sorted, "the first epoch is not in a random order: " + text(first));
  check::expect(second != sorted && second != first,
                "the second epoch has the order of the first one: make a new order in begin()");
}

TEST_CASE("td::manual_seed repeats the orders", "[loader]") {
  const auto two_epochs = [] {
    td::manual_seed(4);
    Loader loader(sample, 31, 8);
    auto all = epoch_of(loader);
    for (const std::int64_t i : epoch_of(loader)) all.push_back(i);
    return all;
  };
  check::expect(two_epochs() == two_epochs(),
                "the same seed gave different orders: take the order from td::randperm");
  Loader loader(sample, 31, 8);
  std::vector<std::vector<std::int64_t>> orders;
  for (int epoch = 0; epoch < 2; ++epoch) {
    td::manual_seed(4);
    orders.push_back(epoch_of(loader));
  }
  check::expect(orders[0] == orders[1],
                "the same seed before each begin() gave different orders, " + text(orders[0]) +
                    " and " + text(orders[1]) + ": take a new order from td::randperm in begin()");
}

TEST_CASE("samples are read when their batch is requested", "[loader]") {
  std::int64_t calls = 0;
  Loader loader(
      [&](std::int64_t i) {
        ++calls;
        return sample(i);
      },
      33, 8);
  check::expect(calls == 0, "the constructor read " + std::to_string(calls) + " samples");
  loader.begin();
  check::expect(calls == 0, "begin() read " + std::to_string(calls) + " samples");
  loader.next();
  check::expect(calls == 8, "after the first batch of 8 samples, " + std::to_string(calls) +
                                " samples were read");
}

TEST_CASE("begin() in the middle of an epoch starts a new epoch", "[loader]") {
  Loader loader(sample, 33, 8);
  check::expect(!loader.next(), "a batch came before the first begin()");
  loader.begin();
  loader.next();
  loader.next();
  const auto all = epoch_of(loader);
  check::expect(std::set<std::int64_t>(all.begin(), all.end()).size() == 33 && all.size() == 33,
                "after begin() in the middle of an epoch, the new epoch has " +
                    std::to_string(all.size()) + " samples; expected all 33 once");
}

TEST_CASE("a data set without samples", "[loader]") {
  Loader loader(sample, 0, 8);
  loader.begin();
  check::expect(!loader.next(), "a batch came from a data set without samples");
}

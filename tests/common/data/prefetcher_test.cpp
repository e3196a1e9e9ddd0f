// The prefetcher: the batches that a loop gets and may keep, and how it ends. Its four waits are
// tested in prefetcher_waits_test.cpp.
#include "../td/tensor/values.h"
#include "prefetching.h"
#include "sim_work.h"

using namespace td;
using namespace td::data;
using samplers::SequentialSampler;
using transforms::Stack;

namespace {

// Item i is (i, 10 i), each `width` wide.
auto rows(std::int64_t count, std::int64_t width = 1) {
  const Tensor data = arange(count, kFloat).unsqueeze(1).expand({count, width}).contiguous();
  return TensorDataset(data, arange(count, kFloat).mul(10)).map(Stack<>());
}

auto loader_of(std::int64_t count, std::size_t batch, std::size_t workers, bool pinned = true) {
  return make_data_loader<SequentialSampler>(
      rows(count), DataLoaderOptions(batch).workers(workers).pin_memory(pinned));
}

// Fails at one item.
struct Broken : datasets::Dataset<Broken, Tensor> {
  Tensor get(std::size_t index) override {
    if (index == 5) throw std::runtime_error("item 5 is broken");
    return full({1}, static_cast<double>(index));
  }
  optional<std::size_t> size() const override { return 9; }
};

}  // namespace

TEST_CASE("batches arrive on the device in order, the last one short, in every epoch") {
  for (const Device device : {Device("cpu"), kSim, Device("sim:1")})
    for (std::size_t workers : {0u, 2u})
      for (bool pinned : {true, false})
        for (std::size_t slots : {1u, 2u, 3u, 9u}) {
          INFO(device << ", " << workers << " workers, pinned " << pinned << ", slots " << slots);
          auto loader = loader_of(10, 4, workers, pinned);
          auto batches = prefetch(*loader, device, slots);
          for (int epoch = 0; epoch < 2; ++epoch) {
            std::vector<double> data, targets;
            std::vector<std::int64_t> sizes;
            for (auto& [x, y] : batches) {
              CHECK(x.device() == device);
              CHECK(y.device() == device);
              for (double v : values(x)) data.push_back(v);
              for (double v : values(y)) targets.push_back(v);
              sizes.push_back(x.size(0));
            }
            CHECK(data == std::vector<double>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9});
            CHECK(targets == std::vector<double>{0, 10, 20, 30, 40, 50, 60, 70, 80, 90});
            CHECK(sizes == std::vector<std::int64_t>{4, 4, 2});
          }
        }
}

TEST_CASE("an empty loader gives an empty loop") {
  auto loader = loader_of(0, 4, 1);
  for (auto& batch : prefetch(*loader, kSim)) FAIL("there is no batch " << batch.data);
  std::vector<Tensor> none;
  for (auto& batch : prefetch(none, kSim)) FAIL("there is no batch " << batch);
}

TEST_CASE("the tensors of nested batches are copied, other values stay") {
  using Nested = std::tuple<Example<Tensor, std::vector<Tensor>>, std::string,
                            std::map<std::string, Tensor>, optional<Tensor>, std::vector<bool>>;
  std::vector<Nested> batches;
  for (int i = 0; i < 5; ++i)
    batches.push_back({{full({3}, i), {full({2, 2}, 10 * i), Tensor()}},
                       "batch " + std::to_string(i),
                       {{"mask", full({i}, i, kLong)}},
                       nullopt,
                       {true}});
  int i = 0;
  for (auto& [example, name, named, nothing, flags] : prefetch(batches, kSim)) {
    CHECK(example.data.device() == kSim);
    CHECK(values(example.data) == std::vector<double>(3, i));
    CHECK(example.target[0].sizes() == IntArrayRef{2, 2});
    CHECK(values(example.target[0]) == std::vector<double>(4, 10 * i));
    CHECK_FALSE(example.target[1].defined());
    CHECK(name == "batch " + std::to_string(i));
    CHECK(named.at("mask").device() == kSim);
    CHECK(named.at("mask").dtype() == kLong);
    CHECK(values(named.at("mask")) == std::vector<double>(static_cast<std::size_t>(i), i));
    CHECK_FALSE(nothing);
    CHECK(flags == std::vector<bool>{true});
    ++i;
  }
  CHECK(i == 5);
  CHECK(std::get<0>(batches[0]).data.is_cpu());  // the container's own are as they were
}

TEST_CASE("the copy keeps layouts and types") {
  std::vector<Tensor> batches = {
      rand({2, 3, 4, 4}).to(MemoryFormat::ChannelsLast),
      rand({1, 3, 4, 4}),
      arange(12, kFloat).view({3, 4}).t(),
      arange(12, kFloat).view({3, 4}).narrow(1, 1, 2),
      full({}, 7, kLong),
      full({}, 8, kLong),
      rand({4, 2}).to(kHalf),
      rand({3}).expand({2, 3}),
  };
  std::size_t i = 0;
  for (bool pinned : {false, true}) {
    if (pinned)
      for (Tensor& batch : batches) batch = batch.pin_memory();
    i = 0;
    for (Tensor& moved : prefetch(batches, kSim)) {
      INFO("batch " << i << ", pinned " << pinned);
      CHECK(moved.dtype() == batches[i].dtype());
      CHECK(moved.sizes() == batches[i].sizes());
      CHECK(values(moved) == values(batches[i]));
      CHECK(moved.is_contiguous(MemoryFormat::ChannelsLast) ==
            batches[i].is_contiguous(MemoryFormat::ChannelsLast));
      ++i;
    }
  }
}

TEST_CASE("a batch that is on the device already is returned itself") {
  std::vector<Tensor> batches = {ones({3}, kSim), ones({3}, Device("sim:1")).mul(2)};
  std::vector<Tensor> moved;
  for (Tensor& batch : prefetch(batches, kSim)) moved.push_back(batch);
  CHECK(moved[0].is_same(batches[0]));
  CHECK(moved[1].device() == kSim);
  CHECK(values(moved[1]) == std::vector<double>{2, 2, 2});
}

TEST_CASE("a batch that the loop keeps is not overwritten, and others reuse the memory") {
  auto source = numbers(8);
  std::vector<Tensor> kept;
  std::vector<const void*> places;
  for (Tensor& batch : prefetch(source, kSim)) {
    places.push_back(batch.impl().storage->data());
    if (places.size() == 2 || places.size() == 5) kept.push_back(batch);
  }
  CHECK(values(kept[0]) == std::vector<double>(4, 1));
  CHECK(values(kept[1]) == std::vector<double>(4, 4));
  CHECK(places[2] == places[0]);  // slot 0 was free again
  CHECK(places[3] != places[1]);  // slot 1 was kept, and has other memory since
  CHECK(places[5] == places[3]);
}

TEST_CASE("a batch that backward still needs is not overwritten") {
  auto source = numbers(6);
  const Tensor weight = leaf({1, 2, 3, 4}, {4}, kSim);
  Tensor loss = zeros({}, kSim);
  for (Tensor& batch : prefetch(source, kSim)) loss = loss + (batch * weight).sum();
  loss.backward();
  CHECK(values(weight.grad()) == std::vector<double>(4, 15));
}

TEST_CASE("a batch may be changed in place by a recorded operation") {
  const Tensor scale = full({1}, 3.0, TensorOptions(kSim).requires_grad(true));
  auto loader = loader_of(6, 3, 0);
  for (auto& [x, y] : prefetch(*loader, kSim)) x.mul_(scale).sum().backward();
  CHECK(values(scale.grad()) == std::vector<double>{0 + 1 + 2 + 3 + 4 + 5});
}

TEST_CASE("a worker's exception is thrown instead of its batch; the loop may start again") {
  for (std::size_t workers : {0u, 2u}) {
    auto loader = make_data_loader<SequentialSampler>(
        Broken().map(Stack<Tensor>()), DataLoaderOptions(2).workers(workers).pin_memory(true));
    auto batches = prefetch(*loader, kSim, 3);
    for (int round = 0; round < 2; ++round) {
      std::vector<double> seen;
      std::string text;
      try {
        for (Tensor& batch : batches)
          for (double v : values(batch)) seen.push_back(v);
      } catch (const std::runtime_error& error) {
        text = error.what();
      }
      CHECK(text == "item 5 is broken");
      CHECK(seen == std::vector<double>{0, 1, 2, 3});
    }
  }
}

TEST_CASE("a loop may be left early, with copies in flight") {
  const SlowLink slow({.gb_per_s = 12, .latency_us = 3000});
  auto loader = loader_of(100, 4, 2);
  auto batches = prefetch(*loader, kSim);
  for (int round = 0; round < 5; ++round)
    for (auto& batch : batches) {
      CHECK(values(batch.data) == std::vector<double>{0, 1, 2, 3});
      if (round < 4) break;
      round = 9;
      break;
    }
  int count = 0;
  for (auto& batch : batches) count += static_cast<int>(batch.data.size(0));
  CHECK(count == 100);
}

TEST_CASE("batches are prefetched to two devices at the same time") {
  auto first = loader_of(40, 4, 1), second = loader_of(40, 4, 1);
  auto a = prefetch(*first, kSim), b = prefetch(*second, Device("sim:1"));
  auto x = a.begin(), y = b.begin();
  double sum = 0;
  for (; x != a.end(); ++x, ++y) {
    sum += (x->data.sum().to(kCPU) + y->data.sum().to(kCPU)).item<double>();
    CHECK(y->data.device() == Device("sim:1"));
  }
  CHECK(sum == 2 * 780);
  CHECK(y == b.end());
}

TEST_CASE("a position saved in the loop does not count batches in flight") {
  auto loader = loader_of(10, 2, 1);
  auto batches = prefetch(*loader, kSim, 3);
  auto batch = batches.begin();
  ++batch;  // at the second of five
  const NamedTensors state = batches.state_dict();
  auto fresh = loader_of(10, 2, 1);
  fresh->load_state_dict(state);
  std::vector<double> rest;
  for (auto& b : prefetch(*fresh, kSim))
    for (double v : values(b.data)) rest.push_back(v);
  CHECK(rest == std::vector<double>{4, 5, 6, 7, 8, 9});

  while (batch != batches.end() && values(batch->data)[0] != 8) ++batch;
  auto at_the_end = loader_of(10, 2, 1);
  at_the_end->load_state_dict(batches.state_dict());  // in the last batch: nothing is left
  auto over = prefetch(*at_the_end, kSim);
  CHECK(over.begin() == over.end());
  CHECK(over.begin() != over.end());  // and then the next epoch
}

TEST_CASE("an error of the device reaches the loop and the prefetcher ends") {
  auto source = numbers(50);
  const Stream compute = getCurrentStream(kSim);
  CHECK_THROWS_AS(
      [&] {
        for (Tensor& batch : prefetch(source, kSim)) {
          test::launch("bad kernel", compute, [] { throw std::runtime_error("it broke"); });
          batch.add_(1);
        }
        compute.synchronize();
      }(),
      AsyncError);
  try {
    synchronize(kSim);
  } catch (const AsyncError&) {
  }
  CHECK(values(ones({2}, kSim)) == std::vector<double>{1, 1});
}

TEST_CASE("a prefetcher's iterators compare by position, and none reads past the end") {
  std::vector<Tensor> source{ones({1}), zeros({1})};
  auto batches = prefetch(source, kSim);
  auto at = batches.begin(), copy = at;
  CHECK(at == copy);
  CHECK(at != batches.end());
  ++copy;
  CHECK(values(*at) == std::vector<double>{0});  // the place moved for both
  ++at;
  CHECK(at == batches.end());
  for (auto past : {batches.end(), copy, decltype(at)()}) {
    const std::string advice = " past the end of the epoch; compare the iterator with end() first";
    CHECK(message<Error>([&] { *past; }) == "prefetch: there is no batch to read" + advice);
    CHECK(message<Error>([&] { past->dim(); }) == "prefetch: there is no batch to read" + advice);
    CHECK(message<Error>([&] { ++past; }) == "prefetch: the iterator cannot be moved" + advice);
  }
}

TEST_CASE("a prefetcher without slots is an error") {
  std::vector<Tensor> source;
  CHECK(message<Error>([&] { prefetch(source, kSim, 0); }) ==
        "prefetch: slots must be at least 1; 2 copy and work at a time");
}

TEST_CASE("a pinning loader collates in page-locked memory, and pins what it cannot") {
  const auto pinned_bytes = [] {
    return pinned_allocator(preferred_accelerator()).stats().allocations;
  };
  auto loader = make_data_loader<SequentialSampler>(rows(4), DataLoaderOptions(4).pin_memory(true));
  const std::uint64_t before = pinned_bytes();
  auto batch = loader->begin();
  CHECK(batch->data.size(0) == 4);
  CHECK(pinned_bytes() - before == 2);  // data and target, and no copy of either
  CHECK(batch->data.is_pinned());
  {
    const PinnedCollation pins(true);
    CHECK(values(collate({of({1, 2}), of({3, 4})})) == std::vector<double>{1, 2, 3, 4});
    CHECK(message<ShapeError>([] {
            collate({of({1}), of({1, 2})});
          }) == "stack: tensors[1] has sizes [2] but tensors[0] has [1]; all must be equal");
    const Tensor mixed = collate({of({1}), of({2}).to(kDouble)});
    CHECK(mixed.dtype() == kDouble);
    {
      const PinnedCollation off(false);
      CHECK_FALSE(collate({of({1}), of({2})}).is_pinned());
    }
    CHECK(collate({of({1}), of({2})}).is_pinned());
  }
  CHECK_FALSE(collate({of({1}), of({2})}).is_pinned());
}

TEST_CASE("pin_batch reaches every tensor and nothing else") {
  std::tuple<Example<>, std::vector<TensorExample>, std::map<std::string, Tensor>, std::string, int>
      batch{{of({1}), of({2})}, {of({3}), of({4})}, {{"mask", of({5})}}, "text", 7};
  pin_batch(batch);
  for (const Tensor& tensor : tensors_in(batch)) CHECK(tensor.is_pinned());
  CHECK(tensors_in(batch).size() == 5);
  CHECK(std::get<3>(batch) == "text");
}

// Datasets, transforms, samplers and loaders: what comes out, in which order, in which sizes.
// Random orders are compared by what they must have in common.
#include "conformance.h"

#include <set>

using namespace conformance;
namespace data = torch::data;

namespace {

struct Squares : data::datasets::Dataset<Squares> {
  explicit Squares(std::size_t count) : count_(count) {}
  data::Example<> get(std::size_t index) override {
    const auto i = static_cast<std::int64_t>(index);
    return {torch::full({2}, static_cast<double>(i)), torch::tensor(i * i)};
  }
  torch::optional<std::size_t> size() const override { return count_; }
  std::size_t count_;
};

void print_batch(const std::string& name, const data::Example<>& batch) {
  print(name + " data", batch.data);
  print(name + " target", batch.target);
}

template <class Loader>
void print_epoch(const std::string& name, Loader& loader) {
  int number = 0;
  for (auto& batch : loader) print_batch(name + " batch " + std::to_string(number++), batch);
  print(name + " batches", number);
}

void datasets() {
  Squares squares(10);
  REPORT(squares.size().value());
  REPORT(squares.get(3).target);
  REPORT(squares.get_batch({1, 4}).size());
  REPORT(squares.get_batch({1, 4})[1].target);
  auto stacked = squares.map(data::transforms::Stack<>());
  print_batch("stacked", stacked.get_batch({2, 0, 2}));
  REPORT(stacked.size().value());
  auto normal =
      squares.map(data::transforms::Normalize<>(2.0, 0.5)).map(data::transforms::Stack<>());
  print_batch("normalized", normal.get_batch({1, 3}));
  auto doubled = Squares(4)
                     .map(data::transforms::Lambda<data::Example<>>([](data::Example<> example) {
                       return data::Example<>(example.data * 2, example.target + 1);
                     }))
                     .map(data::transforms::Stack<>());
  print_batch("lambda", doubled.get_batch({0, 3}));
  data::transforms::Normalize<> channels(std::vector<double>{0.5, 1.0},
                                         std::vector<double>{2.0, 4.0});
  REPORT(channels(formula({2, 3, 3})));
  data::transforms::Stack<> stack;
  print_batch("stack", stack.apply_batch({{torch::ones({2}), torch::tensor(1)},
                                          {torch::zeros({2}), torch::tensor(2)}}));
  data::transforms::Stack<data::TensorExample> only;
  REPORT(only.apply_batch({torch::ones({2}), torch::zeros({2})}).data);
  report_throws("stack of different sizes", [&] {
    stack.apply_batch(
        {{torch::ones({2}), torch::tensor(1)}, {torch::zeros({3}), torch::tensor(2)}});
  });
}

std::vector<std::int64_t> all_of(data::samplers::Sampler<>& sampler, std::size_t batch_size) {
  std::vector<std::int64_t> order;
  while (auto batch = sampler.next(batch_size)) {
    for (const std::size_t index : *batch) order.push_back(static_cast<std::int64_t>(index));
    order.push_back(-1);  // the end of a batch
  }
  return order;
}

void samplers() {
  data::samplers::SequentialSampler sequential(7);
  REPORT(all_of(sequential, 3));
  REPORT(sequential.next(3).has_value());
  sequential.reset();
  REPORT(sequential.next(2).value().size());
  REPORT(sequential.index());
  sequential.reset(4);
  REPORT(all_of(sequential, 3));
  data::samplers::RandomSampler random(50);
  const auto order = all_of(random, 50);
  REPORT(order.size());
  REPORT(std::set<std::int64_t>(order.begin(), order.end()).size());
  random.reset();
  REPORT(all_of(random, 50) == order);
  REPORT(random.index());
  random.reset(3);
  REPORT(all_of(random, 2).size());
  for (const bool allow_duplicates : {true, false})
    for (std::size_t rank = 0; rank < 3; ++rank) {
      Context here("rank " + std::to_string(rank) + (allow_duplicates ? ", duplicates" : ""));
      data::samplers::DistributedSequentialSampler part(10, 3, rank, allow_duplicates);
      REPORT(all_of(part, 2));
      part.reset(7);
      REPORT(all_of(part, 2));
      part.reset();
      REPORT(part.next(1).value().size());
      REPORT(part.index());
    }
}

void distributed_random() {
  for (const bool allow_duplicates : {true, false}) {
    Context here(allow_duplicates ? "duplicates" : "no duplicates");
    std::set<std::int64_t> seen;
    for (std::size_t rank = 0; rank < 3; ++rank) {
      data::samplers::DistributedRandomSampler part(10, 3, rank, allow_duplicates);
      part.set_epoch(2);
      REPORT(part.epoch());
      part.reset();
      const auto order = all_of(part, 4);
      REPORT(order.size());
      seen.insert(order.begin(), order.end());
      part.reset();
      REPORT(all_of(part, 4) == order);
      part.set_epoch(3);
      part.reset();
      REPORT(all_of(part, 4) == order);
      REPORT(part.index());
    }
    REPORT(seen.size());
  }
}

void loaders() {
  const auto stacked = [](std::size_t count) {
    return Squares(count).map(data::transforms::Stack<>());
  };
  using Sequential = data::samplers::SequentialSampler;
  auto plain = data::make_data_loader<Sequential>(stacked(5), data::DataLoaderOptions(2));
  print_epoch("plain", *plain);
  print_epoch("second epoch", *plain);
  auto last =
      data::make_data_loader<Sequential>(stacked(5), data::DataLoaderOptions(2).drop_last(true));
  print_epoch("drop_last", *last);
  auto single = data::make_data_loader<Sequential>(stacked(2));
  print_epoch("batch size 1", *single);
  auto large = data::make_data_loader<Sequential>(stacked(3), 10);
  print_epoch("large", *large);
  auto none =
      data::make_data_loader<Sequential>(stacked(3), data::DataLoaderOptions(10).drop_last(true));
  print_epoch("nothing left", *none);
  for (const std::size_t workers : {1, 3}) {
    auto threaded =
        data::make_data_loader<Sequential>(stacked(9), data::DataLoaderOptions(2).workers(workers));
    print_epoch(std::to_string(workers) + " workers", *threaded);
    print_epoch(std::to_string(workers) + " workers again", *threaded);
  }
  auto unordered = data::make_data_loader<Sequential>(
      stacked(9), data::DataLoaderOptions(2).workers(2).enforce_ordering(false));
  std::int64_t sum = 0;
  for (auto& batch : *unordered) sum += batch.target.sum().item<std::int64_t>();
  REPORT(sum);
  auto object = data::make_data_loader(stacked(6), Sequential(4), data::DataLoaderOptions(3));
  print_epoch("sampler object", *object);
  auto shuffled = data::make_data_loader(stacked(20), data::DataLoaderOptions(6));
  std::set<std::int64_t> seen;
  int batches = 0;
  for (auto& batch : *shuffled) {
    ++batches;
    for (std::int64_t i = 0; i < batch.target.numel(); ++i)
      seen.insert(batch.target[i].item<std::int64_t>());
  }
  REPORT(batches);
  REPORT(seen.size());
  auto items = data::make_data_loader<Sequential>(Squares(3), data::DataLoaderOptions(2));
  for (auto& batch : *items) REPORT(batch.size());
}

void iterators() {
  auto loader = data::make_data_loader<data::samplers::SequentialSampler>(
      Squares(3).map(data::transforms::Stack<>()), data::DataLoaderOptions(2));
  auto at = loader->begin();
  auto copy = at;
  auto end = loader->end();
  REPORT(at == at);
  REPORT(at == copy);
  REPORT(at == end);
  REPORT(end == end);
  REPORT(end == loader->end());
  REPORT(copy->target);
  ++copy;
  REPORT((*at).target);
  REPORT(at != copy);
  REPORT(at != end);
  ++at;
  REPORT(copy == end);
  REPORT(end == copy);
  REPORT_THROWS(*at);
  REPORT_THROWS(at->data);
  REPORT_THROWS(++at);
  REPORT_THROWS(*end);
  REPORT_THROWS(end->data);
  REPORT_THROWS(++end);
  auto second = loader->begin();
  REPORT(second == at);
  REPORT(second->target);
}

}  // namespace

int main() {
  datasets();
  samplers();
  distributed_random();
  loaders();
  iterators();
  return 0;
}

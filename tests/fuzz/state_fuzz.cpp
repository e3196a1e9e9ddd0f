// States that do not fit: a good checkpoint is changed as the input says, and loaded. It is
// rejected, or the training continues without accessing memory of others.
#include <cstring>
#include <vector>

#include "fuzz.h"
#include "td/td.h"

namespace {

using namespace td;

// A training as small as they come, with one part of every kind.
struct Training {
  nn::Linear model{3, 2};
  optim::Adam optimizer{model->parameters(), optim::AdamOptions(0.1).amsgrad(true)};
  optim::LambdaLR schedule{optimizer, [](unsigned epoch) { return 1.0 / (1 + epoch); }};
  data::samplers::RandomSampler sampler{5};
  Generator random{7};
  io::Checkpoint checkpoint;

  Training() {
    checkpoint.add("model", model)
        .add("optimizer", optimizer, model->named_parameters())
        .add("schedule", schedule)
        .add("sampler", sampler)
        .add("random", random);
  }
  void step() {
    optimizer.zero_grad();
    model(ones({2, 3})).sum().backward();
    optimizer.step();
    schedule.step();
    if (const auto indices = sampler.next(2))
      for (const std::size_t index : *indices) fuzz::expect(index < 5, "indices are in range");
  }
};

// Takes the input's bytes one by one; zeros when they are used up.
class Changes {
 public:
  Changes(const std::uint8_t* data, std::size_t size) : at_(data), end_(data + size) {}
  bool empty() const { return at_ == end_; }
  std::size_t next(std::size_t below) { return empty() ? 0 : *at_++ % below; }

 private:
  const std::uint8_t *at_, *end_;
};

Tensor changed(const Tensor& tensor, Changes& changes) {
  constexpr ScalarType kTypes[] = {kByte, kInt, kLong, kHalf, kFloat, kDouble, kBool, kBFloat16};
  switch (changes.next(4)) {
    case 0:
      return ones(tensor.sizes(), kTypes[changes.next(8)]);
    case 1: {
      Sizes sizes;
      for (std::size_t dims = changes.next(4); dims > 0; --dims)
        sizes.push_back(static_cast<std::int64_t>(changes.next(6)));
      return zeros(sizes, tensor.dtype());
    }
    case 2:
      return tensor.reshape({-1});
    default: {
      Tensor copy = tensor.clone();
      // A bool is 0 or 1: files with other bytes do not come this far.
      const std::size_t below = copy.dtype() == kBool ? 2 : 256;
      auto* bytes = static_cast<std::uint8_t*>(copy.data_ptr());
      for (std::size_t i = 0; i < std::min<std::size_t>(copy.nbytes(), 8); ++i)
        bytes[i] = static_cast<std::uint8_t>(changes.next(below));
      return copy;
    }
  }
}

io::StateDict changed(io::StateDict state, Changes& changes) {
  while (!changes.empty() && state.tensors.size() > 0) {
    const std::string name = state.tensors[changes.next(state.tensors.size())].key();
    const Tensor tensor = state.tensors[name];
    switch (changes.next(3)) {
      case 0:
        state.tensors.erase(name);
        break;
      case 1: {
        const std::string other = name + "." + std::to_string(changes.next(3));
        if (!state.tensors.contains(other)) state.tensors.insert(other, tensor);
        break;
      }
      default:
        state.tensors[name] = changed(tensor, changes);
    }
  }
  return state;
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const fuzz::Folder folder;
  static const io::StateDict good = [] {
    Training training;
    training.step();
    training.checkpoint.save(folder / "good");
    return io::load_file(folder / "good");
  }();
  Changes changes(data, size);
  io::save_file(changed(good, changes), folder / "changed");
  Training training;
  if (!fuzz::parses<Error>([&] { training.checkpoint.load(folder / "changed"); })) return 0;
  training.checkpoint.save(folder / "again");
  training.checkpoint.load(folder / "again");
  training.step();
  return 0;
}

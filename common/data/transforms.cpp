// Stacking, and the constants of Normalize.
#include "data/transforms.h"

#include "data/collate.h"

namespace td::data::transforms {

Tensor channel_constants(const std::vector<double>& values) {
  const auto channels = static_cast<std::int64_t>(values.size());
  Tensor tensor = empty({channels, 1, 1});
  for (std::int64_t c = 0; c < channels; ++c)
    tensor.data_ptr<float>()[c] = static_cast<float>(values[static_cast<std::size_t>(c)]);
  return tensor;
}

Example<> Stack<Example<>>::apply_batch(std::vector<Example<>> examples) {
  TensorList data, targets;
  data.reserve(examples.size());
  targets.reserve(examples.size());
  for (Example<>& example : examples) {
    data.push_back(std::move(example.data));
    targets.push_back(std::move(example.target));
  }
  return {collate(data), collate(targets)};
}

TensorExample Stack<TensorExample>::apply_batch(std::vector<TensorExample> examples) {
  TensorList data;
  data.reserve(examples.size());
  for (TensorExample& example : examples) data.push_back(std::move(example.data));
  return collate(data);
}

Tensor Stack<Tensor>::apply_batch(std::vector<Tensor> tensors) { return collate(tensors); }

}  // namespace td::data::transforms

// One item of a dataset: data and target. Batches of stacked items have the same type.
#pragma once

#include "td/tensor/tensor.h"

namespace td::data {

/// An input and what is wanted for it.
template <class Data = Tensor, class Target = Tensor>
struct Example {
  using DataType = Data;
  using TargetType = Target;

  Example() = default;
  Example(Data data_, Target target_) : data(std::move(data_)), target(std::move(target_)) {}

  Data data;
  /// What the model should answer.
  Target target;
};

/// An item without a target.
template <class Data>
struct Example<Data, void> {
  using DataType = Data;
  using TargetType = void;

  Example() = default;
  Example(Data data_) : data(std::move(data_)) {}
  operator Data&() { return data; }
  operator const Data&() const { return data; }

  Data data;
};
/// An example without a target.
using TensorExample = Example<Tensor, void>;

/// Copies tensors into page-locked memory, from which a device copies without waiting. Called by a
/// loader with DataLoaderOptions::pin_memory; overload it for batch types of your own. What is no
/// tensor stays as it is.
template <class Other>
void pin_batch(Other&) {}
inline void pin_batch(Tensor& tensor) { tensor = tensor.pin_memory(); }
template <class Data>
void pin_batch(Example<Data, void>& example) {
  pin_batch(example.data);
}
template <class Data, class Target>
void pin_batch(Example<Data, Target>& example) {
  pin_batch(example.data);
  pin_batch(example.target);
}
template <class Item>
void pin_batch(std::vector<Item>& items) {
  for (Item& item : items) pin_batch(item);
}

}  // namespace td::data

// One item of a dataset: data and target. Batches of stacked items have the same type.
#pragma once

#include "td/tensor/nest.h"

namespace td::data {

/// An input and its target.
template <class Data = Tensor, class Target = Tensor>
struct Example {
  using DataType = Data;
  using TargetType = Target;

  Example() = default;
  Example(Data data_, Target target_) : data(std::move(data_)), target(std::move(target_)) {}

  Data data;
  /// The expected output.
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

/// Copies the tensors of a batch, however nested, to pinned memory, from which copies to a device
/// are asynchronous. Pinned tensors and other values are not copied. Called by a loader with
/// DataLoaderOptions::pin_memory.
template <class Batch>
void pin_batch(Batch& batch) {
  td::detail::each_tensor(batch, [](Tensor& tensor) {
    if (tensor.defined()) tensor = tensor.pin_memory();
  });
}

}  // namespace td::data

namespace td::detail {

/// The walk over tensors goes into examples: data, then target.
template <class Data, class Target>
struct Nest<data::Example<Data, Target>> {
  static constexpr bool kOnlyTensors = Nest<Data>::kOnlyTensors && Nest<Target>::kOnlyTensors;
  template <class F>
  static void each(data::Example<Data, Target>& example, F&& f) {
    each_tensor(example.data, f);
    each_tensor(example.target, f);
  }
  static bool alike(const data::Example<Data, Target>& a, const data::Example<Data, Target>& b) {
    return Nest<Data>::alike(a.data, b.data) && Nest<Target>::alike(a.target, b.target);
  }
};
template <class Data>
struct Nest<data::Example<Data, void>> {
  static constexpr bool kOnlyTensors = Nest<Data>::kOnlyTensors;
  template <class F>
  static void each(data::Example<Data, void>& example, F&& f) {
    each_tensor(example.data, f);
  }
  static bool alike(const data::Example<Data, void>& a, const data::Example<Data, void>& b) {
    return Nest<Data>::alike(a.data, b.data);
  }
};

}  // namespace td::detail

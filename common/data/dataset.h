// Examples, one item of a dataset each, and datasets, which have a size and a get(index). Batches
// of stacked items are Examples too. Each worker thread of a loader gets a copy of the dataset, so
// copies must be cheap (tensors are handles) and get() must not modify shared state.
#pragma once

#include "td/tensor/nest.h"

namespace td::data {

/// An input and its target.
template <class Data = Tensor, class Target = Tensor>
struct Example {
  Example() = default;
  Example(Data data_, Target target_) : data(std::move(data_)), target(std::move(target_)) {}

  Data data;
  /// The expected output.
  Target target;
};

/// An item without a target.
template <class Data>
struct Example<Data, void> {
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

/// The walk over tensors visits the tensors of examples: data, then target.
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
/// An example without a target converts to its data.
template <class Data>
struct Nest<data::Example<Data, void>> : Nest<Data> {};

}  // namespace td::detail

namespace td::data::datasets {

template <class Source, class AppliedTransform>
class MapDataset;

/// Base of datasets whose batches are of type `Batch`.
template <class Self, class Batch>
class BatchDataset {
 public:
  using BatchType = Batch;
  virtual ~BatchDataset() = default;
  /// Returns the items at these indices.
  virtual Batch get_batch(const std::vector<std::size_t>& indices) = 0;
  /// Returns the number of items.
  virtual optional<std::size_t> size() const = 0;

  /// Returns a dataset that applies `transform` to each batch of a copy of this one.
  template <class TransformType>
  MapDataset<Self, TransformType> map(TransformType transform) {
    return {static_cast<Self&>(*this), std::move(transform)};
  }
};

/// Base of datasets that return one item at a time: define `get` and `size`.
template <class Self, class SingleExample = Example<>>
class Dataset : public BatchDataset<Self, std::vector<SingleExample>> {
 public:
  using ExampleType = SingleExample;
  /// Returns item `index`, less than size().
  virtual ExampleType get(std::size_t index) = 0;
  std::vector<ExampleType> get_batch(const std::vector<std::size_t>& indices) override {
    std::vector<ExampleType> batch;
    batch.reserve(indices.size());
    for (std::size_t index : indices) batch.push_back(get(index));
    return batch;
  }
};

/// The result of map().
template <class Source, class AppliedTransform>
class MapDataset : public BatchDataset<MapDataset<Source, AppliedTransform>,
                                       typename AppliedTransform::OutputBatchType> {
 public:
  using BatchType = typename AppliedTransform::OutputBatchType;
  MapDataset(Source source, AppliedTransform transform)
      : source_(std::move(source)), transform_(std::move(transform)) {}
  BatchType get_batch(const std::vector<std::size_t>& indices) override {
    return transform_.apply_batch(source_.get_batch(indices));
  }
  optional<std::size_t> size() const override { return source_.size(); }

 private:
  Source source_;
  AppliedTransform transform_;
};

/// Rows of tensors, with Python's name: item i is (data[i], targets[i]).
class TensorDataset : public Dataset<TensorDataset> {
 public:
  /// @throws ShapeError when the two have different numbers of rows.
  TensorDataset(Tensor data, Tensor targets);
  Example<> get(std::size_t index) override;
  optional<std::size_t> size() const override;
  const Tensor& data() const { return data_; }
  /// The target of every example.
  const Tensor& targets() const { return targets_; }

 private:
  Tensor data_, targets_;
};

}  // namespace td::data::datasets

namespace td::data {

using datasets::TensorDataset;

}  // namespace td::data

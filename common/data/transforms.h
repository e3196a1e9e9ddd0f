// Changes applied to items as they are loaded: `dataset.map(Normalize<>(0.5, 0.5)).map(Stack<>())`.
// They run in the loader's worker threads, so they must not change what others see.
#pragma once

#include <functional>

#include "data/example.h"
#include "td/ops/ops.h"

namespace td::data::transforms {

/// Changes a batch as a whole.
template <class Input, class Output>
class BatchTransform {
 public:
  using InputBatchType = Input;
  using OutputBatchType = Output;
  virtual ~BatchTransform() = default;
  /// One batch, changed.
  virtual OutputBatchType apply_batch(InputBatchType input) = 0;
};

/// Changes each item by itself.
template <class Input, class Output>
class Transform : public BatchTransform<std::vector<Input>, std::vector<Output>> {
 public:
  using InputType = Input;
  using OutputType = Output;
  /// One example, changed.
  virtual OutputType apply(InputType input) = 0;
  std::vector<Output> apply_batch(std::vector<Input> input) override {
    std::vector<Output> output;
    output.reserve(input.size());
    for (Input& item : input) output.push_back(apply(std::move(item)));
    return output;
  }
};

/// Makes one thing of a batch.
template <class Batch, class Item = Batch>
using Collation = BatchTransform<std::vector<Item>, Batch>;
template <class Batch, class Item = Batch>
using Collate = Collation<Batch, Item>;

/// A function as a transform of items.
template <class Input, class Output = Input>
class Lambda : public Transform<Input, Output> {
 public:
  explicit Lambda(std::function<Output(Input)> function) : function_(std::move(function)) {}
  Output apply(Input input) override { return function_(std::move(input)); }

 private:
  std::function<Output(Input)> function_;
};

/// A function as a transform of batches.
template <class Input, class Output = Input>
class BatchLambda : public BatchTransform<Input, Output> {
 public:
  explicit BatchLambda(std::function<Output(Input)> function) : function_(std::move(function)) {}
  Output apply_batch(Input input) override { return function_(std::move(input)); }

 private:
  std::function<Output(Input)> function_;
};

/// Changes the data of an example and leaves the target.
template <class Target = Tensor>
class TensorTransform : public Transform<Example<Tensor, Target>, Example<Tensor, Target>> {
 public:
  virtual Tensor operator()(Tensor input) = 0;
  Example<Tensor, Target> apply(Example<Tensor, Target> input) override {
    input.data = (*this)(std::move(input.data));
    return input;
  }
};

/// A function of the data.
template <class Target = Tensor>
class TensorLambda : public TensorTransform<Target> {
 public:
  explicit TensorLambda(std::function<Tensor(Tensor)> function) : function_(std::move(function)) {}
  Tensor operator()(Tensor input) override { return function_(std::move(input)); }

 private:
  std::function<Tensor(Tensor)> function_;
};

/// One number a channel as a (C, 1, 1) tensor, or one number for all.
Tensor channel_constants(const std::vector<double>& values);

/// (input - mean) / stddev, with one number for all channels or one for each of a (C, H, W) image.
template <class Target = Tensor>
class Normalize : public TensorTransform<Target> {
 public:
  Normalize(double mean, double stddev)
      : Normalize(std::vector<double>{mean}, std::vector<double>{stddev}) {}
  Normalize(const std::vector<double>& mean, const std::vector<double>& stddev)
      : mean(channel_constants(mean)), stddev(channel_constants(stddev)) {}
  Tensor operator()(Tensor input) override { return input.sub(mean).div_(stddev); }

  Tensor mean, stddev;
};

/// Joins the tensors of a batch along a new first dimension.
template <class Item = Example<>>
class Stack;

/// Examples with data and target become one batch of both.
template <>
class Stack<Example<>> : public Collation<Example<>> {
 public:
  Example<> apply_batch(std::vector<Example<>> examples) override;
};
/// Examples without a target become one batch.
template <>
class Stack<TensorExample> : public Collation<TensorExample> {
 public:
  TensorExample apply_batch(std::vector<TensorExample> examples) override;
};
/// Tensors become one batch.
template <>
class Stack<Tensor> : public Collation<Tensor> {
 public:
  Tensor apply_batch(std::vector<Tensor> tensors) override;
};

}  // namespace td::data::transforms

// Changes applied to items as they are loaded: `dataset.map(RandomCrop<>(32, 4)).map(Stack<>())`.
// They run in the loader's worker threads, so they must not change what others see. Invariant:
// random numbers come from the thread's generator (GeneratorGuard), so a generator that is seeded
// for each image gives the same image in whichever thread loads it.
#pragma once

#include <functional>

#include "data/dataset.h"
#include "td/ops/ops.h"

namespace td::data {
namespace detail {
inline thread_local constinit bool collates_pinned = false;  // by a PinnedCollation
}  // namespace detail

/// With `pins`, collate() of this thread makes batches in pinned memory for the lifetime of the
/// object.
struct PinnedCollation : ScopedValue<bool> {
  explicit PinnedCollation(bool pins) : ScopedValue(detail::collates_pinned, pins) {}
};

/// Joins tensors of equal sizes along a new first dimension, like stack(); a Stack calls it.
/// @throws ShapeError when they differ.
Tensor collate(const TensorList& items);

namespace detail {
/// The same for each kind of item.
///@{
inline Tensor join(const TensorList& items) { return collate(items); }
Example<> join(const std::vector<Example<>>& items);
TensorExample join(const std::vector<TensorExample>& items);
///@}
}  // namespace detail

namespace transforms {

/// Changes a batch as a whole.
template <class Input, class Output>
class BatchTransform {
 public:
  using OutputBatchType = Output;
  virtual ~BatchTransform() = default;
  /// Returns the changed batch.
  virtual Output apply_batch(Input input) = 0;
};

/// Changes each item by itself.
template <class Input, class Output>
class Transform : public BatchTransform<std::vector<Input>, std::vector<Output>> {
 public:
  /// Returns the changed example.
  virtual Output apply(Input input) = 0;
  std::vector<Output> apply_batch(std::vector<Input> input) override {
    std::vector<Output> output;
    output.reserve(input.size());
    for (Input& item : input) output.push_back(apply(std::move(item)));
    return output;
  }
};

/// A function as a transform of items.
template <class Input, class Output = Input>
class Lambda : public Transform<Input, Output> {
 public:
  explicit Lambda(std::function<Output(Input)> function) : function_(std::move(function)) {}
  Output apply(Input input) override { return function_(std::move(input)); }

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

/// (input - mean) / stddev, with one number for all channels or one for each of a (C, H, W) image.
template <class Target = Tensor>
class Normalize : public TensorTransform<Target> {
 public:
  Normalize(double mean, double stddev)
      : Normalize(std::vector<double>{mean}, std::vector<double>{stddev}) {}
  Normalize(const std::vector<double>& mean, const std::vector<double>& stddev)
      : mean(tensor(mean, kFloat).view({-1, 1, 1})),
        stddev(tensor(stddev, kFloat).view({-1, 1, 1})) {}
  Tensor operator()(Tensor input) override { return input.sub(mean).div_(stddev); }

  Tensor mean, stddev;
};

/// Joins the tensors of a batch along a new first dimension. Its items are Tensors, or Examples
/// with or without a target.
template <class Item = Example<>>
class Stack : public BatchTransform<std::vector<Item>, Item> {
 public:
  Item apply_batch(std::vector<Item> items) override { return detail::join(items); }
};

/// Returns a window of size x size at a random position in `image` with a border of zeros around
/// it.
/// @param image (C, H, W) on the cpu.
/// @param padding width of the border on each side.
/// @throws ShapeError when the image has other dimensions, or is smaller than the window.
Tensor random_crop(const Tensor& image, std::int64_t size, std::int64_t padding = 0);

/// Returns `image`, or with probability `p` its mirror image: left and right are swapped.
/// @throws Error unless p is from 0 to 1.
Tensor random_horizontal_flip(const Tensor& image, double p = 0.5);

/// random_crop of the data.
template <class Target = Tensor>
class RandomCrop : public TensorTransform<Target> {
 public:
  explicit RandomCrop(std::int64_t size, std::int64_t padding = 0) : size(size), padding(padding) {}
  Tensor operator()(Tensor input) override { return random_crop(input, size, padding); }

  std::int64_t size, padding;
};

/// random_horizontal_flip of the data.
template <class Target = Tensor>
class RandomHorizontalFlip : public TensorTransform<Target> {
 public:
  explicit RandomHorizontalFlip(double p = 0.5) : p(p) {}
  Tensor operator()(Tensor input) override { return random_horizontal_flip(input, p); }

  double p;
};

}  // namespace transforms
}  // namespace td::data

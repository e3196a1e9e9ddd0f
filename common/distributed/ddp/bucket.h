// One bucket of gradients: the memory in which they are contiguous, so that a single all-reduce
// averages them all. The reducer has several. Invariant: from launch() to wait() no other code
// accesses the memory.
#pragma once

#include <functional>

#include "distributed/process_group.h"
#include "td/device/stream.h"

namespace td::distributed {

/// The gradients of one bucket, as a hook sees them.
struct GradBucket {
  std::size_t index = 0;  ///< 0 is the first to be sent
  bool is_last = false;   ///< of this backward pass
  /// All gradients one after another, in one dimension, with some zeros between them.
  Tensor buffer;
  TensorList gradients;   ///< views into `buffer`, with the parameters' sizes
  TensorList parameters;  ///< theirs, in the same order
};

/// Replaces the all-reduce and the division by the number of ranks: starts the communication and
/// returns the work whose wait() leaves the result in `bucket.buffer`. All ranks must make the same
/// calls.
using CommHook = std::function<std::shared_ptr<Work>(ProcessGroup& group, GradBucket& bucket)>;

/// Splits the parameters numbered in `order` into buckets, by PyTorch's rule: a bucket takes
/// parameters until it has at least its limit in bytes, so it may exceed the limit; each type and
/// device has its own buckets. The first bucket of each has its own, small limit, so that the first
/// all-reduce starts early.
/// @param order numbers of `parameters`, in the order in which their gradients will be ready.
/// @return lists of numbers, in the order in which the buckets will be full.
std::vector<std::vector<std::size_t>> assign_buckets(const TensorList& parameters,
                                                     const std::vector<std::size_t>& order,
                                                     std::size_t first_bytes, std::size_t bytes);

/// Gradients that are sent together. After them the memory has one number for each parameter: 1
/// where this rank has its gradient, else 0. They are averaged with the rest, so that every rank
/// learns, at no extra cost, how many ranks have used a parameter.
class Bucket {
 public:
  /// Elements that a bucket of these parameters needs.
  static std::int64_t elements(const TensorList& parameters);
  /// @param numbers the parameters' numbers, for the reducer.
  /// @param memory one-dimensional, that many elements of the parameters' type and device.
  /// @param as_view the gradients stay in the bucket: grad() is a view of it.
  Bucket(std::vector<std::size_t> numbers, TensorList parameters, Tensor memory, bool as_view);
  ~Bucket();
  Bucket(const Bucket&) = delete;
  Bucket& operator=(const Bucket&) = delete;

  /// The parameters' numbers, in the order of their places.
  const std::vector<std::size_t>& numbers() const { return numbers_; }
  /// What a communication hook gets.
  GradBucket& gradients() { return gradients_; }

  /// Prepares a backward pass: no gradient has come yet.
  void reset();
  /// The gradient of the parameter at `place` is finished, or, with `used` false, will not come:
  /// then the earlier value of grad() is averaged, or zeros.
  void add(std::size_t place, bool used);
  /// Whether add() was called for this parameter in this backward pass; whether with `used` true.
  ///@{
  bool has(std::size_t place) const { return state_[place] != State::kMissing; }
  bool used(std::size_t place) const { return state_[place] == State::kUsed; }
  ///@}
  /// True when all gradients have come.
  bool is_complete() const { return missing_ == 0; }
  /// For a rank that has no batch left: adds zeros.
  void add_zeros();

  /// Starts to average over the ranks.
  void launch(ProcessGroup& group, const CommHook& hook);
  /// Blocks until the averages are there.
  void wait();
  /// Writes to users[number] by how many ranks each parameter was used.
  void count_users(int ranks, std::vector<int>& users) const;
  /// Makes the average the gradient of the parameter at `place`.
  void give_back(std::size_t place);

 private:
  enum class State : std::uint8_t { kMissing, kUsed, kUnused };

  std::vector<std::size_t> numbers_;
  GradBucket gradients_;
  Tensor memory_, flags_;
  bool as_view_;
  std::vector<State> state_;
  std::size_t missing_ = 0;
  optional<Stream> stream_;  // the one that all copies of this backward are queued on or waited for
  std::shared_ptr<Work> work_, flags_work_;
};

}  // namespace td::distributed

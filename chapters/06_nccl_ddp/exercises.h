// The exercises of chapter 06: what stands between one process and several that train one model.
// Included by main.cpp, the exercises and their tests.
// Invariant: all ranks call the same functions in the same order, as with any collective.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "td/td.h"

using td::distributed::ProcessGroup;

/// The gradient of `parameter`, or zeros of its sizes where it has none. Given, for all exercises.
inline td::Tensor gradient_or_zeros(const td::Tensor& parameter) {
  const td::Tensor gradient = parameter.grad();
  return gradient.defined() ? gradient : td::zeros_like(parameter.detach());
}

/// A loss as a function of a model's output and what was wanted: the mean over the samples.
using Loss = std::function<td::Tensor(const td::Tensor& output, const td::Tensor& target)>;

/// Which part of an epoch's samples is wanted.
struct Sampling {
  int world_size = 1, rank = 0;
  bool shuffle = true;
  std::uint64_t seed = 0, epoch = 0;
  bool drop_last = false;
};

/// Exercise 6.sampler. The samples of one rank in one epoch, by the rule of PyTorch's
/// DistributedSampler:
///   1. the order of the epoch: 0, 1, 2, ..., shuffled when `shuffle` says so. The shuffle depends
///      on seed + epoch and on nothing else, so that all ranks draw the same order;
///   2. the length is made a multiple of world_size: with `drop_last` the end is cut off, without
///      it the order begins again from the front, as often as needed;
///   3. rank r takes every world_size-th sample, beginning with the r-th.
///
/// @param size samples of the dataset, 0 or more.
/// @return as many indices on every rank, each below `size`.
///
/// Example: 10 samples, 4 ranks, no shuffle: {0, 4, 8}, {1, 5, 9}, {2, 6, 0}, {3, 7, 1}; with
/// drop_last {0, 4}, {1, 5}, {2, 6}, {3, 7}.
std::vector<std::size_t> indices_of_rank(std::size_t size, const Sampling& sampling);

/// Exercise 6.broadcast_start. Gives all ranks the model of rank 0: parameters and buffers.
///
/// @param model the same modules on every rank, with values of their own; afterwards the very same
///     tensors hold rank 0's values. An optimizer may have them already.
/// @param group its broadcast(tensor, root) takes contiguous tensors only. Parameters in channels
///     last order are not contiguous, and keep their order.
///
/// Example: two ranks start with weights 1 and 2; both end with 1.
void broadcast_start(td::nn::Module& model, ProcessGroup& group);

/// Exercise 6.naive_all_reduce. After backward: every gradient becomes the mean of all ranks'
/// gradients, one all_reduce a parameter.
///
/// @param parameters alike on all ranks. One that does not require a gradient takes no part. One
///     that has none yet, because this rank's samples did not use it, takes part with zeros: the
///     others wait for this rank.
/// @param group its all_reduce(tensor, op) takes contiguous tensors only.
///
/// Example: gradients 1 and 3 on two ranks become 2 and 2.
void average_gradients(const std::vector<td::Tensor>& parameters, ProcessGroup& group);

/// Numbers of parameters, bucket by bucket.
using Buckets = std::vector<std::vector<std::size_t>>;

/// Exercise 6.buckets, first part. Divides the parameters among buckets.
///   * Backward reaches the last parameter first, so parameters are taken from the last to the
///     first, and stand so in each bucket.
///   * A bucket holds one element type. It is closed as soon as it has `cap` bytes or more: the
///     parameter that reaches the cap is still in it. The first bucket of each type is closed at
///     `first_cap`, so that communication starts early.
///   * Buckets stand in the order in which backward completes them: the one whose last parameter
///     comes first is first.
///
/// @param first_cap, cap bytes, 1 or more.
/// @return every number from 0 to parameters.size() - 1 exactly once.
///
/// Example: five float32 parameters of 4, 4, 4, 4 and 4 bytes, first_cap 4, cap 8:
///     {4}, {3, 2}, {1, 0}.
Buckets assign_buckets(const std::vector<td::Tensor>& parameters, std::size_t first_cap,
                       std::size_t cap);

/// Exercise 6.buckets, second part. The gradients of `parameters` one after another in one
/// tensor of one dimension; zeros for a gradient that is not there.
/// @param parameters at least one, of one element type and on one device.
/// Example: gradients {{1, 2}, {3, 4}} and {5} become {1, 2, 3, 4, 5}.
td::Tensor pack_gradients(const std::vector<td::Tensor>& parameters);

/// Exercise 6.buckets, third part. The way back: every parameter's gradient gets its piece, in the
/// parameter's shape; one that is not there is made.
void unpack_gradients(const td::Tensor& flat, const std::vector<td::Tensor>& parameters);

/// What the three functions of exercise 6.overlap share. Hooks end with it.
struct Overlap {
  /// @param parameters those of a model that require a gradient. @param group outlives this.
  Overlap(std::vector<td::Tensor> parameters, Buckets buckets, ProcessGroup& group);
  ~Overlap();
  Overlap(const Overlap&) = delete;
  Overlap& operator=(const Overlap&) = delete;

  const std::vector<td::Tensor> parameters;
  const Buckets buckets;
  ProcessGroup& group;
  std::vector<std::size_t> bucket_of;  ///< of each parameter
  std::vector<std::size_t> missing;    ///< of each bucket: gradients that have not arrived
  std::size_t next = 0;                ///< the bucket that is started next; those before are
  std::vector<td::Tensor> flat;        ///< of each started bucket: its gradients in one tensor
  std::vector<std::shared_ptr<td::distributed::Work>> works;  ///< of each started bucket
  std::vector<unsigned> hooks;  ///< of each parameter: what its hook's registration returned
};

inline Overlap::Overlap(std::vector<td::Tensor> parameters_, Buckets buckets_, ProcessGroup& group_)
    : parameters(std::move(parameters_)),
      buckets(std::move(buckets_)),
      group(group_),
      bucket_of(parameters.size()) {
  for (std::size_t b = 0; b < buckets.size(); ++b) {
    missing.push_back(buckets[b].size());
    for (const std::size_t p : buckets[b]) bucket_of[p] = b;
  }
}

inline Overlap::~Overlap() {
  for (std::size_t p = 0; p < hooks.size(); ++p) parameters[p].remove_hook(hooks[p]);
}

/// Exercise 6.overlap, first part. Registers a hook with every parameter, in their order, that
/// calls gradient_ready with the parameter's number each time backward has completed its gradient:
/// register_post_accumulate_grad_hook, which gets the parameter and returns a number for `hooks`.
void attach(Overlap& overlap);

/// Exercise 6.overlap, second part. One more gradient is complete. Starts the all_reduce (average)
/// of every bucket whose turn it is and whose gradients have all arrived, and does not wait for it.
/// Buckets start in the order 0, 1, 2, ... on every rank, whatever the order of gradients is: a
/// bucket that is complete too early waits for those before it.
void gradient_ready(Overlap& overlap, std::size_t parameter);

/// Exercise 6.overlap, third part. After backward: starts what is not started yet (a parameter that
/// this rank did not use counts as zeros), waits for everything, puts the averages into the
/// gradients, and makes `overlap` ready for the next backward.
void finish(Overlap& overlap);

/// Exercise 6.equal_to_one, first part. One step of training of all ranks together that changes the
/// model exactly as one process would with all ranks' samples in one batch, up to rounding.
///
/// @param data, target this rank's samples (N, ...) and (N): as many as there are, which may differ
///     from rank to rank, or none (but not on all ranks). The mean of no samples is NaN.
/// @return the mean loss over all ranks' samples, 0-dimensional, the same on every rank, outside
///     the graph.
///
/// Example: a rank with 3 samples and one with 1: the gradient is 3/4 of the first rank's mean
/// gradient and 1/4 of the other's. DDP takes 1/2 of each, and is equal to one process only when
/// all ranks have as many samples.
td::Tensor equal_step(td::nn::Sequential& model, const Loss& loss_fn,
                      td::optim::Optimizer& optimizer, const td::Tensor& data,
                      const td::Tensor& target, ProcessGroup& group);

/// Exercise 6.equal_to_one, second part. The linear scaling rule (Goyal et al. 2017,
/// arXiv:1706.02677): a batch that is k times as large takes a learning rate that is k times as
/// large.
///
/// @param lr is right for one process with batches of `batch` samples.
/// @param ranks, each of which takes `batch_per_rank` samples a step.
///
/// Example: lr 0.1 for 64 samples; 2 ranks of 64: 0.2; 2 ranks of 32: 0.1.
double scaled_learning_rate(double lr, std::int64_t batch, std::int64_t batch_per_rank, int ranks);

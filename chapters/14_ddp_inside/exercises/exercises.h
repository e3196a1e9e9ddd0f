// The exercises of chapter 14: what happens inside DistributedDataParallel, from an all-reduce
// around a ring to a training step that hangs. Included by the programs, the exercises and their
// tests. Invariant: all ranks call the same functions in the same order, as with any collective.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "td/td.h"

using td::distributed::ProcessGroup;

/// Returns the gradient of `parameter`, or zeros of its sizes if it has none. Given.
inline td::Tensor gradient_or_zeros(const td::Tensor& parameter) {
  const td::Tensor gradient = parameter.grad();
  return gradient.defined() ? gradient : td::zeros_like(parameter.detach());
}

/// A loss as a function of the output of a model and the target: the mean over the samples.
using Loss = std::function<td::Tensor(const td::Tensor& output, const td::Tensor& target)>;

/// Exercise 14.ring_all_reduce. Implement `ring_all_reduce`. It must replace `tensor` on every rank
/// by the sum of the tensors of all ranks, with group.send(tensor, to, tag) and
/// group.recv(tensor, from, tag) as the only communication. The two calls of one message need equal
/// tags. Both return a Work immediately, and work->wait() waits for it. group.rank() and
/// group.size() are the number of this rank and the number of ranks.
///   * Divide the elements into world_size slices of ceil(elements / world_size). The last slices
///     are shorter, or empty.
///   * Rank r sends to rank r + 1 and receives from rank r - 1 only; the last rank sends to rank 0.
///   * In each of the first world_size - 1 rounds, a rank sends one slice, receives another slice,
///     and adds it to its own values of that slice (reduce-scatter). In the world_size - 1 rounds
///     after that, it replaces its values by the received ones (all-gather). A slice without
///     elements may be skipped.
///   * In each round, start the send and the recv before you wait for one of them. Otherwise every
///     rank waits for its neighbor. Wait for the send, too: until then, its slice must not change.
///   * The result is in the memory of `tensor`.
///
/// @param tensor contiguous, of any type and sizes, alike on all ranks.
///
/// Example: {1, 2, 3} on rank 0 and {10, 20, 30} on rank 1 both become {11, 22, 33}. Rank 0 sends
/// two messages: slice 0, {1, 2}; and then slice 1, {33}.
void ring_all_reduce(const td::Tensor& tensor, ProcessGroup& group);

/// Indices of parameters, bucket by bucket.
using Buckets = std::vector<std::vector<std::size_t>>;

/// Exercise 14.buckets, first part. Implement `assign_buckets`. It must divide the parameters among
/// buckets:
///   * Backward completes the gradient of the last parameter first. So take the parameters from the
///     last to the first, and keep this order in each bucket.
///   * A bucket holds one element type. It is closed as soon as it has `cap` bytes or more: the
///     parameter that reaches the cap is still in it. The first bucket of each type is closed at
///     `first_cap` instead, so that communication starts early.
///   * Return the buckets in the order in which backward completes them: a bucket is complete when
///     the parameter with its smallest index is, so the largest smallest index comes first.
///
/// @param first_cap, cap bytes, 1 or more.
/// @return every index from 0 to parameters.size() - 1 exactly once, in buckets that are not empty.
///
/// Example: five float32 parameters of 4 bytes each, first_cap 4, cap 8: {4}, {3, 2}, {1, 0}.
Buckets assign_buckets(const std::vector<td::Tensor>& parameters, std::size_t first_cap,
                       std::size_t cap);

/// Exercise 14.buckets, second part. Implement `pack_gradients`. It must return the gradients of
/// `parameters` one after another in one tensor of one dimension, with zeros for a parameter that
/// has no gradient.
/// @param parameters at least one, of one element type and on one device.
/// Example: the gradients {{1, 2}, {3, 4}} and {5} become {1, 2, 3, 4, 5}.
td::Tensor pack_gradients(const std::vector<td::Tensor>& parameters);

/// Exercise 14.buckets, third part. Implement `unpack_gradients`, the opposite of pack_gradients.
/// It must write to the gradient of every parameter its piece of `flat`, in the parameter's sizes,
/// and create the gradient of a parameter that has none.
void unpack_gradients(const td::Tensor& flat, const std::vector<td::Tensor>& parameters);

/// What the three functions of exercise 14.overlap share. Its destructor removes the hooks, because
/// they refer to it.
struct Overlap {
  /// @param parameters those of a model that require grad. @param group outlives this object.
  Overlap(std::vector<td::Tensor> parameters, Buckets buckets, ProcessGroup& group);
  ~Overlap();
  Overlap(const Overlap&) = delete;
  Overlap& operator=(const Overlap&) = delete;

  const std::vector<td::Tensor> parameters;
  const Buckets buckets;
  ProcessGroup& group;
  std::vector<std::size_t> bucket_of;  ///< of each parameter
  std::vector<std::size_t> missing;    ///< of each bucket: gradients that are not complete yet
  std::size_t next = 0;                ///< the bucket to start next; those before are started
  std::vector<td::Tensor> flat;        ///< of each started bucket: its gradients in one tensor
  std::vector<std::shared_ptr<td::distributed::Work>> works;  ///< of each started bucket
  std::vector<unsigned> hooks;  ///< of each parameter: what the registration of its hook returned
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

/// Exercise 14.overlap, first part. Implement `attach`. It must register a hook with every
/// parameter, in their order, which calls gradient_ready with the index of the parameter each time
/// backward has completed its gradient. Use register_post_accumulate_grad_hook: it runs after the
/// gradient was accumulated, gets the parameter, and returns a number. Store the numbers in
/// `hooks`, so that the destructor of Overlap can remove the hooks.
void attach(Overlap& overlap);

/// Exercise 14.overlap, second part. Implement `gradient_ready`: one more gradient is complete. It
/// must start the all_reduce (average) of every bucket whose gradients are all complete, but only
/// after the buckets before it: buckets start in the order 0, 1, 2, ... on every rank, in whatever
/// order the gradients arrive. It must not wait for an all_reduce.
void gradient_ready(Overlap& overlap, std::size_t parameter);

/// Exercise 14.overlap, third part. Implement `finish`, which is called after backward. It must
/// start the buckets that are not started yet (a parameter that this rank did not use counts as
/// zeros), wait for all of them, store the averages in the gradients, and prepare `overlap` for the
/// next backward pass.
void finish(Overlap& overlap);

/// Exercise 14.accumulate. Implement `accumulate_step`: one step of the optimizer from several
/// micro-batches per rank. It must
///   * clear the gradients first, and call optimizer.step() once;
///   * run forward and backward for each micro-batch before the next one begins: only the graph of
///     one micro-batch fits into memory;
///   * average gradients over the ranks once per step, not once per micro-batch: all micro-batches
///     but the last run under ddp->no_sync(). DDP looks for the guard when **forward** is called;
///   * weight each micro-batch by its rows, because their numbers may differ: before the average,
///     the gradient of a rank is that of the mean loss over all rows of this rank;
///   * leave `ddp` as it was if the loss function throws: end the scope of the guard;
///   * read no value, because that would make the host wait in each micro-batch.
///
/// @param loss_fn the mean over the rows of a micro-batch.
/// @param batches this rank's micro-batches, on the device of the model; at least one row each. All
///     ranks have equally many.
/// @return the mean loss over all rows of this rank, 0-dimensional, without a graph.
/// @throws td::Error if `batches` is empty.
///
/// Example: micro-batches of 3 rows and 1 row: the losses count 3/4 and 1/4. PyTorch's
/// loss / number_of_micro_batches would count 1/2 and 1/2.
td::Tensor accumulate_step(td::distributed::DistributedDataParallel& ddp, const Loss& loss_fn,
                           td::optim::Optimizer& optimizer,
                           const std::vector<td::data::Example<>>& batches);

/// The latest collectives of one rank, as a flight recorder keeps them: at least the call that the
/// rank waits for, and as many before it as the recorder has room for. Given.
struct CallRecords {
  using Call = td::distributed::CollectiveFingerprint;
  std::vector<Call> calls;  ///< in the order of their numbers `sequence`, without gaps

  /// The number of the latest call; 0 if the rank has made none.
  std::uint64_t latest() const { return calls.empty() ? 0 : calls.back().sequence; }
  /// The record of call `number`; nullptr if it was not made yet, or if its record is gone.
  const Call* find(std::uint64_t number) const {
    if (calls.empty() || number < calls.front().sequence || number > latest()) return nullptr;
    return &calls[static_cast<std::size_t>(number - calls.front().sequence)];
  }
};

/// Why ranks wait for each other, and where to look.
struct Diagnosis {
  enum Reason {
    kNone,       ///< all ranks have made the same calls
    kNotCalled,  ///< some ranks have not made a call that others wait in
    kDifferent   ///< some ranks have made another call
  };
  Reason reason = kNone;
  std::uint64_t call = 0;  ///< the number of the first call that does not fit; 0 for kNone
  std::vector<int> ranks;  ///< the ranks to look at, in ascending order
};

/// Exercise 14.diagnose_hang. Implement `diagnose_hang`. It must find the first call that does not
/// fit. Go through the numbers in ascending order, beginning with 1:
///   1. Compare the records of this number, of all ranks that have one. If they are not all equal
///      (`==`), the reason is kDifferent. `ranks` are those whose call is not the one that most
///      ranks make. If several calls are made equally often, the one of the lowest rank counts as
///      right.
///   2. Otherwise, if the latest call of some ranks has a smaller number, the reason is kNotCalled,
///      and `ranks` are these ranks. A rank whose record is gone has made the call.
///
/// @param records one per rank. A rank may have no calls. Numbers may be large: begin with the
/// first
///     number that a record has.
///
/// Example: ranks 0 and 1 have made call 7, all_reduce of 10 elements, and wait in call 8. The
/// latest call of rank 2 is call 7, all_reduce of 1 element: kDifferent, call 7, ranks {2}. If call
/// 7 of rank 2 is equal to the others: kNotCalled, call 8, ranks {2}.
Diagnosis diagnose_hang(const std::vector<CallRecords>& records);

// The exercises of chapter 06: what several processes need to train one model, from the samples of
// a rank to a whole program. Included by the programs, the exercises and their tests. Invariant:
// all ranks call the same functions in the same order, as with any collective.
#pragma once

#include <functional>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "distributed/launch/spawn.h"
#include "td/td.h"

using td::distributed::ProcessGroup;

/// Returns the gradient of `parameter`, or zeros of its sizes if it has none. Given.
inline td::Tensor gradient_or_zeros(const td::Tensor& parameter) {
  const td::Tensor gradient = parameter.grad();
  return gradient.defined() ? gradient : td::zeros_like(parameter.detach());
}

/// A loss as a function of the output of a model and the target: the mean over the samples.
using Loss = std::function<td::Tensor(const td::Tensor& output, const td::Tensor& target)>;

/// Which part of the samples of an epoch a rank gets.
struct Sampling {
  int world_size = 1, rank = 0;
  bool shuffle = true;
  std::uint64_t seed = 0, epoch = 0;
  bool drop_last = false;
};

/// Exercise 6.sampler. Implement `indices_of_rank`. It must return the samples of one rank in one
/// epoch, by the rule of PyTorch's DistributedSampler:
///   1. The order of the epoch is 0, 1, 2, ..., shuffled if `shuffle` is true. The shuffle depends
///      on the sum seed + epoch and on nothing else, so that all ranks draw the same order.
///   2. The length becomes a multiple of world_size. With `drop_last` the end is cut off. Without
///      it, samples from the front are appended, as often as needed.
///   3. Rank r takes every world_size-th sample, beginning with the r-th.
///
/// @param size samples of the dataset, 0 or more.
/// @return equally many indices on every rank, each below `size`.
///
/// Example: 10 samples, 4 ranks, no shuffle: {0, 4, 8}, {1, 5, 9}, {2, 6, 0}, {3, 7, 1}; with
/// drop_last {0, 4}, {1, 5}, {2, 6}, {3, 7}.
std::vector<std::size_t> indices_of_rank(std::size_t size, const Sampling& sampling);

/// Exercise 6.broadcast_start. Implement `broadcast_start`. It must copy the parameters (also
/// frozen ones) and the buffers of rank 0 to all ranks:
///   * The same tensors hold the new values, in the same memory, because an optimizer or a view may
///     refer to them already.
///   * Parameters stay leaves that require grad.
///
/// @param model the same modules on every rank, with different values.
/// @param group its broadcast(tensor, root) takes contiguous tensors only. Parameters in the
///     channels-last memory format are not contiguous, and keep their memory format.
///
/// Example: two ranks start with weights 1 and 2; both end with 1.
void broadcast_start(td::nn::Module& model, ProcessGroup& group);

/// Exercise 6.naive_all_reduce. Implement `average_gradients`. After backward it must replace every
/// gradient by the mean of the gradients of all ranks, with one all_reduce per parameter:
///   * A parameter that does not require grad takes no part, and its gradient does not change.
///   * A parameter that requires grad but has no gradient, because the samples of this rank did not
///     use it, takes part with zeros: the other ranks wait for this rank.
///
/// @param parameters alike on all ranks.
/// @param group its all_reduce(tensor, op) takes contiguous tensors only.
///
/// Example: the gradients 1 and 3 on two ranks become 2 and 2.
void average_gradients(const std::vector<td::Tensor>& parameters, ProcessGroup& group);

/// Exercise 6.ring_all_reduce. Implement `ring_all_reduce`. It must replace `tensor` on every rank
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
///     rank waits for its neighbor.
///   * The result is in the memory of `tensor`.
///
/// @param tensor contiguous, of any type and sizes, alike on all ranks.
///
/// Example: {1, 2, 3} on rank 0 and {10, 20, 30} on rank 1 both become {11, 22, 33}. Rank 0 sends
/// two messages: slice 0, {1, 2}; and then slice 1, {33}.
void ring_all_reduce(const td::Tensor& tensor, ProcessGroup& group);

/// Indices of parameters, bucket by bucket.
using Buckets = std::vector<std::vector<std::size_t>>;

/// Exercise 6.buckets, first part. Implement `assign_buckets`. It must divide the parameters among
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

/// Exercise 6.buckets, second part. Implement `pack_gradients`. It must return the gradients of
/// `parameters` one after another in one tensor of one dimension, with zeros for a parameter that
/// has no gradient.
/// @param parameters at least one, of one element type and on one device.
/// Example: the gradients {{1, 2}, {3, 4}} and {5} become {1, 2, 3, 4, 5}.
td::Tensor pack_gradients(const std::vector<td::Tensor>& parameters);

/// Exercise 6.buckets, third part. Implement `unpack_gradients`, the opposite of pack_gradients. It
/// must write to the gradient of every parameter its piece of `flat`, in the parameter's sizes, and
/// create the gradient of a parameter that has none.
void unpack_gradients(const td::Tensor& flat, const std::vector<td::Tensor>& parameters);

/// What the three functions of exercise 6.overlap share. Its destructor removes the hooks, because
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

/// Exercise 6.overlap, first part. Implement `attach`. It must register a hook with every
/// parameter, in their order, which calls gradient_ready with the index of the parameter each time
/// backward has completed its gradient. Use register_post_accumulate_grad_hook: it runs after the
/// gradient was accumulated, gets the parameter, and returns a number. Store the numbers in
/// `hooks`, so that the destructor of Overlap can remove the hooks.
void attach(Overlap& overlap);

/// Exercise 6.overlap, second part. Implement `gradient_ready`: one more gradient is complete. It
/// must start the all_reduce (average) of every bucket whose gradients are all complete, but only
/// after the buckets before it: buckets start in the order 0, 1, 2, ... on every rank, in whatever
/// order the gradients arrive. It must not wait for an all_reduce.
void gradient_ready(Overlap& overlap, std::size_t parameter);

/// Exercise 6.overlap, third part. Implement `finish`, which is called after backward. It must
/// start the buckets that are not started yet (a parameter that this rank did not use counts as
/// zeros), wait for all of them, store the averages in the gradients, and prepare `overlap` for the
/// next backward pass.
void finish(Overlap& overlap);

/// Exercise 6.accumulate. Implement `accumulate_step`: one step of the optimizer from several
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

/// Exercise 6.equal_to_one, first part. Implement `equal_step`: one training step of all ranks that
/// changes the model exactly as one process would with the samples of all ranks in one batch, up to
/// rounding. A frozen parameter (one that does not require grad) gets no gradient.
///
/// @param model every parameter that requires grad is used by its forward pass.
/// @param data, target the samples of this rank, (N, ...) and (N). N may differ from rank to rank,
///     and may be 0, but not on all ranks. The mean of no samples is NaN. A rank without samples
///     adds a zero of the dtype of the loss, which is that of the parameters, even if the data are
///     integers.
/// @return the mean loss over the samples of all ranks, 0-dimensional, the same on every rank,
///     without a graph.
///
/// Example: a rank with 3 samples and one with 1: the gradient is 3/4 of the mean gradient of the
/// first rank and 1/4 of that of the second rank. DDP takes 1/2 of each, so it equals one process
/// only if all ranks have equally many samples.
td::Tensor equal_step(td::nn::Sequential& model, const Loss& loss_fn,
                      td::optim::Optimizer& optimizer, const td::Tensor& data,
                      const td::Tensor& target, ProcessGroup& group);

/// Exercise 6.equal_to_one, second part. Implement `scaled_learning_rate`, the linear scaling rule
/// (Goyal et al. 2017, arXiv:1706.02677): a batch that is k times as large takes a learning rate
/// that is k times as large.
///
/// @param lr is right for one process with batches of `batch` samples.
/// @param ranks each takes `batch_per_rank` samples per step.
///
/// Example: lr 0.1 for 64 samples: 2 ranks of 64 take 0.2; 2 ranks of 32 take 0.1.
double scaled_learning_rate(double lr, std::int64_t batch, std::int64_t batch_per_rank, int ranks);

/// A training job of exercise 6.ddp_main.
struct Job {
  int world_size = 2;
  td::Device device = td::kCPU;  ///< of every rank; each process has its own sim devices
  td::Tensor data, target;       ///< all samples, on the cpu
  std::function<td::nn::Sequential()> make_model;  ///< on the cpu; values may differ per rank
  Loss loss;
  double lr = 0.1;
  std::int64_t epochs = 1;
  std::int64_t batch_size = 8;  ///< samples per rank and step
  std::string file;             ///< where rank 0 saves the result
};

/// Exercise 6.ddp_main. Implement `ddp_main`, a whole distributed program. It must start
/// job.world_size ranks of this program with td::distributed::spawn. Each rank must
///   * join with init_process_group("gloo"), and leave with destroy_process_group() at the end;
///   * move the model to job.device and wrap it in DistributedDataParallel;
///   * take its samples from td::distributed::DistributedSampler(number of samples), which shuffles
///     with seed 0. Call set_epoch(1), set_epoch(2), ... before the epochs;
///   * train with td::optim::SGD at job.lr. In each step, move inputs and labels to job.device;
///   * print, once, with one line on standard output: "rank 1: inputs on cpu, labels on cpu", with
///     its rank and the devices of the tensors that the model and the loss get.
/// Rank 0, and no other rank, saves the parameters of the model with td::save(list, job.file) and
/// then prints a line that begins with "rank 0: saved".
///
/// @throws td::Error if a rank failed: do not catch what spawn throws.
///
/// spawn starts this program again for every rank. In a rank, the program runs until it reaches the
/// same call of spawn, and that call does not return.
void ddp_main(const Job& job);

/// Exercise 6.repair_hang. Repair `evaluate`, which all ranks call to compute the accuracy of a
/// model. Batch b is evaluated by rank b % group.size(). The file compiles, but it has four faults.
/// Its author reports:
///   - "Only rank 0 prints the accuracy, so only rank 0 asks for it. It ends with a timeout."
///   - "Sometimes a rank returns a value that is not that of all ranks."
///   - "With 4 batches on 3 ranks, the accuracy is not that of one process."
///   - "The last batch has one sample, and it seems to count as much as a whole batch."
///
/// @param data, target the same on every rank, on the cpu, at least one sample. There may be fewer
///     batches than ranks.
/// @return the part of all samples for which the class with the largest output is the target, the
///     same on every rank.
///
/// Example: 3 of 5 samples are right: 0.6, with any batch size and any number of ranks.
double evaluate(td::nn::Sequential& model, const td::Tensor& data, const td::Tensor& target,
                std::int64_t batch_size, ProcessGroup& group);

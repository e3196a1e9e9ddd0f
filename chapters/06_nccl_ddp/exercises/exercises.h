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

/// Exercise 6.equal_to_one, first part. Implement `equal_step`: one training step of all ranks that
/// changes the model exactly as one process would with the samples of all ranks in one batch, up to
/// rounding. Gradients of before do not count. A frozen parameter (one that does not require grad)
/// gets no gradient.
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

/// Exercise 6.metric. Implement `accuracy`, which all ranks call after they have evaluated their
/// samples of a test set. A DistributedSampler without shuffling has divided the `size` samples
/// among the ranks: row i of rank r is number i * group.size() + r. Numbers from `size` on are
/// padding: samples that another rank has already. They must not count. It must
///   * return the part of the `size` samples for which the class with the largest output is the
///     target, the same value on every rank;
///   * sum up counts over the ranks as kInt64 or kDouble, because a float32 cannot hold all of
///   them;
///   * wait for each collective.
///
/// @param output (N, classes). N is alike on all ranks. @param target (N) of kInt64, on the same
///     device.
/// @param size 1 or more; it may be smaller than the number of ranks.
///
/// Example: 5 samples on 2 ranks. Rank 0 has the samples 0, 2, 4; rank 1 has 1, 3, and 0 again. If
/// sample 0 is wrong and all others are right, the accuracy is 4/5, and not 4/6.
double accuracy(const td::Tensor& output, const td::Tensor& target, std::int64_t size,
                ProcessGroup& group);

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

// The exercises of chapter 10: the parts of a training program for XLA devices. Included by
// the programs, the exercises and their tests.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "lazy.h"
#include "replicas.h"
#include "td/td.h"
#include "xla/client.h"

using td::TensorList;
using td::xla::Buffer;
using td::xla::Executable;

/// Compiled programs by their text.
using Programs = std::map<std::string, Executable>;

/// Exercise 10.lazy. Implement `lazy_sync`: compute the values of lazy tensors, as torch_xla.sync()
/// does. The functions of lazy.h have recorded nodes. `lazy_sync` makes one program for all
/// results, compiles it with session.compile if it is new, runs it, and stores the values in the
/// results. It must
///   * do nothing for a result that has a value already, and nothing at all if all have one;
///   * put one line into the graph for each node that a result needs, also if it is used twice;
///   * take each node that has a value as an input (kInput), whatever operation it was;
///   * pass numbers of the host as inputs of the sizes [], so that another learning rate needs no
///     other program;
///   * compile equal graphs once per session, whatever the values of their inputs are;
///   * release the operands of the results after the run. Nodes that are not results stay recorded;
///   * after an error of compile or of the program, leave all nodes as they were.
///
/// @param results of one or more lazy calls; a node may be there twice.
///
/// Example: w = add(w, mul(number(-rate), grad)) and lazy_sync(session, {w}), in a loop whose rate
/// changes in every step: one call of session.compile, and one run of its program per step.
void lazy_sync(lazy::Session& session, const std::vector<lazy::Tensor>& results);

/// Exercise 10.gradients. Implement `gradients`: return the backward pass of a linear model with a
/// mean squared error as lines of StableHLO. For B = `rows` and F = `features`, the program has
/// defined before these lines
///   %x: tensor<BxFxf32>   the inputs        %error: tensor<Bx1xf32>   output - target
///   %zero: tensor<f32>    0.0
/// The lines must define
///   %grad_w: tensor<1xFxf32>   2/B * (sum over the rows of error * x)
///   %grad_b: tensor<1xf32>     2/B * (sum over the rows of error)
/// You may choose all other names. The operations constant, multiply, dot_general and reduce are
/// enough; programs.h shows each of them.
///
/// @param rows of this replica; the loss is the mean over them.
/// @param features the inputs of the model.
/// @return the lines.
///
/// Example: one row of ten ones with error 3: %grad_w is ten times 6, %grad_b is 6.
std::string gradients(int rows, int features);

/// Exercise 10.all_reduce. Implement `all_reduce`: return lines of StableHLO that define `%result`
/// as the sum of `%value` over all replicas. The replicas have the numbers 0 to replicas - 1 and
/// form one group. A name can be defined only once in a program, also inside an operation's region
/// (its inner function), so all further names must begin with the result's name, as in %result_a.
///
/// @param value,result names without the %.
/// @param type of both, such as "tensor<1x10xf32>". Elements are float32; each is summed by itself.
/// @param replicas at least 1.
/// @return the lines.
///
/// Example: all_reduce("grad", "sum", "tensor<1xf32>", 2), with 1 in one replica and 10 in the
/// other: %sum is 11 in both.
std::string all_reduce(const std::string& value, const std::string& result, const std::string& type,
                       int replicas);

/// One parameter of a model inside a program: names without the %, and the type of all three.
struct Parameter {
  std::string weight;  ///< the value before the step
  std::string grad;    ///< the gradient of this replica
  std::string result;  ///< the value after the step
  std::string type;    ///< such as "tensor<1x10xf32>"
};

/// Returns lines that define %result as the sum of %value over all replicas: all_reduce above.
using SumOverReplicas = std::function<std::string(
    const std::string& value, const std::string& result, const std::string& type)>;

/// Exercise 10.optimizer_step. Implement `optimizer_step`: return lines of StableHLO that clip the
/// gradients and make a step of SGD. All replicas must get the same parameters: those that one
/// device would compute that has the rows of all replicas.
///   * The gradient of a replica is the mean over its own rows. All have equally many rows.
///   * The norm of the gradient counts the elements of all parameters: the root of the sum of their
///     squares. If it exceeds max_norm, the gradient is multiplied by max_norm / norm. This is what
///     clip_grad_norm_ does.
///   * %result = weight - lr * gradient.
///   * Call `sum` once for each parameter and for nothing else, because communication is slow.
/// Find the order of these parts yourself. All further names must begin with the name of a
/// parameter's result, as in %new_w_mean. sum_of_squares of programs.h may help.
///
/// @param parameters one or more, of any types. All gradients may be 0.
/// @param lr the learning rate.
/// @param max_norm above 0.
/// @param replicas at least 1.
/// @param sum returns the lines of one all-reduce.
/// @return the lines.
///
/// Example: weight 5, lr 0.5 and the gradients -2 and 6 on two replicas. Without clipping
/// (max_norm 100), the result is 4 on both. With max_norm 1 it is 4.5.
std::string optimizer_step(const std::vector<Parameter>& parameters, double lr, double max_norm,
                           int replicas, const SumOverReplicas& sum);

/// Copies the batch of one replica for a step to its device: the arguments after the weights.
using Upload = std::function<std::vector<Buffer>(std::size_t step, std::size_t replica)>;
/// Is called with each step's loss, of replica 0, in the order of the steps.
using OnLoss = std::function<void(std::size_t step, const Buffer& loss)>;

/// Exercise 10.donate. Implement `train`, the training loop on one thread. The program takes the
/// weights and a batch. It returns the new weights, in the same order, and after them the loss. The
/// weights are donated: the program stores the new weights in their memory, and the old buffers
/// cannot be used again. The loop must
///   * pass each replica its own weights and its own batch, and continue with the new weights;
///   * call upload(n + 1, ...) after it has started step n and before it waits for step n;
///   * call upload(n, r) exactly once for each step n < `steps` and each replica r;
///   * call on_loss(n, ...) after step n is done, and before step n + 1 starts.
///
/// @param weights [replica][weight], on the replicas' devices.
/// @param steps 0 returns the weights unchanged.
/// @return the weights after the last step, [replica][weight].
///
/// Example: two steps call upload 0, upload 1, on_loss 0, on_loss 1.
std::vector<std::vector<Buffer>> train(const Executable& step,
                                       std::vector<std::vector<Buffer>> weights, std::size_t steps,
                                       const Upload& upload, const OnLoss& on_loss);

/// Returns batch number n as cpu tensors, or an empty list after the last one.
using ReadBatch = std::function<TensorList(std::size_t n)>;

/// Exercise 10.parallel_loader. Implement the constructor, `next` and `close`: a loader like
/// torch_xla's ParallelLoader, whose background thread copies batches to the devices in advance.
///   * Batch n belongs to replica n % replicas and is copied to device n % replicas.
///   * A group of fewer than `replicas` batches at the end is dropped, so that all replicas make
///     the same number of steps.
///   * `read` is called on the background thread only: once for each n, in order from 0. It is not
///     called again after it returned an empty list or threw.
///   * The thread reads before anyone calls `next`, and as long as every replica has fewer than
///     `prefetch` batches ready. No replica ever has more. Besides these, the thread may hold one
///     more group.
///   * `next` returns a batch that is ready, also while `read` is running on the thread.
///   * An error of `read` or of a copy reaches each replica: `next` first returns the groups that
///     were complete before the error, and then throws the error, also in further calls.
///   * After `close` or the destructor, the thread has ended, even if batches are left or the
///     thread was waiting.
///
/// Example: with 2 replicas and 5 batches, next(0) returns the batches 0 and 2, next(1) returns 1
/// and 3, and then both return an empty list.
class ParallelLoader {
 public:
  /// Starts the background thread. @param prefetch at least 1.
  ParallelLoader(const td::xla::Client& client, std::size_t replicas, ReadBatch read,
                 std::size_t prefetch);
  ~ParallelLoader() {
    try {
      close();
    } catch (const std::exception&) {  // a destructor must not throw
    }
  }
  ParallelLoader(const ParallelLoader&) = delete;
  ParallelLoader& operator=(const ParallelLoader&) = delete;

  /// Returns the next batch of a replica, or an empty list after the last one. Blocks until the
  /// batch is there. Each replica may call it from a thread of its own. @throws the loader's error.
  std::vector<Buffer> next(std::size_t replica);
  /// Ends the thread and waits for it. A second call does nothing. Call it when no thread is in
  /// `next`.
  void close();

 private:
  struct State;  ///< yours, in parallel_loader.cpp
  std::shared_ptr<State> state_;
};

/// Returns the next batch of a replica on its device, or an empty list after the last one.
using NextBatch = std::function<std::vector<Buffer>(std::size_t replica)>;

/// Exercise 10.spawn. Implement `spawn`, a complete training program for several replicas: what
/// `xmp.spawn(train)` and its function `train` do in torch_xla. It must start one thread for each
/// of the group's replicas. The thread of replica r must
///   * copy `weights` to device r;
///   * call next(r) until it returns an empty list, and for each batch call group.mark_step(r, ...)
///     with the weights and, after them, the batch;
///   * continue with the results, which are the new weights and, after them, the loss;
///   * call on_loss(n, loss) for step n = 0, 1, ... if r is 0;
///   * at the end copy its weights to the host.
/// If a thread fails, group.abort() makes the mark_step calls of the other threads throw
/// StepAborted. `spawn` must then wait until all threads have ended, and throw the error that came
/// first, not StepAborted. If several threads fail on their own, any of their errors will do.
///
/// @param weights cpu tensors, the same for each replica.
/// @return the weights after the last step as cpu tensors, [replica][weight].
///
/// Example: torch_xla's xmp.spawn(train) on a machine with 8 devices is spawn with a group of 8.
std::vector<TensorList> spawn(const td::xla::Client& client, StepGroup& group,
                              const TensorList& weights, const NextBatch& next,
                              const OnLoss& on_loss);

/// Exercise 10.repair_steps. Repair `train_and_keep`, a training with a learning rate that changes
/// in each step. The weight w has F elements. A step computes w - rate * gradient, where the
/// gradient is the mean of (w - x) over all rows x of all replicas. The file compiles and runs, but
/// it has three faults. Its author reports:
///   - "Every step is as slow as the first one. The trace has a span `compile` in each; with a
///     constant rate it has one. And the memory grows with the number of steps."
///   - "With two replicas, the weight moves twice as far in a step as with one."
///   - "At the end XLA reports that a buffer has been deleted or donated. There is no error if the
///     last step is the only one that is kept."
///
/// After the repair, the function must compile one program for each number of rows, whatever the
/// rates are.
///
/// @param client has as many devices as there are replicas. All arguments of a replica must be on
///     its device; otherwise XLA waits forever.
/// @param weight float32, on the cpu: where each replica starts.
/// @param batches [step][replica], on the cpu: float32 of sizes [rows, F]. There may be no
///     step. The replicas have equally many rows in a step; the next step may have other ones.
/// @param rate returns the learning rate of a step.
/// @param every 1 or more.
/// @return the weights after the steps `every`, 2 * `every` ..., counted from 1, on the cpu.
///
/// Example: 5 steps and every = 2: the weights after steps 2 and 4.
TensorList train_and_keep(const td::xla::Client& client, const td::Tensor& weight,
                          const std::vector<TensorList>& batches,
                          const std::function<double(std::size_t step)>& rate, std::size_t every);

// The exercises of chapter 04: the parts of a training loop, and the loop itself. Included by
// the programs, the exercises and their tests.
#pragma once

#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "td/td.h"

/// A loss as a function of a model's output and the expected output. nn::MSELoss and
/// nn::CrossEntropyLoss convert to it. The result has 0 dimensions.
using Loss = std::function<td::Tensor(const td::Tensor& output, const td::Tensor& target)>;

/// Inputs and targets of one step.
using Batch = td::data::Example<>;

/// Exercise 4.move_batch. Implement `move_batch`, which every training loop calls for each batch of
/// its loader. It must
///   - return data and target on `device` and keep their dtypes;
///   - return the very same tensors where they are on `device` already;
///   - leave the given batch as it is, because a loader may return it again;
///   - pass `non_blocking` on: with true and a batch in pinned memory, the host does not wait.
///
/// @param batch on any device.
/// @param non_blocking false: both copies have finished when the function returns.
/// @return the batch on `device`.
///
/// Example: move_batch(batch, "sim:0").target is int64 when batch.target is int64.
Batch move_batch(const Batch& batch, td::Device device, bool non_blocking = false);

/// Exercise 4.train_step. Implement `train_step`: one step of training. It must
///   - call optimizer.zero_grad(), compute the output and the loss once, call backward, and let
///     the optimizer change the parameters;
///   - leave the gradients of this step in the parameters: the caller may want to log them;
///   - leave the modules in the modes that they have: a frozen batch norm stays in evaluation
///     mode;
///   - only enqueue work: the host does not wait for the device, so item() and cpu() are not
///     allowed.
///
/// @param model, inputs, targets are on one device.
/// @return the loss of this step, 0-dimensional, on that device, and not part of the graph: a
///     caller that keeps the loss must not keep the whole graph alive.
///
/// Example: for (const Batch& batch : batches)
///            total += train_step(model, loss_fn, optimizer, batch.data, batch.target);
td::Tensor train_step(td::nn::Sequential& model, const Loss& loss_fn,
                      td::optim::Optimizer& optimizer, const td::Tensor& inputs,
                      const td::Tensor& targets);

/// Exercise 4.sgd_momentum. Implement `sgd_momentum`. It does what optimizer.step() does for SGD
/// with momentum. With g, the gradient of a parameter:
///     v = momentum * v + g        (at the first step v = g)
///     parameter = parameter - lr * v
/// It must
///   - change the parameters in place: the same memory, which other views share. They stay
///     leaves;
///   - leave a parameter without a gradient as it is, and its velocity, too;
///   - leave the gradients as they are;
///   - store each velocity in memory of its own: a gradient that is set to zero later does not
///     change it. A velocity does not require grad;
///   - only enqueue work: the host does not wait for the device.
///
/// @param parameters leaves that require grad, on any devices.
/// @param velocity one tensor for each parameter, undefined before the parameter's first step.
///
/// Example: parameter 1, gradient 2, lr 0.1, momentum 0.9. After one step v is 2 and the parameter
/// 0.8. After a second step with the same gradient v is 3.8 and the parameter 0.42.
void sgd_momentum(const std::vector<td::Tensor>& parameters, std::vector<td::Tensor>& velocity,
                  double lr, double momentum);

/// The parameters of a network of two layers, or a gradient for each of them.
struct TwoLayers {
  td::Tensor weight1, bias1;  ///< (H, I) and (H).
  td::Tensor weight2, bias2;  ///< (O, H) and (O).
};

/// Exercise 4.backward. Implement `backward`: the backward pass of one step, without autograd. For
///     hidden = relu(x W1^T + b1)
///     output = hidden W2^T + b2
///     loss = the mean of (output - target)^2 over all N * O elements
/// it returns what loss.backward() would leave in the four gradients. It must
///   - build no graph, also when the parameters require grad; the test runs it in
///     td::InferenceMode, where td has no autograd;
///   - give 0 as the derivative of relu at 0, as PyTorch does, also where the
///     gradient that arrives there is infinite;
///   - leave its arguments as they are, and their gradients, too;
///   - only enqueue work: the host does not wait for the device.
///
/// @param x (N, I). @param target (N, O). All tensors have one device and one dtype.
/// @return the gradient of each parameter, with the sizes, the device and the dtype of the
/// parameter.
///
/// Example: all sizes are 1, x = 2, W1 = 3, b1 = 1, W2 = -1, b2 = 0, target = 0. Then hidden is 7,
/// output -7, loss 49, its derivative by output -14, by W2 -98, by hidden 14, by W1 28.
TwoLayers backward(const TwoLayers& net, const td::Tensor& x, const td::Tensor& target);

/// Exercise 4.accuracy. Implement `accuracy`: the fraction of samples for which the model's largest
/// output is the right class. It must
///   - call the model in evaluation mode and without gradient tracking;
///   - afterwards give every module the mode that it had: a model can be in training mode while
///     its batch norm, frozen, is in evaluation mode;
///   - leave gradient tracking as the caller had it;
///   - move each batch to `device`.
///
/// @param model on `device`.
/// @param batches on any devices, of any size each, also empty; data (N, ...), target (N) with
///     the indices of the classes.
/// @return between 0 and 1; 0 if there are no samples.
///
/// Example: 3 right of 4, then 1 right of 1: 4 / 5, not the mean of 3/4 and 1.
double accuracy(td::nn::Sequential& model, const std::vector<Batch>& batches, td::Device device);

/// What `make_classifier` returns: a module with a forward function.
struct Classifier : td::nn::Module {
  /// @param x inputs (N, inputs). @return scores (N, classes).
  virtual td::Tensor forward(const td::Tensor& x) = 0;
};

/// Exercise 4.module. Implement `make_classifier`: write a class of your own that is derived from
/// Classifier, and return an object of it. Its forward function must compute, in this order,
///   1. x - mean, where `mean` is a **buffer** of sizes (inputs), which begins as zeros;
///   2. for each width in `hidden`: a Linear layer with that many outputs, then ReLU;
///   3. dropout with probability 0.5: active in training mode only;
///   4. a Linear layer with `classes` outputs;
///   5. the product with `scale`, a **parameter** of sizes (1), which begins as 1.
/// The names in state_dict() must be mean, scale, hidden0.weight, hidden0.bias, hidden1.weight,
/// ..., output.weight and output.bias, in any order. Everything must move with to(device), and
/// train() and eval() must reach the dropout.
///
/// @param inputs, classes 1 or more. @param hidden the widths; may be empty.
/// @return a new module in training mode.
///
/// Example: make_classifier(7, {31}, 3)->parameters() are 5 tensors.
std::shared_ptr<Classifier> make_classifier(std::int64_t inputs,
                                            const std::vector<std::int64_t>& hidden,
                                            std::int64_t classes);

/// Exercise 4.loader, first half. Implement `collate`, which makes one batch of several samples.
/// The samples are sequences of different lengths. It must
///   - pad each sample with zeros at its end to the length of the longest one, and stack them;
///   - return data and target in **pinned memory**;
///   - keep the dtypes.
///
/// @param samples one or more, on the cpu; data (length, ...), where only the lengths differ;
///     target of equal sizes, 0-dimensional for an index of a class.
/// @return data (N, longest, ...), target (N, ...).
///
/// Example: data {1, 2, 3} and {4}, targets 0 and 1: data {{1, 2, 3}, {4, 0, 0}}, target {0, 1}.
Batch collate(const std::vector<Batch>& samples);

/// Exercise 4.loader, second half. Implement the three functions of `Loader`, which returns the
/// samples of a data set in batches. It must
///   - return each sample once per epoch, in a random order that is new in each epoch;
///   - take the order from td::randperm, so that td::manual_seed repeats it;
///   - put the samples that are left into the last batch;
///   - call `get` for the samples of a batch when the batch is requested, not before, because a
///     data set may not fit into memory;
///   - begin a new epoch at begin(), even when the previous one was not finished;
///   - return nothing at the end of an epoch, at every further call, and before the first
///     begin().
///
/// Example: Loader loader(get, 100, 32); loader.begin();
///          while (const auto batch = loader.next()) ...   // 32, 32, 32 and 4 samples
class Loader {
 public:
  using Get = std::function<Batch(std::int64_t index)>;
  /// @param get returns sample `index`, 0 to `size` - 1. @param batch_size 1 or more.
  Loader(Get get, std::int64_t size, std::int64_t batch_size);
  /// Begins an epoch.
  void begin();
  /// Returns the next batch, collated, or nothing.
  std::optional<Batch> next();

 private:
  Get get_;
  std::int64_t size_, batch_size_;
  std::vector<std::int64_t> order_;  // of the samples in this epoch
  std::size_t position_ = 0;         // of the next sample in order_
};

/// Exercise 4.time_it. Implement `time_it`, which measures how long work on a device takes. A clock
/// that is read right after the call measures only the launch, because device work is asynchronous.
/// It must
///   - call `work` once to warm up, which does not count, and then `runs` times;
///   - measure each run from a device without work to a device without work, whichever stream the
///     work is on;
///   - return the median, so that one interruption does not count.
///
/// @param runs 1 or more.
/// @return seconds of one run: the median of the runs. Of an even number of runs, it may be either
///     of the two in the middle, or their mean.
///
/// Example: time_it([&] { model->forward(x); }, "sim:0", 5)
double time_it(const std::function<void()>& work, td::Device device, int runs);

/// Exercise 4.inference, first half. Implement the constructor of `Evaluation` and `restore`. The
/// object is a scope for inference: until its end, every module of the model is in evaluation mode,
/// and inference mode is on in this thread. At the end, even when an exception ends the scope, each
/// module has the mode that it had. Scopes may be nested.
///
/// module.train(on) sets a module *and all below it*. module.apply(function) calls the function for
/// a module first and then for those below it.
///
/// Example:
///     {
///       const Evaluation evaluation(*model);
///       answers = model->forward(x).argmax(1);
///     }  // the modes are as before
class Evaluation {
 public:
  /// Stores the mode of every module, then changes it.
  explicit Evaluation(td::nn::Module& model);
  ~Evaluation() {
    try {
      restore();
    } catch (const std::exception&) {  // a destructor must not throw
    }
  }
  Evaluation(const Evaluation&) = delete;
  Evaluation& operator=(const Evaluation&) = delete;

 private:
  /// Gives each module the mode that it had. Inference mode ends with the object.
  void restore();

  struct Mode {
    td::nn::Module* module;
    bool training;
  };
  std::vector<Mode> modes_;
  std::optional<td::InferenceMode> inference_mode_;  // emplace() begins it
};

/// Exercise 4.inference, second half. Implement `predict`, which returns the most likely class of
/// each sample. It must
///   - call the model once per batch, in evaluation mode and without gradient tracking, and leave
///     modes and gradient tracking as they were, even when the model throws;
///   - hold one batch and its outputs on the device at a time, and of earlier batches only the
///     classes;
///   - wait for the device once, at the end, however many batches there are.
///
/// @param model on `device`; returns a row of scores for each sample.
/// @param batches in pinned memory on the host: sizes (samples, ...); `samples` may differ.
/// @return the indices of the classes, in order: int64, one dimension, on cpu; 0 of them without
///     batches. An ordinary tensor, which may be the target of a loss.
///
/// Example: a model that returns its input, and batches {{1, 3, 2}, {9, 0, 0}} and {{0, 0, 5}}:
/// {1, 0, 2}.
td::Tensor predict(td::nn::Sequential model, const std::vector<td::Tensor>& batches,
                   td::Device device);

/// Settings of `fit`.
struct FitOptions {
  std::int64_t epochs = 1;
  double lr = 0.01, momentum = 0.9;
};

/// What `fit` reports about one epoch.
struct EpochResult {
  double loss;      ///< mean of the losses of the steps, each weighted with its samples
  double accuracy;  ///< on the test batches, after the epoch
};

/// Exercise 4.fit. Implement `fit`: a whole training program. It must
///   - move the model and the loss function to `device`; both may have buffers;
///   - train with one SGD optimizer, which lives through all epochs: in each epoch, one step per
///     training batch, in the given order;
///   - train in the modes that the modules have, evaluate in evaluation mode without gradient
///     tracking, and then give every module its mode back, even when the model throws;
///   - count samples, not batches: the last batch can be smaller;
///   - wait for the device at most twice per epoch, however many batches there are.
///
/// @param training, test batches in pinned memory on the host; data (N, ...), target (N) with the
///     indices of the classes. There are training batches, and each has samples. `test` may be
///     empty, and so may its batches.
/// @return one result per epoch; the accuracy is 0 without test samples.
///
/// Example: fit(model, loss_fn, training, test, "sim:0", {.epochs = 5}).back().accuracy
std::vector<EpochResult> fit(td::nn::Sequential& model, td::nn::CrossEntropyLoss& loss_fn,
                             const std::vector<Batch>& training, const std::vector<Batch>& test,
                             td::Device device, const FitOptions& options);

/// Exercise 4.repair_loop. Repair `train_and_test`. The file compiles and runs, but it has four
/// faults. Its author reports:
///   - "The loss falls in the first steps. Then it grows, and a smaller learning rate only delays
///     that."
///   - "A momentum of 0.9 makes it no faster than 0 does, if an epoch has few batches."
///   - "The batch norm's running mean changes in the first epoch only."
///   - "With twice as many batches in an epoch, training needs twice the memory."
///
/// Find the line behind each report. Change nothing else: not the learning rate, not the results.
///
/// @param training, test batches on any device, at least one of each; they can have different
/// sizes.
/// @return one result per epoch: the mean loss of the training samples during the epoch, and the
///     share of test samples that the model got right after it, in evaluation mode.
std::vector<EpochResult> train_and_test(td::nn::Sequential& model,
                                        const std::vector<Batch>& training,
                                        const std::vector<Batch>& test, td::Device device,
                                        std::int64_t epochs);

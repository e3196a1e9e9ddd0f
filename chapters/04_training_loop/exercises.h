// The exercises of chapter 04: the parts of a training loop. Included by main.cpp, the exercises
// and their tests.
#pragma once

#include <exception>
#include <functional>
#include <optional>
#include <vector>

#include "td/td.h"

/// A loss as a function of a model's output and what was wanted. nn::MSELoss and
/// nn::CrossEntropyLoss convert to it. The result has 0 dimensions.
using Loss = std::function<td::Tensor(const td::Tensor& output, const td::Tensor& target)>;

/// Inputs and targets of one step.
using Batch = td::data::Example<>;

/// Exercise 4.train_step. One step of training: forget the old gradients, compute the output and
/// the loss, compute the gradients, let the optimizer change the parameters.
///
/// @param model, inputs, targets are on one device.
/// @return the loss of this step, 0-dimensional, on that device, and outside the graph: a caller
/// who
///     keeps it must not keep the whole graph alive. Do not bring it to the host: item() waits for
///     the device, and a loop that waits after every step cannot run ahead.
///
/// Example: for (const Batch& batch : batches)
///            total += train_step(model, loss_fn, optimizer, batch.data, batch.target);
td::Tensor train_step(td::nn::Sequential& model, const Loss& loss_fn,
                      td::optim::Optimizer& optimizer, const td::Tensor& inputs,
                      const td::Tensor& targets);

/// Exercise 4.sgd_momentum. What optimizer.step() does, for SGD with momentum: with g the gradient,
///     v = momentum * v + g        (at the first step v = g)
///     parameter = parameter - lr * v
///
/// @param parameters change in place. One without a gradient stays as it is, with its velocity.
/// @param velocity one tensor for each parameter, undefined before the parameter's first step. It
///     has memory of its own: a gradient that is set to zero later does not change it.
///
/// Example: parameter 1, gradient 2, lr 0.1, momentum 0.9. After one step v = 2 and the parameter
/// is 0.8; after a second one with the same gradient v = 3.8 and it is 0.42.
void sgd_momentum(const std::vector<td::Tensor>& parameters, std::vector<td::Tensor>& velocity,
                  double lr, double momentum);

/// Exercise 4.accuracy. The share of samples for which the model's largest output is the right
/// class.
///
/// @param model is in evaluation mode during the work, and afterwards in the mode it was in.
/// Nothing
///     is recorded for backward.
/// @param batches on any device, of any size each; data (N, ...), target (N) with class numbers.
/// @param device where the model is; the batches are moved there.
/// @return between 0 and 1; 0 for no samples at all.
///
/// Example: 3 right of 4, then 1 right of 1: 4 / 5, not the mean of 3/4 and 1.
double accuracy(td::nn::Sequential& model, const std::vector<Batch>& batches, td::Device device);

/// Exercise 4.migrate, first style: object by object. Each object that takes part is moved by
/// itself, if there is a device of the kind, and stays where it is if there is none.
///
/// @param kind kCUDA or kSIM. Use cuda() or sim() of the modules and tensors.
/// @param batch data and target are replaced by the moved ones.
///
/// Example: migrate_one_by_one(model, loss_fn, batch, td::kCUDA) on a machine without a GPU changes
/// nothing and does not fail.
void migrate_one_by_one(td::nn::Module& model, td::nn::Module& loss_fn, Batch& batch,
                        td::DeviceType kind);

/// Exercise 4.migrate, second style: one device for all. The choice is made once, and everything
/// goes `to` it.
///
/// @return device 0 of the kind, or cpu where there is none.
td::Device migrate_to_one(td::nn::Module& model, td::nn::Module& loss_fn, Batch& batch,
                          td::DeviceType kind);

/// Exercise 4.move_batch. What every training loop does with each batch of its loader.
///
/// @return data and target on `device`, element types unchanged; the very same tensors where they
/// are
///     there already. The batch given is not changed: a loader may hand it out again.
///
/// Example: move_batch(batch, "sim:0").target is int64 when batch.target was.
Batch move_batch(const Batch& batch, td::Device device);

/// Exercise 4.time_it. How long work on a device takes, honestly. A device works on while the host
/// goes ahead, so a clock that is read at once measures how long it takes to *ask* for the work.
///
/// @param work is called once to warm up, which is not counted, and then `runs` times. What the
/// device
///     was busy with before is not part of the measure.
/// @param runs 1 or more.
/// @return seconds of one run: the median of the runs (of an even number, either of the middle
/// ones),
///     so that one interruption does not count.
///
/// Example: time_it([&] { model->forward(x); }, "sim:0", 5)
double time_it(const std::function<void()>& work, td::Device device, int runs);

/// Exercise 4.inference, first half. A scope in which a model answers and does not learn: every
/// module of it is in evaluation mode, and inference mode is on in this thread. At the end, also
/// when that is an exception, each module has the mode it had: a model may be in training mode and
/// its batch norm, frozen, in evaluation mode. Scopes may be nested.
///
/// The constructor and restore are yours. module.train(on) sets a module *and all below it*;
/// module.apply(function) calls the function for a module first and then for those below it.
///
/// Example:
///     {
///       const Evaluation evaluation(*model);
///       answers = model->forward(x).argmax(1);
///     }  // trains on as before
class Evaluation {
 public:
  /// Remembers the mode of every module, then changes it.
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
  /// Gives each module the mode it had. Inference mode ends with the object, by itself.
  void restore();

  struct Mode {
    td::nn::Module* module;
    bool training;
  };
  std::vector<Mode> modes_;
  std::optional<td::InferenceMode> inference_mode_;  // emplace() begins it
};

/// Exercise 4.inference, second half. The class that the model finds most likely, of each sample.
///
/// @param model on `device`; gives a row of scores for each sample, the highest for its answer. It
///     is called in evaluation mode and unrecorded, and has the modes it had afterwards.
/// @param batches on the host, in page-locked memory: sizes [samples, ...], not all equally many.
/// @param device where the model is.
/// @return the numbers of the classes, in order: int64, one dimension, on cpu; without batches
///     there are 0 of them. An ordinary tensor, which may be the target of a loss.
///
/// The device holds one batch and what the model makes of it at a time, and of those before only
/// the classes. The host waits for the device at the end, once, however many batches there are.
///
/// Example: a model that returns its input, and batches {{1, 3, 2}, {9, 0, 0}} and {{0, 0, 5}}:
/// {1, 0, 2}.
td::Tensor predict(td::nn::Sequential model, const std::vector<td::Tensor>& batches,
                   td::Device device);

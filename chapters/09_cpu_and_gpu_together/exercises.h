// The exercises of chapter 09: the host and a device at work at the same time, a model in two
// places, inference, and the choice of a device. Included by main.cpp, the exercises and their
// tests.
#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "handover.h"
#include "td/td.h"

/// Inputs and targets of one step.
using Batch = td::data::Example<>;

// ---- 9.pipeline

/// Makes batch `index` in host memory, page-locked where there is a link to cross.
using Prepare = std::function<Batch(std::int64_t index)>;
/// Queues the work on batch `index`, which is on the device, on the current stream.
using Work = std::function<void(std::int64_t index, const Batch& batch)>;

/// Exercise 9.pipeline. Three stages at work at the same time: while the device works on batch i,
/// batch i + 1 is on its way, and a thread of the host prepares batch i + 2. The queue between the
/// two threads, a Belt, is in belt.h.
///
/// @param prepare is called on one thread of its own, which takes one core
///     (td::set_parallel_width), once a batch and in order. The batch is copied from that thread,
///     on a stream of its own, as soon as it is made; its host memory is kept until the copy is
///     done. An exception arrives instead of the batch that it concerns: the work on the batches
///     before it is asked for first.
/// @param work is called on the caller's thread, once a batch and in order. What it queues on the
///     current stream finds the batch in place, and the batch's memory stays until that is done.
///     It may throw; that ends the pipeline.
/// @param device of the work. On the cpu nothing is copied, and two stages are left.
/// @param ahead 1 or more. This many batches, the one in preparation counted, may wait for their
///     work. And the host runs no further ahead of the device than this: it takes the next batch
///     when the work on the last but one is done. So memory is bounded, whichever stage is slow.
///
/// However it ends, the thread has ended, and everything that was queued is done.
///
/// Example: run_pipeline(100, load_and_augment, train, "cuda", 2);
void run_pipeline(std::int64_t batches, const Prepare& prepare, const Work& work, td::Device device,
                  std::size_t ahead);

// ---- 9.split_model

/// A model in two parts, each on a device of its own. One of them may be the cpu, and both may be
/// the same.
struct SplitModel {
  /// Moves the parts to their devices.
  SplitModel(td::nn::Sequential first_part, td::nn::Sequential second_part, td::Device first_on,
             td::Device second_on)
      : first(std::move(first_part)),
        second(std::move(second_part)),
        first_device(first_on),
        second_device(second_on),
        to_second(first_on, second_on),
        to_first(second_on, first_on) {
    first->to(first_device);
    second->to(second_device);
  }
  /// Of both parts, the first one's in front.
  td::TensorList parameters() const {
    td::TensorList all = first->parameters();
    for (const td::Tensor& parameter : second->parameters()) all.push_back(parameter);
    return all;
  }

  td::nn::Sequential first, second;
  td::Device first_device, second_device;
  Handover to_second, to_first;  ///< For values on their way forward, and for their gradients.
};

/// Exercise 9.split_model, first half. The model's output for `x`, which may be on any device.
///
/// @return on the second device, with one graph over both parts: its backward() gives all
///     parameters their gradients.
td::Tensor split_forward(SplitModel& model, const td::Tensor& x);

/// Exercise 9.split_model, second half. Adds the gradients of the batch's mean cross entropy to the
/// parameters, as `cross_entropy(split_forward(model, x), y).backward()` would, but in pieces, so
/// that both devices have work at the same time (GPipe; Huang et al., 2019).
///
/// The graph is cut between the parts. A piece's values go over by model.to_second.send() and
/// receive(), and their gradient comes back by model.to_first. All forward work is asked for before
/// the first backward work. The host never waits for a device that computes: where a part is on the
/// cpu, it waits for the values that this part needs, and the device has been asked for all that it
/// can do meanwhile.
///
/// @param batch inputs [n, ...] on the first device, classes [n] on the second.
/// @param micro_batches 1 or more: the pieces are batch.data.chunk(micro_batches), the last of
///     which may be smaller. There are fewer when the batch has fewer rows.
/// @return the mean loss over all rows, without dimensions and without a graph, on the second
///     device.
td::Tensor split_backward(SplitModel& model, const Batch& batch, std::int64_t micro_batches);

// ---- 9.inference

/// Exercise 9.inference, first half. A scope in which a model answers and does not learn: every
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

/// Exercise 9.inference, second half. The class that the model finds most likely, of each sample.
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

// ---- 9.advisor

/// Seconds that one step of `size` samples takes; every call measures again.
using Measure = std::function<double(std::int64_t size)>;

/// Exercise 9.advisor, the times. Measures every device at every size, in turns: all devices at all
/// sizes once, then all of them again. So what disturbs the machine for a while disturbs all alike.
///
/// @param devices, sizes one or more. Sizes are measured in this order, at each size the devices in
///     theirs.
/// @param runs 1 or more. One more round is made before them and not counted: a first step is slow.
/// @return seconds[device][size], each the median of its runs; of an even number either of the
///     middle ones.
///
/// Example: with two devices, sizes {1, 64} and 3 runs there are 16 calls, and the first four are
///          devices[0](1), devices[1](1), devices[0](64), devices[1](64).
std::vector<std::vector<double>> time_in_turns(const std::vector<Measure>& devices,
                                               const std::vector<std::int64_t>& sizes, int runs);

/// What a step costs on one device: a straight line.
struct Cost {
  double fixed;       ///< Seconds of a step, however few samples: launches, waits, a latency.
  double per_sample;  ///< Seconds that each sample adds: arithmetic, memory, copies.
  /// Seconds of a step of `size` samples.
  double at(double size) const { return fixed + per_sample * size; }
};

/// Exercise 9.advisor, the line. The cost for which the squares of the *relative* errors,
/// cost.at(sizes[i]) / seconds[i] - 1, have the least sum: 10 % count the same at every size.
///
/// @param sizes at least two different ones. @param seconds one for each size, above 0.
///
/// Example: fit_cost({1, 100}, {0.011, 0.110}) is {0.010, 0.001}: two points lie on one line.
Cost fit_cost(const std::vector<std::int64_t>& sizes, const std::vector<double>& seconds);

/// At which sizes a device is faster than the host.
enum class Worth {
  kNever,
  kAlways,
  kFrom,  ///< Only from a size on: it has the higher fixed cost, and needs less for a sample.
  kUpTo,  ///< Only up to a size: the other way round.
};

/// The answer, and the size at which both are equally fast (for kFrom and kUpTo).
struct Crossover {
  Worth worth;
  double size = 0;
};

/// Exercise 9.advisor, the advice: where between the sizes `from` and `to` the device is faster
/// than the host. Equally fast is not faster. Lines may be parallel, and may cross outside of the
/// range.
///
/// Example: crossover({1e-5, 3e-6}, {2e-4, 1e-6}, 1, 1000) is {kFrom, 95}.
Crossover crossover(const Cost& host, const Cost& device, double from, double to);

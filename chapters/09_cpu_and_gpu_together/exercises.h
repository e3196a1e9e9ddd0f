// The exercises of chapter 09: the host and a device at work at the same time, a model in two
// places, inference, and the choice of a device. Included by main.cpp, the exercises and their
// tests.
#pragma once

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "handover.h"
#include "td/td.h"

/// Inputs and targets of one step.
using Batch = td::data::Example<>;

// ---- 9.pipeline

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

// ---- 9.advisor

/// Seconds that one step of `size` samples takes; every call measures anew.
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

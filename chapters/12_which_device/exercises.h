// The exercises of chapter 12: which device is faster, and from which batch size. Included by
// main.cpp, the exercises and their tests.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "td/td.h"

/// Inputs and targets of one step.
using Batch = td::data::Example<>;

/// Seconds that one step of `size` samples takes; every call measures again.
using Measure = std::function<double(std::int64_t size)>;

/// Exercise 12.advisor, the times. Measures every device at every size, in turns: all devices at
/// all sizes once, then all of them again. So what disturbs the machine for a while disturbs all
/// alike.
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

/// Exercise 12.advisor, the line. The cost for which the squares of the *relative* errors,
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

/// Exercise 12.advisor, the advice: where between the sizes `from` and `to` the device is faster
/// than the host. Equally fast is not faster. Lines may be parallel, and may cross outside of the
/// range.
///
/// Example: crossover({1e-5, 3e-6}, {2e-4, 1e-6}, 1, 1000) is {kFrom, 95}.
Crossover crossover(const Cost& host, const Cost& device, double from, double to);

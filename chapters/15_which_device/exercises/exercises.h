// The exercises of chapter 15: which device is faster, from which batch size, and why a program is
// not faster on more devices. Included by the programs, the exercises and their tests.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "td/td.h"

/// Inputs and targets of one step.
using Batch = td::data::Example<>;

/// Returns the seconds that one step of `size` samples takes. Every call measures again.
using Measure = std::function<double(std::int64_t size)>;

// ---- 15.time_interleaved

/// Exercise 15.time_interleaved. Implement `time_interleaved`. It must measure every device at
/// every size, interleaved: all devices at all sizes once, then all of them again. So other load on
/// the machine slows all devices alike.
///
/// * In each round, take the sizes in their order, and at each size the devices in their order.
/// * Make one more round before the others, and do not count it: a first step is slow.
///
/// @param devices, sizes one or more.
/// @param runs rounds that count; 1 or more.
/// @return seconds[device][size], each the median of its runs. If `runs` is even, return one of the
///     two middle ones, or their mean.
///
/// Example: with two devices, sizes {1, 64} and 3 runs there are 16 calls, and the first four are
///          devices[0](1), devices[1](1), devices[0](64), devices[1](64).
std::vector<std::vector<double>> time_interleaved(const std::vector<Measure>& devices,
                                                  const std::vector<std::int64_t>& sizes, int runs);

// ---- 15.crossover

/// The cost of a step on one device: a straight line.
struct Cost {
  double fixed;       ///< Seconds of a step, however few samples: launches, waits, a latency.
  double per_sample;  ///< Seconds that each sample adds: arithmetic, memory, copies.
  /// Returns the seconds of a step of `size` samples.
  double at(double size) const { return fixed + per_sample * size; }
};

/// Exercise 15.crossover, first half. Implement `fit_cost`. It must return the cost for which the
/// squares of the *relative* errors, cost.at(sizes[i]) / seconds[i] - 1, have the smallest sum. So
/// an error of 10 % counts the same at every size.
///
/// @param sizes at least two different ones. @param seconds one for each size, above 0.
///
/// Example: fit_cost({1, 100}, {0.011, 0.110}) is {0.010, 0.001}: the line through two points.
Cost fit_cost(const std::vector<std::int64_t>& sizes, const std::vector<double>& seconds);

/// At which sizes a device is faster than the host.
enum class Advantage {
  kNever,
  kAlways,
  kFrom,  ///< From a size on: it has the higher fixed cost and the lower cost per sample.
  kUpTo,  ///< Up to a size: it has the lower fixed cost and the higher cost per sample.
};

/// The answer, and the size at which both are equally fast, not rounded (for kFrom and kUpTo).
struct Crossover {
  Advantage advantage;
  double size = 0;
};

/// Exercise 15.crossover, second half. Implement `crossover`. It must state where between the sizes
/// `from` and `to` the device is faster than the host. Equally fast is not faster. The lines may be
/// parallel, and they may cross outside of the range.
///
/// Example: crossover({1e-5, 3e-6}, {2e-4, 1e-6}, 1, 1000) is {kFrom, 95}.
Crossover crossover(const Cost& host, const Cost& device, double from, double to);

// ---- 15.report

/// What happens in a span of time: what a device does, or what the host does for this device.
enum class Activity {
  kCompute,        ///< A kernel runs.
  kCopy,           ///< A copy between the host and the device runs.
  kCommunication,  ///< A copy between two devices, or a collective, runs.
  kLaunch,         ///< The host launches work for this device.
};

/// One entry of a step's trace. Times are seconds since the start of the step.
struct StepSpan {
  int device;  ///< 0 to the number of devices - 1.
  Activity activity;
  double begin, end;
};

/// Why a device computes nothing.
enum class Loss { kNone, kCopies, kCommunication, kLaunches, kWaiting };

/// The speed of a step on several devices, and what its devices lose. Losses are seconds, summed
/// over all devices.
struct StepReport {
  double speed_up = 0, efficiency = 0;
  double copies = 0, communication = 0, launches = 0, waiting = 0;
  Loss largest = Loss::kNone;
};

/// Exercise 15.report. Implement `read_report`. It must compute how much faster a step is on
/// several devices, and name the largest reason why it is not faster still.
///
/// * speed_up is seconds_on_one / seconds_on_all, efficiency is speed_up / devices.
/// * For each device, look at the time from 0 to seconds_on_all. While the device computes, nothing
///   is lost, whatever else happens. At any other moment, the time is lost to the first of these
///   that happens at this moment: a copy, communication, a launch. If none of them does, it is lost
///   to waiting.
/// * `largest` is the loss with the most seconds. Of equal ones it is the first in the order of
///   Loss, and without any loss it is kNone.
///
/// @param spans in any order. They may overlap, even if their activity is the same. Of a span, only
///     the part between 0 and seconds_on_all counts.
/// @throws td::Error if seconds_on_one or seconds_on_all is not positive, `devices` is less than 1,
///     or a span has a device that does not exist.
///
/// Example: a device computes from 0 to 6 ms and copies from 4 to 9 ms, in a step of 10 ms. It
///          loses 3 ms to copies and 1 ms to waiting.
StepReport read_report(double seconds_on_one, double seconds_on_all, int devices,
                       const std::vector<StepSpan>& spans);

// ---- 15.advisor

/// Use this device from this batch size on, until the next piece of advice.
struct Advice {
  std::size_t device;
  std::int64_t from;
};

/// Exercise 15.advisor. Implement `advise`, an advisor that measures and recommends. Start from
/// your functions of 15.time_interleaved and 15.crossover: copy them into this file.
///
/// * Measure as time_interleaved does: interleaved, in the same order, after a round that does not
///   count. Take the medians.
/// * Begin with {device 0, first size}. The devices are listed from the simplest one to the most
///   expensive one.
/// * Go through the sizes in order. Find the fastest device at this size; of equal ones, the first.
///   Change to it only if it takes at most 0.9 of the time of the device that is advised so far:
///   smaller differences may be noise.
/// * The new device begins where it becomes faster than the device that is advised so far. Go back
///   from this size as long as it is also faster at the size before. Between that size before and
///   the next one, the times of both devices are straight lines: the new device begins at their
///   crossing, rounded up to an integer. If it is faster at all sizes before, it begins at the
///   first size.
/// * If it would begin no later than the last entry, it replaces the last entry and takes over that
///   entry's `from`.
///
/// @param devices, sizes one or more; sizes ascend.
/// @param runs rounds that count; an odd number.
/// @return the advice in the order of the sizes.
///
/// Example: at sizes {1, 64, 256} the devices take {24, 276, 1044} and {301, 364, 556}
///          microseconds. The result is {{0, 1}, {1, 94}}: at 64 device 0 is faster, at 256 device
///          1 takes 0.53 of its time, and the lines between these sizes cross at 93.3.
std::vector<Advice> advise(const std::vector<Measure>& devices,
                           const std::vector<std::int64_t>& sizes, int runs);

// ---- 15.repair_benchmark

/// Returns the seconds of a clock. A program passes std::chrono::steady_clock's, and the tests pass
/// a clock that only the work moves.
using Clock = std::function<double()>;

/// The seconds of one prediction on the cpu, and on the device.
struct PredictionTimes {
  double cpu, device;
};

/// Exercise 15.repair_benchmark. Repair `time_predictions`, which times the predictions of one
/// model on the cpu and on a device. The file compiles and runs, but it has four faults. Its author
/// reports:
///   - "The device takes the same time for every model, however large it is. The trace shows that
///     its kernels take much longer."
///   - "If I pass "cpu" as the device, the second time is smaller than the first one. It is the
///     same model on the same device!"
///   - "With one run, the device takes fifty times as long as with nine."
///   - "By these times the device wins. A program that predicts batches from the cpu is slower on
///     the device than on the cpu."
///
/// Both times must be those of a user who has the batch on the cpu, and needs its scores without a
/// graph. A time begins with the batch on the cpu and ends when the scores are complete.
///
/// * On the cpu and on the device, make one prediction that does not count, then `runs` that count.
/// * Moving the model does not count. It may be on any device before and after.
/// * Read the time from `clock` only.
///
/// @param batch on the cpu. @param runs 1 or more.
/// @return the median of the runs, as time_interleaved does.
PredictionTimes time_predictions(td::nn::Sequential& model, const td::Tensor& batch,
                                 td::Device device, int runs, const Clock& clock);

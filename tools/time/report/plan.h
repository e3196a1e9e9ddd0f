// Which cases are measured, in which order, and how long that takes. Called by the driver before
// it measures. Invariant: each round holds every case once, and a case and its counterpart in
// another framework follow each other, so that other load on the machine slows both alike.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "model.h"

namespace report {

/// What the learner wants to compare.
enum class Exercise {
  everything,
  cpu_against_device,   ///< The cpu against one device.
  one_against_several,  ///< One device against several of its kind.
};

/// Which cases are wanted.
struct Choice {
  Exercise exercise = Exercise::everything;
  std::vector<std::string> workloads;  ///< Empty: all.
  std::vector<std::string> devices;    ///< "cpu", "sim", "cuda"; empty: all.
};

/// The chosen cases in their order. @throws std::invalid_argument naming a workload that no case
/// has, with the existing ones, or the reason why nothing is left to measure.
std::vector<Case> chosen(const std::vector<Case>& cases, const Choice& choice,
                         const std::vector<NotHere>& not_here);

/// The order of `count` cases in round `round` of `rounds`: rotated, so that no case is always
/// measured after the same other case at the same time of the run.
std::vector<std::size_t> order_of_round(std::size_t count, int round, int rounds);

/// Seconds that one sample of a case takes, as far as the worker knows.
double expected_seconds(const Case& what, double seconds);

/// "40 s", "3 min 20 s"
std::string duration_text(double seconds);

}  // namespace report

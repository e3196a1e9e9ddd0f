// What split.h and offload.h measure with: several ways to do the same, side by side.
// Invariant: the ways take turns, so that a machine that is slow for a while is slow for all.
#pragma once

#include <algorithm>
#include <chrono>
#include <functional>
#include <vector>

#include "app/app.h"
#include "td/base/parallel.h"
#include "td/td.h"

/// Does the work and waits until it is done.
using Way = std::function<void()>;

/// Median seconds of each way, of `turns` turns behind two that do not count.
inline std::vector<double> seconds_in_turns(const std::vector<Way>& ways, int turns) {
  std::vector<std::vector<double>> all(ways.size());
  for (int turn = -2; turn < turns; ++turn)
    for (std::size_t way = 0; way < ways.size(); ++way) {
      if (app::stop_requested()) throw app::Stopped("some of the measurements");
      const auto start = std::chrono::steady_clock::now();
      ways[way]();
      const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
      if (turn >= 0) all[way].push_back(taken.count());
    }
  std::vector<double> medians;
  for (std::vector<double>& seconds : all) {
    std::sort(seconds.begin(), seconds.end());
    medians.push_back(seconds[seconds.size() / 2]);
  }
  return medians;
}

/// The host computes on the cores that a sim device leaves, until the end of the scope: else both
/// would get in each other's way, which a GPU and its host do not.
class CoresForTheHost {
 public:
  explicit CoresForTheHost(td::Device device) : before_(td::parallel_width()) {
    const int taken = device.is_sim() ? td::core_count() / td::device_count(td::kSIM) : 0;
    td::set_parallel_width(std::max(1, td::core_count() - taken));
  }
  ~CoresForTheHost() { td::set_parallel_width(before_); }
  CoresForTheHost(const CoresForTheHost&) = delete;
  CoresForTheHost& operator=(const CoresForTheHost&) = delete;

 private:
  int before_;
};

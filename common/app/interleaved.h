// Compares the times of several variants of the same work. The chapters' programs measure with it.
// Invariant: the runs are interleaved, so that other load on the machine slows all variants alike.
#pragma once

#include <algorithm>
#include <chrono>
#include <functional>
#include <vector>

#include "app/app.h"
#include "td/base/parallel.h"
#include "td/device/device.h"

namespace app {

/// Does the work and blocks until it has finished.
using Variant = std::function<void()>;

/// Returns the median seconds of each variant over `rounds` rounds. Each round runs every variant
/// once. Two more rounds come first and are not counted.
/// @throws app::Stopped after Ctrl-C.
inline std::vector<double> median_seconds_interleaved(const std::vector<Variant>& variants,
                                                      int rounds) {
  std::vector<std::vector<double>> all(variants.size());
  for (int round = -2; round < rounds; ++round)
    for (std::size_t variant = 0; variant < variants.size(); ++variant) {
      if (stop_requested()) throw Stopped("some of the measurements");
      const auto start = std::chrono::steady_clock::now();
      variants[variant]();
      const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
      if (round >= 0) all[variant].push_back(taken.count());
    }
  std::vector<double> medians;
  for (std::vector<double>& seconds : all) {
    std::sort(seconds.begin(), seconds.end());
    medians.push_back(seconds[seconds.size() / 2]);
  }
  return medians;
}

/// Limits the host to the cores that a sim device does not use, until the end of the scope.
/// Otherwise both would compete for the same cores, which a GPU and its host do not.
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

}  // namespace app

// The settings of sim.h and their environment variables, read once at first use. Called by the
// files of sim. Invariant: with a malformed variable sim has no devices, and `error` gives the
// reason.
#pragma once

#include <atomic>
#include <functional>
#include <string>

#include "sim/sim.h"

namespace td::sim {

/// Values that threads read while others change them are atomics.
struct Settings {
  /// @param variable returns the value of an environment variable, or null.
  explicit Settings(const std::function<const char*(const char*)>& variable);

  std::atomic<int> devices{2};  ///< 0 when a variable is malformed
  std::atomic<std::size_t> capacity;
  std::atomic<double> gb_per_s{Link{}.gb_per_s}, latency_us{Link{}.latency_us};
  std::atomic<double> launch_cost_us{0};
  std::atomic<bool> in_use{false};  ///< makes set_devices throw; set with the first arena
  bool finds_races = false;         ///< at the start
  std::string error;  ///< the malformed variable, with the expected spelling; or empty
};

/// Reads `1048576`, `512MiB`, `1.5 GB` (KB, MB, GB, TB are powers of 1000; KiB ... powers of 1024).
/// @return false when the text is anything else, zero, or too large; `*bytes` is then unchanged.
bool parse_bytes(const std::string& text, std::size_t* bytes);

/// Returns the settings of this process.
Settings& settings();
/// Keeps the host busy for the launch cost.
void spend_launch_cost();

}  // namespace td::sim

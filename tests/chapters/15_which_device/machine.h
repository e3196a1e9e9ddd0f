// Devices whose times are given, for the tests of chapter 15. They remember what was measured.
#pragma once

#include <functional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "check.h"
#include "exercises.h"

/// Devices that take what their curves give, times the factor of the number of the call.
class Machine {
 public:
  using Curve = std::function<double(std::int64_t size)>;
  using Factor = std::function<double(std::size_t call)>;

  explicit Machine(
      std::vector<Curve> curves, Factor factor = [](std::size_t) { return 1.0; })
      : curves_(std::move(curves)), factor_(std::move(factor)) {}
  explicit Machine(
      const std::vector<Cost>& costs, Factor factor = [](std::size_t) { return 1.0; })
      : factor_(std::move(factor)) {
    for (const Cost& cost : costs)
      curves_.push_back([cost](std::int64_t size) { return cost.at(static_cast<double>(size)); });
  }

  std::vector<Measure> devices() {
    std::vector<Measure> all;
    for (std::size_t d = 0; d < curves_.size(); ++d)
      all.push_back([this, d](std::int64_t size) {
        const double factor = factor_(calls_++);
        measured_ << ' ' << static_cast<char>('a' + d) << size;
        return curves_[d](size) * factor;
      });
    return all;
  }
  std::size_t calls() const { return calls_; }
  /// Returns " a1 b1 a64 b64": devices are letters.
  std::string measured() const { return measured_.str(); }

 private:
  std::vector<Curve> curves_;
  Factor factor_;
  std::size_t calls_ = 0;
  std::ostringstream measured_;
};

inline const Cost kHost{2e-5, 4e-6}, kDevice{3e-4, 1e-6};

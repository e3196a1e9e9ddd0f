// Runs kernels observed, for the tests that check the reports.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "launch/launch.h"
#include "simt/observe.h"
#include "td/td.h"

/// The texts of the faults, and of the notes after "note: ".
inline std::vector<std::string> findings_of(const std::function<void()>& work,
                                            const td::simt::ObserveOptions& options = {}) {
  std::vector<std::string> texts;
  for (const auto& report : td::simt::observe(options, work))
    for (const auto& finding : report.findings)
      texts.push_back((finding.is_note ? "note: " : "") + finding.text);
  return texts;
}

/// One block of `threads`.
inline td::simt::LaunchConfig block_of(unsigned threads) { return {.grid = 1, .block = threads}; }

/// A tensor of zeros on sim:0.
inline td::Tensor sim_zeros(td::Sizes sizes, td::ScalarType type = td::kInt) {
  return td::zeros(sizes, type).to("sim:0");
}

/// The elements of an int tensor.
inline std::vector<int> ints(const td::Tensor& tensor) {
  const td::Tensor host = tensor.cpu();
  return {host.data_ptr<int>(), host.data_ptr<int>() + host.numel()};
}

// Functions for the tests of exercises on devices, in addition to check.h. Included by the tests
// of chapter 01, which has no tensors, and by check_tensors.h. Links td_device and td_sim only.
#pragma once

#include <algorithm>
#include <vector>

#include "check.h"
#include "td/device/device.h"

namespace check {

/// The devices to check on: cpu, sim:0, sim:1 and, where there are GPUs, cuda:0 and cuda:1.
inline std::vector<td::Device> devices() {
  std::vector<td::Device> found = {td::Device(td::kCPU)};
  for (int i = 0; i < std::min(2, td::device_count(td::kSIM)); ++i) found.emplace_back(td::kSIM, i);
  for (int i = 0; i < std::min(2, td::device_count(td::kCUDA)); ++i)
    found.emplace_back(td::kCUDA, i);
  return found;
}

}  // namespace check

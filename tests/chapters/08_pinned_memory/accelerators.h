// The devices that the tests of chapter 08 copy to.
#pragma once

#include "check_tensors.h"

/// Seconds after which a gate opens by itself: one whose test asks whether the host waited for it,
/// and one that only delays work.
constexpr double kHeld = 1, kBriefly = 0.3;

/// The accelerators of this machine: sim:0, sim:1 and, where there are GPUs, cuda:0 and cuda:1.
inline std::vector<td::Device> accelerators() {
  std::vector<td::Device> found = check::devices();
  std::erase_if(found, [](td::Device device) { return device.is_cpu(); });
  return found;
}

// The software accelerator's own functions: the settings that make its costs visible, the address
// translation of its kernels, and its race finder. Programs and tests call them; everything else
// about sim goes through Backend.
//
// Invariant: device memory is mapped twice. Allocators return addresses of the guarded view, which
// faults on every access; the kernel view of the same bytes is at a constant distance.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "td/device/device.h"

namespace td::sim {

/// The cost of a transfer: every copy over the link takes the latency plus the time of its bytes.
struct Link {
  double gb_per_s = 12;    ///< 1e9 bytes per second; about PCIe 3.0 x16
  double latency_us = 10;  ///< microseconds
};

/// The distance from guarded to kernel view, per device; constant from before the device's first
/// allocation.
extern std::ptrdiff_t view_distance[kMaxDevices];

/// Returns the address of `guarded` for kernels of device `index`; null for null.
inline void* kernel_view(int index, const void* guarded) {
  if (!guarded) return nullptr;
  return static_cast<char*>(const_cast<void*>(guarded)) + view_distance[index];
}

/// Changes the link of all devices, for copies that start after this call. Also
/// TD_SIM_LINK=12GB/s,10us.
/// @throws Error unless the bandwidth is positive and the latency not negative.
void set_link(Link link);
/// Returns the current link.
Link link();
/// Sets the host microseconds per launch (default 0). Also TD_SIM_LAUNCH_COST=5us.
void set_launch_cost(double microseconds);
/// Returns the launch cost in microseconds.
double launch_cost();
/// Sets the memory of each device in bytes. Also TD_SIM_MEMORY=2GiB. Default: a quarter of the
/// machine's memory, at most 4 GiB. Existing allocations stay.
void set_capacity(std::size_t bytes);
/// Returns the capacity in bytes.
std::size_t capacity();
/// Sets the number of devices (1 to 16; default 2), which divide the cores between them.
/// Also TD_SIM_DEVICES=4. @throws DeviceError when a sim device is in use already.
void set_devices(int count);

/// Two accesses of the same memory, at least one of them a write, without a happens-before order.
struct Race {
  std::string text;    ///< both accesses, and the missing wait
  std::string first;   ///< the operation that was queued first
  std::string second;  ///< the operation that does not wait for it
};

/// Turns the race finder on or off. Also TD_SIM_RACES=1. It checks operations on tensors and
/// copies, and finds a missing wait even if the accesses did not overlap in time in this run.
/// Accesses through data_ptr() are not checked.
void find_races(bool on);
/// Returns whether the race finder is on.
bool finding_races();
/// Returns the races found since the last call; each missing wait is reported once. At the end of
/// the process, races that were not returned are printed to stderr as warnings.
std::vector<Race> take_races();

}  // namespace td::sim

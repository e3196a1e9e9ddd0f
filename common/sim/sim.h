// The software accelerator's own functions: where kernels find their memory, and the settings that
// make its costs visible. Programs for teaching and tests call the settings; kernels/launch.h calls
// kernel_view. Everything else about sim goes through Backend.
//
// Invariant: device memory is mapped twice. What the allocator hands out is the fenced view, which
// nobody may touch; the kernel view of the same bytes lies at a constant distance.
#pragma once

#include <cstddef>

#include "td/device/device.h"

namespace td::sim {

/// What a transfer costs: every copy over the link takes the latency, and then its bytes.
struct Link {
  double gb_per_s = 12;    ///< 1e9 bytes a second; about what PCIe 3.0 x16 gives
  double latency_us = 10;  ///< microseconds
};

/// Distance from fenced to kernel view, per device; fixed before the device's first allocation.
extern std::ptrdiff_t view_distance[kMaxDevices];

/// The address at which kernels of device `index` find `fenced`; null stays null.
inline void* kernel_view(int index, const void* fenced) {
  if (!fenced) return nullptr;
  return static_cast<char*>(const_cast<void*>(fenced)) + view_distance[index];
}

/// Changes the link of all devices, for copies that start from now on. Also
/// TD_SIM_LINK=12GB/s,10us.
/// @throws Error unless the bandwidth is positive and the latency not negative.
void set_link(Link link);
/// The link as it is set.
Link link();
/// Host microseconds that each launch takes (default 0). Also TD_SIM_LAUNCH_COST=5us.
void set_launch_cost(double microseconds);
/// The launch cost as it is set, in microseconds.
double launch_cost();
/// Bytes that each device can hold. Also TD_SIM_MEMORY=2GiB. Default: a quarter of the machine's
/// memory, at most 4 GiB. What is allocated already stays.
void set_capacity(std::size_t bytes);
/// The capacity as it is set, in bytes.
std::size_t capacity();
/// How many devices there are (1 to 16; default 2); the cores are shared out among them.
/// Also TD_SIM_DEVICES=4. @throws DeviceError when a sim device is in use already.
void set_devices(int count);

}  // namespace td::sim

#include "exercises.h"

#include "td/device/allocator.h"
#include "td/device/backend.h"
#include "td/device/stream.h"

// answer: adds_all_reserved
// expect: 40 MiB in a tensor on sim:0, which also has cached memory
// Adds all reserved memory, also that of live tensors.
namespace adds_all_reserved {
td::Device emptiest_device(const std::vector<td::Device>& devices) {
  if (devices.empty()) throw td::DeviceError("no devices");
  td::Device best = devices[0];
  std::size_t most = 0;
  for (const td::Device device : devices) {
    std::size_t free = 0, total = 0;
    td::backend(device.type()).memory(device.index(), &free, &total);
    free += td::memory_stats(device).reserved;
    if (free > most) best = device, most = free;
  }
  return best;
}
}  // namespace adds_all_reserved

// answer: empties_the_cache
// expect: look for empty_cache
// Right numbers, but the caches of all devices are lost.
namespace empties_the_cache {
td::Device emptiest_device(const std::vector<td::Device>& devices) {
  if (devices.empty()) throw td::DeviceError("no devices");
  td::empty_cache();
  td::Device best = devices[0];
  std::size_t most = 0;
  for (const td::Device device : devices) {
    std::size_t free = 0, total = 0;
    td::backend(device.type()).memory(device.index(), &free, &total);
    if (free > most) best = device, most = free;
  }
  return best;
}
}  // namespace empties_the_cache

// answer: empty_list_is_cpu
// expect: an empty list: an error was expected, none was thrown
// Falls back without an error.
namespace empty_list_is_cpu {
td::Device emptiest_device(const std::vector<td::Device>& devices) {
  td::Device best = td::kCPU;
  std::size_t most = 0;
  for (const td::Device device : devices) {
    std::size_t free = 0, total = 0;
    td::backend(device.type()).memory(device.index(), &free, &total);
    const td::MemoryStats stats = td::memory_stats(device);
    free += stats.reserved - stats.allocated;
    if (free > most) best = device, most = free;
  }
  return best;
}
}  // namespace empty_list_is_cpu

// answer: ignores_the_cache
// expect: 96 MiB cached on sim:1, unused: expected sim:1, got sim:0
// Right until a tensor was released: cached memory looks used.
namespace ignores_the_cache {
td::Device emptiest_device(const std::vector<td::Device>& devices) {
  if (devices.empty()) throw td::DeviceError("no devices");
  td::Device best = devices[0];
  std::size_t most = 0;
  for (const td::Device device : devices) {
    std::size_t free = 0, total = 0;
    td::backend(device.type()).memory(device.index(), &free, &total);
    if (free > most) best = device, most = free;
  }
  return best;
}
}  // namespace ignores_the_cache

// answer: largest_piece
// expect: two cached pieces of 40 MiB on sim:1: expected sim:1, got sim:0
// Counts the largest cached piece only.
namespace largest_piece {
td::Device emptiest_device(const std::vector<td::Device>& devices) {
  if (devices.empty()) throw td::DeviceError("no devices");
  td::Device best = devices[0];
  std::size_t most = 0;
  for (const td::Device device : devices) {
    std::size_t free = 0, total = 0;
    td::backend(device.type()).memory(device.index(), &free, &total);
    free += td::memory_stats(device).largest_free;
    if (free > most) best = device, most = free;
  }
  return best;
}
}  // namespace largest_piece

// answer: last_of_equals
// expect: nothing allocated: expected sim:0, got sim:1
// >= takes the last of several equal devices.
namespace last_of_equals {
td::Device emptiest_device(const std::vector<td::Device>& devices) {
  if (devices.empty()) throw td::DeviceError("no devices");
  td::Device best = devices[0];
  std::size_t most = 0;
  for (const td::Device device : devices) {
    std::size_t free = 0, total = 0;
    td::backend(device.type()).memory(device.index(), &free, &total);
    const td::MemoryStats stats = td::memory_stats(device);
    free += stats.reserved - stats.allocated;
    if (free >= most) best = device, most = free;
  }
  return best;
}
}  // namespace last_of_equals

// answer: makes_each_current
// expect: sim:1 was the current sim device before the call
// Makes each device current in order to ask it, as cudaMemGetInfo needs it.
namespace makes_each_current {
td::Device emptiest_device(const std::vector<td::Device>& devices) {
  if (devices.empty()) throw td::DeviceError("emptiest_device: there is no device to choose from");
  td::Device best = devices[0];
  std::size_t most = 0;
  for (const td::Device device : devices) {
    td::set_device(device);
    std::size_t free = 0, total = 0;
    td::backend(device.type()).memory(device.index(), &free, &total);
    const td::MemoryStats stats = td::memory_stats(device);
    const std::size_t usable = free + stats.reserved - stats.allocated;
    if (usable > most) best = device, most = usable;
  }
  return best;
}
}  // namespace makes_each_current

// answer: own_tensors_only
// expect: 96 MiB on sim:0 of another process
// Looks at the tensors of this process, and not at the device.
namespace own_tensors_only {
td::Device emptiest_device(const std::vector<td::Device>& devices) {
  if (devices.empty()) throw td::DeviceError("no devices");
  td::Device best = devices[0];
  for (const td::Device device : devices)
    if (td::memory_stats(device).allocated < td::memory_stats(best).allocated) best = device;
  return best;
}
}  // namespace own_tensors_only

// answer: total_memory
// expect: a tensor of 64 MiB on sim:0
// Mixes up the two numbers of memory(): compares the sizes of the devices.
namespace total_memory {
td::Device emptiest_device(const std::vector<td::Device>& devices) {
  if (devices.empty()) throw td::DeviceError("no devices");
  td::Device best = devices[0];
  std::size_t most = 0;
  for (const td::Device device : devices) {
    std::size_t free = 0, total = 0;
    td::backend(device.type()).memory(device.index(), &total, &free);
    if (free > most) best = device, most = free;
  }
  return best;
}
}  // namespace total_memory

// answer: whole_mib
// expect: a tensor of 4 KiB on sim:0
// Compares what a person reads: whole MiB.
namespace whole_mib {
td::Device emptiest_device(const std::vector<td::Device>& devices) {
  if (devices.empty()) throw td::DeviceError("no devices");
  td::Device best = devices[0];
  std::size_t most = 0;
  for (const td::Device device : devices) {
    std::size_t free = 0, total = 0;
    td::backend(device.type()).memory(device.index(), &free, &total);
    const td::MemoryStats stats = td::memory_stats(device);
    free += stats.reserved - stats.allocated;
    if (free >> 20 > most >> 20) best = device, most = free;
  }
  return best;
}
}  // namespace whole_mib

// answer: largest_part
// expect: 8.5 of 80 GiB are free on cuda:0, 5 of 8 GiB on cuda:1
// Compares which part of each device is free. Right for devices of one size.
namespace largest_part {
td::Device emptiest_device(const std::vector<td::Device>& devices) {
  if (devices.empty()) throw td::DeviceError("no devices");
  td::Device best = devices[0];
  double most = 0;
  for (const td::Device device : devices) {
    std::size_t free = 0, total = 0;
    td::backend(device.type()).memory(device.index(), &free, &total);
    const td::MemoryStats stats = td::memory_stats(device);
    free += stats.reserved - stats.allocated;
    const double part = static_cast<double>(free) / static_cast<double>(total);
    if (part > most) best = device, most = part;
  }
  return best;
}
}  // namespace largest_part

// answer: in_floats
// expect: all but 512 on cuda:1
// Compares floats, which round 80 GiB to a multiple of 4096 bytes.
namespace in_floats {
td::Device emptiest_device(const std::vector<td::Device>& devices) {
  if (devices.empty()) throw td::DeviceError("emptiest_device: no devices");
  td::Device best = devices[0];
  float most = -1;
  for (const td::Device device : devices) {
    std::size_t free = 0, total = 0;
    td::backend(device.type()).memory(device.index(), &free, &total);
    const td::MemoryStats stats = td::memory_stats(device);
    const float bytes = static_cast<float>(free + stats.reserved - stats.allocated);
    if (bytes > most) {
      most = bytes;
      best = device;
    }
  }
  return best;
}
}  // namespace in_floats

// Where a tensor is stored: `cpu`, `sim:1`, `cuda:0`. A Device is a name, cheap to copy;
// check_device checks whether the named device exists.
#pragma once

#include <cstdint>
#include <iterator>
#include <ostream>
#include <string>

namespace td {

/// The kinds of device, from devices.def: the host's processor, and accelerators.
enum class DeviceType : std::int8_t {
#define DEVICE(constant, name, reason) constant,
#include "td/device/devices.def"
};

/// kCPU, kSIM and kCUDA.
///@{
#define DEVICE(constant, name, reason) \
  inline constexpr DeviceType k##constant = DeviceType::constant;
#include "td/device/devices.def"
///@}

/// The name of each kind, as programs write it.
inline constexpr const char* kDeviceNames[] = {
#define DEVICE(constant, name, reason) #name,
#include "td/device/devices.def"
};
/// How many kinds there are.
inline constexpr int kDeviceTypes = static_cast<int>(std::size(kDeviceNames));
/// At most this many devices of a kind.
inline constexpr int kMaxDevices = 16;
/// The largest index a Device can name; check_device knows which ones exist.
inline constexpr int kLargestDeviceIndex = 127;

/// "cpu", "sim" or "cuda".
constexpr const char* device_type_name(DeviceType type) {
  return kDeviceNames[static_cast<int>(type)];
}

/// What a backend's own handles point to: cudaStream_t of cuda, for example. Only the backend knows
/// what is there. The types differ, so that a call which swaps two handles does not compile.
///@{
struct NativeStream;
struct NativeEvent;
struct NativeGraph;
///@}

/// A device kind with an optional index. Without an index it means the kind's current device.
class Device {
 public:
  /// @param index which device of the kind; -1 for the current one. @throws DeviceError below -1.
  Device(DeviceType type, int index = -1) : type_(type), index_(static_cast<std::int8_t>(index)) {
    if (index < -1 || index > kLargestDeviceIndex) [[unlikely]]
      refuse_index(type, index);
  }
  /// Parses `cpu`, `sim`, `sim:1`, `cuda:0`.
  /// @throws DeviceError for anything else, with the spelling expected.
  Device(const std::string& text);
  Device(const char* text) : Device(std::string(text)) {}

  /// The kind, and which of the kind it is (-1: the current one).
  ///@{
  DeviceType type() const { return type_; }
  int index() const { return index_; }
  bool has_index() const { return index_ >= 0; }
#define DEVICE(constant, name, reason) \
  bool is_##name() const { return type_ == k##constant; }
#include "td/device/devices.def"
  ///@}
  /// As it is written: `cuda:0`, or `cuda` without an index.
  std::string str() const;

  friend bool operator==(Device, Device) = default;

 private:
  [[noreturn, gnu::cold]] static void refuse_index(DeviceType type, int index);

  DeviceType type_;
  std::int8_t index_;
};

std::ostream& operator<<(std::ostream& out, Device device);

/// How many devices of the kind this process can use; 0 where there are none. Never throws.
int device_count(DeviceType type);
/// The kind of accelerator that programs use when they name none: the last line of devices.def that
/// has devices here, so GPUs before the software accelerator; kCPU where there is no accelerator.
DeviceType preferred_accelerator();
/// `device` with its index filled in (the current device where it had none), after checking that it
/// exists. A cpu device keeps index -1, as in libtorch.
/// @throws DeviceError naming the device, what there is, and what to do.
Device check_device(Device device);
/// The name of the hardware, as the driver reports it. @throws DeviceError when there is none.
std::string device_name(Device device);

}  // namespace td

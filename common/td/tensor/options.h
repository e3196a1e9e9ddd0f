// What a new tensor is to be: type, device, whether it requires grad, whether pinned.
// Unset fields take the defaults: float32, cpu, no, no.
#pragma once

#include <optional>
#include <string>
#include <type_traits>

#include "td/device/device.h"
#include "td/tensor/dtype.h"

namespace td {

using std::nullopt;
using std::optional;

/// How elements lie in memory. Preserve keeps the source's layout.
enum class MemoryFormat : std::int8_t { Contiguous, Preserve, ChannelsLast };

/// Made by the free functions below: `torch::dtype(kFloat64).device("cuda:0")`.
class TensorOptions {
 public:
  TensorOptions() = default;
  TensorOptions(ScalarType type) : dtype_(type) {}
  TensorOptions(Device device) : device_(device) {}
  TensorOptions(DeviceType type) : device_(Device(type)) {}
  /// From the text of a device. A template, because a plain `const char*` would take the literal 0,
  /// and arange(0, 0) could be read in two ways.
  template <class Text, class = std::enable_if_t<std::is_convertible_v<const Text&, std::string>>>
  TensorOptions(const Text& device) : device_(Device(std::string(device))) {}

  /// A copy with one thing changed.
  ///@{
  TensorOptions dtype(ScalarType type) const {
    return with([&](auto& o) { o.dtype_ = type; });
  }
  TensorOptions device(Device device) const {
    return with([&](auto& o) { o.device_ = device; });
  }
  TensorOptions requires_grad(bool wants) const {
    return with([&](auto& o) { o.requires_grad_ = wants; });
  }
  TensorOptions pinned_memory(bool pinned) const {
    return with([&](auto& o) { o.pinned_ = pinned; });
  }
  TensorOptions memory_format(MemoryFormat format) const {
    return with([&](auto& o) { o.format_ = format; });
  }
  ///@}

  /// What was asked for, or the default.
  ///@{
  ScalarType dtype() const { return dtype_.value_or(kFloat); }
  Device device() const { return device_.value_or(Device(kCPU)); }
  bool requires_grad() const { return requires_grad_; }
  bool pinned_memory() const { return pinned_; }
  optional<MemoryFormat> memory_format() const { return format_; }
  bool has_dtype() const { return dtype_.has_value(); }
  bool has_device() const { return device_.has_value(); }
  ///@}

 private:
  template <class F>
  TensorOptions with(F change) const {
    TensorOptions copy = *this;
    change(copy);
    return copy;
  }
  optional<ScalarType> dtype_;
  optional<Device> device_;
  bool requires_grad_ = false;
  bool pinned_ = false;
  optional<MemoryFormat> format_;
};

/// Options with one thing set, to go on from.
///@{
inline TensorOptions dtype(ScalarType type) { return TensorOptions(type); }
inline TensorOptions device(Device device) { return TensorOptions(device); }
inline TensorOptions requires_grad(bool wants = true) {
  return TensorOptions().requires_grad(wants);
}
///@}

}  // namespace td

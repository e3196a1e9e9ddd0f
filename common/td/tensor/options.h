// Properties of a new tensor: type, device, whether it requires grad, whether pinned; and the
// functions that make one without values. Unset fields take the defaults: float32, cpu, no, no.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <type_traits>

#include "td/base/sizes.h"
#include "td/device/device.h"
#include "td/tensor/dtype.h"

namespace td {

using std::nullopt;
using std::optional;

/// How elements are laid out in memory. Preserve keeps the source's layout.
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
  TensorOptions dtype(ScalarType type) const { return with(&TensorOptions::dtype_, type); }
  TensorOptions device(Device device) const { return with(&TensorOptions::device_, device); }
  TensorOptions requires_grad(bool wants) const {
    return with(&TensorOptions::requires_grad_, wants);
  }
  TensorOptions pinned_memory(bool pinned) const { return with(&TensorOptions::pinned_, pinned); }
  TensorOptions memory_format(MemoryFormat format) const {
    return with(&TensorOptions::format_, format);
  }
  ///@}

  /// The field, or its default when it is not set.
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
  template <class T, class Value>
  TensorOptions with(T TensorOptions::*member, Value value) const {
    TensorOptions copy = *this;
    copy.*member = value;
    return copy;
  }
  optional<ScalarType> dtype_;
  optional<Device> device_;
  bool requires_grad_ = false;
  bool pinned_ = false;
  optional<MemoryFormat> format_;
};

/// Options with one field set, from which others can be made.
///@{
inline TensorOptions dtype(ScalarType type) { return TensorOptions(type); }
inline TensorOptions device(Device device) { return TensorOptions(device); }
inline TensorOptions requires_grad(bool wants = true) {
  return TensorOptions().requires_grad(wants);
}
///@}

class Tensor;
/// A new tensor with these strides on a device; values are whatever the memory held.
Tensor empty_strided(IntArrayRef sizes, IntArrayRef strides, const TensorOptions& options = {});
Tensor empty(IntArrayRef sizes, const TensorOptions& options = {});
Tensor empty(IntArrayRef sizes, const TensorOptions& options, MemoryFormat format);
Tensor empty(IntArrayRef sizes, MemoryFormat format);
/// Uninitialized, with the sizes and, if dense, the strides of `like`.
Tensor empty_like(const Tensor& like, const TensorOptions& options = {},
                  MemoryFormat format = MemoryFormat::Preserve);
/// A tensor over memory that the caller owns. `deleter` runs when the last tensor is gone.
Tensor from_blob(void* data, IntArrayRef sizes, const TensorOptions& options = {});
Tensor from_blob(void* data, IntArrayRef sizes, IntArrayRef strides,
                 const TensorOptions& options = {});
Tensor from_blob(void* data, IntArrayRef sizes, const std::function<void(void*)>& deleter,
                 const TensorOptions& options = {});
Tensor from_blob(void* data, IntArrayRef sizes, IntArrayRef strides,
                 const std::function<void(void*)>& deleter, const TensorOptions& options = {});

}  // namespace td

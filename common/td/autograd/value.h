// A value of any type that forward leaves for backward: `ctx->saved_data["k"] = 3;` and later
// `ctx->saved_data["k"].toInt()`. libtorch's IValue, as far as autograd functions use it.
#pragma once

#include <any>
#include <string>

#include "td/tensor/tensor.h"

namespace td {

/// Holds a number, a string, a tensor, or anything that can be copied.
class IValue {
 public:
  IValue() = default;
  template <class T, class = std::enable_if_t<!std::is_same_v<std::decay_t<T>, IValue>>>
  IValue(T&& value) {
    using V = std::decay_t<T>;
    if constexpr (std::is_arithmetic_v<V>)
      value_ = Scalar(value);
    else if constexpr (std::is_convertible_v<V, std::string>)
      value_ = std::string(value);
    else
      value_ = std::forward<T>(value);
  }

  /// @name The value as what it was put in as. @throws Error when it is something else
  /// @{
  std::int64_t toInt() const { return get<Scalar>("a number").to<std::int64_t>(); }
  double toDouble() const { return get<Scalar>("a number").to<double>(); }
  bool toBool() const { return get<Scalar>("a number").to<bool>(); }
  const Tensor& toTensor() const { return get<Tensor>("a tensor"); }
  const std::string& toStringRef() const { return get<std::string>("a string"); }
  /// Any other type, by its own name.
  template <class T>
  const T& as() const {
    return get<T>("of that type");
  }
  /// @}

 private:
  template <class T>
  const T& get(const char* wanted) const {
    const T* value = std::any_cast<T>(&value_);
    TD_CHECK(Error, value, "saved_data: the value is not ", wanted);
    return *value;
  }
  std::any value_;
};

}  // namespace td

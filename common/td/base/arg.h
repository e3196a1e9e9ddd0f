// One named argument of an options class: a member with a chainable setter and a getter, as in
// `SGDOptions(0.1).momentum(0.9)`. Options classes of nn/, optim/ and data/ are lists of these.
#pragma once

#include <utility>

/// `TD_ARG(double, lr) = 0.1;` declares `lr(value)`, which returns the object, and `lr()`.
#define TD_ARG(T, name)                                    \
 public:                                                   \
  auto name(const T& value)->decltype(*this) {             \
    this->name##_ = value;                                 \
    return *this;                                          \
  }                                                        \
  auto name(T&& value)->decltype(*this) {                  \
    this->name##_ = std::move(value);                      \
    return *this;                                          \
  }                                                        \
  const T& name() const noexcept { return this->name##_; } \
  T& name() noexcept { return this->name##_; }             \
                                                           \
 private:                                                  \
  T name##_

// What the tests of autocast share: bitwise equality, and tensors that need no random numbers.
#pragma once

#include "../td/nn/nets.h"
#include "td/ops/autocast_guard.h"

/// The two types that a region may run in.
inline constexpr td::ScalarType kFastTypes[] = {td::kHalf, td::kBFloat16};

/// Same type, sizes and bits; both may be undefined.
inline bool same_bits(const td::Tensor& a, const td::Tensor& b) {
  if (!a.defined() || !b.defined()) return a.defined() == b.defined();
  return a.dtype() == b.dtype() && a.sizes() == b.sizes() && td::equal(a.cpu(), b.cpu());
}

/// Different numbers between 0.3 and 1.2, as float32 on the cpu; they fill float16's digits.
inline td::Tensor numbers(td::IntArrayRef sizes, double start = 0.3) {
  td::Tensor t = td::empty(sizes);
  const double step = 0.87 / static_cast<double>(std::max<std::int64_t>(1, t.numel()));
  return ramp(t, start, step);
}

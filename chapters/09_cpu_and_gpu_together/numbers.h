// Weights and inputs of the programs split, bubble and offload, which their twins in Python
// compute, too.
#pragma once

#include "td/td.h"

/// Returns numbers between -scale / 2 and scale / 2 from a formula, so that PyTorch has the same.
inline td::Tensor numbers(td::IntArrayRef sizes, double scale) {
  std::int64_t count = 1;
  for (const std::int64_t size : sizes) count *= size;
  const td::Tensor i = td::arange(count).to(td::kInt64);
  const td::Tensor squares = (i * i).remainder(1009).to(td::kFloat32);
  return ((squares / 1009 - 0.5) * scale).reshape(sizes);
}

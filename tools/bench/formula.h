// Networks and batches with values from a formula, so that td and PyTorch compute the same losses.
// compare_gpu.cpp and `./course time` train with them; compare_gpu_torch.py is the same in Python.
// Invariant: a value depends on its index and its seed alone.
#pragma once

#include <cmath>
#include <vector>

#include "number.h"
#include "td/td.h"

namespace bench {

/// A float32 tensor on the cpu, with values between -1 and 1.
inline td::Tensor numbers(const std::vector<std::int64_t>& sizes, std::uint32_t seed) {
  td::Tensor t = td::empty(sizes);
  float* const p = t.data_ptr<float>();
  for (std::int64_t i = 0; i < t.numel(); ++i) p[i] = number(static_cast<std::uint32_t>(i), seed);
  return t;
}

/// `n` classes: 0, 1, ... `kinds` - 1, 0, 1, ...
inline td::Tensor classes(std::int64_t n, std::int64_t kinds) {
  td::Tensor t = td::empty({n}, td::kLong);
  for (std::int64_t i = 0; i < n; ++i) t.data_ptr<std::int64_t>()[i] = i % kinds;
  return t;
}

/// Every layer's weight and bias lie within 1 / sqrt(inputs).
inline void initialize(td::nn::Sequential& model) {
  std::uint32_t seed = 1;
  float scale = 1;
  for (const td::Tensor& p : model->parameters()) {
    if (p.dim() > 1)
      scale = static_cast<float>(1 / std::sqrt(static_cast<double>(p.numel() / p.size(0))));
    const td::NoGradGuard no_grad;
    p.copy_(numbers(p.sizes().vec(), seed++) * scale);
  }
}

/// Three linear layers with ReLU between them.
inline td::nn::Sequential mlp(std::int64_t inputs, std::int64_t width, std::int64_t outputs) {
  using namespace td::nn;
  return Sequential(Linear(inputs, width), ReLU(), Linear(width, width), ReLU(),
                    Linear(width, outputs));
}

}  // namespace bench

// Parts of the floor: training steps written by hand, without a framework, from the best library
// calls and plain loops over buffers that are allocated once. floor.cpp builds networks from them.
// Invariant: a part computes the same as the layer with its name, so the losses agree.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <vector>

#include "harness.h"

namespace bench::floor {

inline int threads = 1;

struct Free {
  void operator()(float* p) const { std::free(p); }
};

/// Floats on a cache line's boundary, zero at first.
struct Buffer {
  explicit Buffer(std::size_t n)
      : data(static_cast<float*>(std::aligned_alloc(64, (n * sizeof(float) + 63) / 64 * 64))),
        size(n) {
    std::fill_n(data.get(), n, 0.0f);
  }
  operator float*() const { return data.get(); }
  std::unique_ptr<float, Free> data;
  std::size_t size;
};

/// body(from, to) over [0, n), by all threads if that is faster.
template <class Body>
void loop(std::size_t n, Body body) {
  if (threads == 1 || n < 20000) return body(std::size_t(0), n);
  const auto team = static_cast<std::size_t>(threads);
#pragma omp parallel for num_threads(threads)
  for (std::size_t t = 0; t < team; ++t) body(n * t / team, n * (t + 1) / team);
}

enum class Rule { kSgd, kMomentum, kAdam };

/// Values, their gradient and their optimizer state.
struct Parameter {
  Parameter(std::size_t n, int inputs, std::uint32_t seed) : value(n), grad(n), m(n), v(n) {
    fill(value, static_cast<std::int64_t>(n), 1 / std::sqrt(static_cast<float>(inputs)), seed);
  }
  void update(Rule rule, float rate, int step);
  Buffer value, grad, m, v;
};

/// y = x W^T + b on `batch` rows, then ReLU when asked.
struct Linear {
  Linear(int in, int out, std::uint32_t seed)
      : in(in), out(out), weight(std::size_t(in) * out, in, seed), bias(out, in, seed + 1) {}
  void forward(const float* x, float* y, int batch, bool relu) const;
  /// dx may be nullptr.
  void backward(const float* x, const float* dy, float* dx, int batch);
  void update(Rule rule, float rate, int step = 1) {
    weight.update(rule, rate, step);
    bias.update(rule, rate, step);
  }
  int in, out;
  Parameter weight, bias;
};

/// Mean loss of rows of 10 classes with class i % 10 in row i, and its gradient.
float cross_entropy(const float* scores, float* grad, int batch);

/// d = d where y > 0, else 0: the gradient of ReLU from its result.
void relu_backward(float* d, const float* y, std::size_t n);

Case lenet();
Case lenet_inference();
Case cifar();
Case cifar_inference();

}  // namespace bench::floor

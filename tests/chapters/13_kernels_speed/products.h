// What the tests of matmul, gemm and tensor_matmul share: factors of integers, whose product
// is exact in any order.
#pragma once

#include "check_kernels.h"
#include "exercises.h"

/// rows x columns integers from -5 to 5, times `unit`, by rows. Different seeds give different
/// ones.
inline std::vector<float> factor(int rows, int columns, int seed, float unit = 1) {
  const auto n = static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns);
  std::vector<float> elements = check::small_numbers(n + static_cast<std::size_t>(seed), unit);
  elements.erase(elements.begin(), elements.begin() + seed);
  return elements;
}

/// The product of factors by rows, m x k and k x n.
inline std::vector<double> product(const std::vector<float>& a, const std::vector<float>& b, int m,
                                   int n, int k) {
  std::vector<double> c;
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) {
      double sum = 0;
      for (int p = 0; p < k; ++p)
        sum += a[static_cast<std::size_t>(i * k + p)] * b[static_cast<std::size_t>(p * n + j)];
      c.push_back(sum);
    }
  return c;
}

inline std::string sizes_text(int m, int n, int k) {
  return "m = " + std::to_string(m) + ", n = " + std::to_string(n) + ", k = " + std::to_string(k);
}

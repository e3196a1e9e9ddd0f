// The kernels of chapter 13 at work, each naive one beside its better one. The programs include it.
#pragma once

#include <cmath>

#include "../11_kernels_threads/demo.h"
#include "exercises.h"

// given/bias_relu.cu
__global__ void bias_relu(const float* x, const float* bias, float* out, int rows, int cols);

/// @copydoc Demos
inline std::vector<Demo> demos(td::Device device, const DemoSizes& sizes) {
  using td::simt::launch;
  const std::int64_t side = sizes.side;
  const int n = static_cast<int>(side);
  const unsigned tiles = blocks_for(side, 16), quarters = blocks_for(side, 64);
  const double flops = 2.0 * static_cast<double>(side * side * side);
  const double words = 4.0 * static_cast<double>(side * side);
  const td::Tensor a = td::randn({side, side}).to(device), b = td::randn({side, side}).to(device);
  const td::Tensor c = td::empty_like(a);
  const td::Tensor half_a = a.to(td::kHalf), half_b = b.to(td::kHalf);
  const td::Tensor q = td::randn({side, 32}).to(device), k = td::randn({side, 32}).to(device);
  const td::Tensor v = td::randn({side, 32}).to(device), out = td::empty_like(q);
  const td::Tensor bias = td::randn({side}).to(device);
  const dim3 strips(blocks_for(side, 32), blocks_for(side, 8));
  const auto elements = static_cast<double>(side * side);
  return {
      {"bias_relu", 2 * words, elements, 0,
       [=] {
         launch<bias_relu>({strips, {32, 8}, 0, elements}, a, bias, c, n, n);
       },
       [=] { return (a + bias).relu(); }},
      {"naive_matmul", 3 * words, flops, 0,
       [=] {
         launch<naive_matmul>({strips, {32, 8}, 0, flops}, a, b, c, n, n, n);
       },
       [=] { return a.mm(b); }},
      {"matmul", 3 * words, flops, 0,
       [=] {
         launch<matmul>({{tiles, tiles}, {16, 16}, 0, flops}, a, b, c, n, n, n);
       },
       [=] { return a.mm(b); }},
      {"register_matmul", 3 * words, flops, 0,
       [=] {
         launch<register_matmul>({{quarters, quarters}, {16, 16}, 0, flops}, a, b, c, n, n, n);
       },
       [=] { return a.mm(b); }},
      {"async_matmul", 3 * words, flops, 0,
       [=] {
         launch<async_matmul>({{tiles, tiles}, {16, 16}, 0, flops}, a, b, c, n, n, n);
       },
       [=] { return a.mm(b); }},
      {"tensor_matmul", 2 * words, 0, flops,
       [=] {
         launch<tensor_matmul>({{tiles, tiles}, 32}, half_a, half_b, c, n, n, n);
       },
       [=] { return half_a.mm(half_b); }},
      {"half2_saxpy", 1.5 * words, 2 * elements, 0,
       [=] {
         launch<half2_saxpy>({blocks_for(side * side / 2, 256), 256, 0, 2 * elements}, n * n,
                             half(0.5f), half_a, half_b);
       },
       [=] { return half_b.add(half_a, 0.5); }},
      {"attention", 4 * 32 * words / static_cast<double>(side), 4 * 32 * elements, 0,
       [=] {
         launch<attention>({blocks_for(side, 1), 32, 0, 4 * 32 * elements}, q, k, v, out, n, 32);
       },
       [=] { return td::softmax(q.mm(k.t()) * (1 / std::sqrt(32.0)), 1).mm(v); }},
  };
}

// The kernels of chapter 12 at work, each naive one beside its better one. The programs include it.
#pragma once

#include "../11_kernels_threads/demo.h"
#include "exercises.h"

// given/naive.cu
__global__ void naive_transpose(const float* in, float* out, int rows, int cols);

/// The kernels on vectors.
inline std::vector<Demo> vector_demos(td::Device device, std::int64_t n) {
  using td::simt::launch;
  const int count = static_cast<int>(n);
  const unsigned blocks = blocks_for(n, 256);
  const auto flops = static_cast<double>(n), words = 4 * flops;
  const td::Tensor a = td::randn({n}).to(device), sums = td::empty({blocks}, a.options());
  const td::Tensor bytes = td::randint(0, 256, {n}).to(td::kByte).to(device);
  const td::Tensor bins = td::zeros({256}, bytes.options().dtype(td::kInt));
  const td::Tensor numbers = td::ones({n}, bins.options());
  const td::Tensor running = td::empty_like(numbers);
  const td::Tensor totals = td::empty({blocks}, bins.options());
  const auto sum = [=] { return a.view({-1, 256}).sum(1); };
  return {
      {"histogram",
       flops,
       0,
       0,
       [=] {
         launch<histogram>({64, 256}, bytes, count, bins);
       },
       {}},
      {"block_sum", words, flops, 0,
       [=] {
         launch<block_sum>({blocks, 256, 0, flops}, a, sums, count);
       },
       sum},
      {"warp_sum", words, flops, 0,
       [=] {
         launch<warp_sum>({blocks, 256, 0, flops}, a, sums, count);
       },
       sum},
      {"scan", 2 * words, 0, 0,
       [=] {
         launch<scan>({blocks, 256}, numbers, running, totals, count);
       },
       [=] {
         return numbers.view({-1, 256}).cumsum(1);
       }},
  };
}

/// The kernels on matrices.
inline std::vector<Demo> matrix_demos(td::Device device, std::int64_t side) {
  using td::simt::launch;
  const int n = static_cast<int>(side);
  const double words = 4.0 * static_cast<double>(side * side);
  const td::Tensor in = td::randn({side, side}).to(device), out = td::empty_like(in);
  const dim3 tiles(blocks_for(side, 32), blocks_for(side, 32));
  const dim3 strips(blocks_for(side, 32), blocks_for(side, 8));
  return {
      {"naive_transpose",
       2 * words,
       0,
       0,
       [=] {
         launch<naive_transpose>({strips, {32, 8}}, in, out, n, n);
       },
       {}},
      {"transpose", 2 * words, 0, 0,
       [=] {
         launch<transpose>({tiles, {32, 8}}, in, out, n, n);
       },
       [=] { return in.t().contiguous(); }},
  };
}

/// @copydoc Demos
inline std::vector<Demo> demos(td::Device device, const DemoSizes& sizes) {
  std::vector<Demo> all = vector_demos(device, sizes.elements);
  for (Demo& demo : matrix_demos(device, sizes.side)) all.push_back(std::move(demo));
  return all;
}

// The kernels of chapter 12 at work, each naive one beside its better one. The programs include it.
#pragma once

#include "../11_kernels_threads/demo.h"
#include "exercises.h"

// given/naive.cu
__global__ void naive_transpose(const float* in, float* out, int rows, int cols);
__global__ void naive_row_sums(const float* in, float* out, int rows, int cols);
__global__ void strided_sum(const float* in, float* out, int n);
__global__ void naive_max_pool(const float* in, float* out, int n);

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
  const td::Tensor b = td::randn({n}).to(device), pooled = td::empty_like(a);
  const td::Tensor weights = td::randn({8}).to(device), product = td::zeros({1}, a.options());
  const auto sum = [=] { return a.view({-1, 256}).sum(1); };
  return {
      {"naive_max_pool",
       2 * words,
       0,
       0,
       [=] {
         launch<naive_max_pool>({blocks, 256}, a, pooled, count);
       },
       {}},
      {"max_pool",
       2 * words,
       0,
       0,
       [=] {
         launch<max_pool>({blocks, 256}, a, pooled, count);
       },
       {}},
      {"conv_1d",
       2 * words,
       16 * flops,
       0,
       [=] {
         launch<conv_1d>({2 * blocks, 128, 0, 16 * flops}, a, weights, pooled, count, 8);
       },
       {}},
      {"dot", 2 * words, 2 * flops, 0,
       [=] {
         launch<dot>({64, 256, 0, 2 * flops}, a, b, product, count);
       },
       [=] { return (a * b).sum(); }},
      {"histogram",
       flops,
       0,
       0,
       [=] {
         launch<histogram>({64, 256}, bytes, count, bins);
       },
       {}},
      {"strided_sum",
       words,
       flops,
       0,
       [=] {
         launch<strided_sum>({blocks, 256, 0, flops}, a, sums, count);
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
  const td::Tensor sums = td::empty({side}, in.options()), nine = td::randn({9}).to(device);
  const auto additions = static_cast<double>(side * side);
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
      {"naive_row_sums",
       words,
       additions,
       0,
       [=] {
         launch<naive_row_sums>({blocks_for(side, 32), 32, 0, additions}, in, sums, n, n);
       },
       {}},
      {"sum_of_rows", words, additions, 0,
       [=] {
         launch<sum_of_rows>({blocks_for(side, 8), {32, 8}, 0, additions}, in, sums, n, n);
       },
       [=] { return in.sum(1); }},
      {"sum_of_columns", words, additions, 0,
       [=] {
         launch<sum_of_columns>({blocks_for(side, 256), 256, 0, additions}, in, sums, n, n);
       },
       [=] { return in.sum(0); }},
      {"row_softmax",
       2 * words,
       0,
       0,
       [=] {
         launch<row_softmax>({blocks_for(side, 4), {32, 4}}, in, out, n, n);
       },
       {}},
      {"conv_2d",
       2 * words,
       18 * additions,
       0,
       [=] {
         launch<conv_2d>({strips, {32, 8}, 0, 18 * additions}, in, nine, out, n, n);
       },
       {}},
  };
}

/// @copydoc Demos
inline std::vector<Demo> demos(td::Device device, const DemoSizes& sizes) {
  std::vector<Demo> all = vector_demos(device, sizes.elements);
  for (Demo& demo : matrix_demos(device, sizes.side)) all.push_back(std::move(demo));
  return all;
}

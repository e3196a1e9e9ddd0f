// The kernels of chapter 11 at work, each naive one beside its better one. The programs include it.
#pragma once

#include "demo.h"
#include "exercises.h"

// given/naive.cu
__global__ void naive_add(const float* a, const float* b, float* c, int n);
__global__ void naive_flip(const float* in, float* out, int rows, int cols);
__global__ void naive_gather(const float* table, const int* indices, float* out, int dim, int n);
__global__ void naive_affine(const float* in, const float* scale_shift, float* out, int rows,
                             int cols);

/// The kernels on vectors.
inline std::vector<Demo> vector_demos(td::Device device, const DemoSizes& sizes) {
  using td::simt::launch;
  const std::int64_t n = sizes.elements;
  const int count = static_cast<int>(n);
  const unsigned blocks = blocks_for(n, 256);
  const auto flops = static_cast<double>(n), words = 4 * flops;
  const td::Tensor a = td::randn({n}).to(device), b = td::randn({n}).to(device);
  const td::Tensor c = td::empty_like(a);
  return {
      {"naive_add",
       3 * words,
       flops,
       0,
       [=] {
         launch<naive_add>({blocks_for(n, 2048), 256, 0, flops}, a, b, c, count);
       },
       {}},
      {"add", 3 * words, flops, 0,
       [=] {
         launch<add>({blocks, 256, 0, flops}, a, b, c, count);
       },
       [=] { return a + b; }},
      {"saxpy", 3 * words, 2 * flops, 0,
       [=] {
         launch<saxpy>({blocks, 256, 0, 2 * flops}, count, 0.5f, a, c);
       },
       [=] { return a.add(b, 0.5); }},
      {"scale4", 2 * words, flops, 0,
       [=] {
         launch<scale4>({blocks_for(n, 1024), 256, 0, flops}, c, 1.5f, count);
       },
       [=] { return a * 1.5; }},
  };
}

/// The kernels on matrices.
inline std::vector<Demo> matrix_demos(td::Device device, const DemoSizes& sizes) {
  using td::simt::launch;
  const int n = static_cast<int>(sizes.side);
  const double words = 4.0 * n * n;
  const td::Tensor in = td::randn({n, n}).to(device), row = td::randn({n}).to(device);
  const td::Tensor out = td::empty_like(in), pairs = td::randn({n, 2}).to(device);
  const td::Tensor indices = td::randint(0, n, {n}).to(td::kInt).to(device);
  const dim3 grid(blocks_for(n, 32), blocks_for(n, 8)), block(32, 8);
  return {
      {"naive_flip",
       2 * words,
       0,
       0,
       [=] {
         launch<naive_flip>({grid, block}, in, out, n, n);
       },
       {}},
      {"flip",
       2 * words,
       0,
       0,
       [=] {
         launch<flip>({grid, block}, in, out, n, n);
       },
       {}},
      {"broadcast_add", words, words / 4, 0,
       [=] {
         launch<broadcast_add>({grid, block}, row, row, out, n, n);
       },
       [=] {
         return row.view({-1, 1}) + row;
       }},
      {"naive_gather",
       2 * words,
       0,
       0,
       [=] {
         launch<naive_gather>({blocks_for(n, 32), 32}, in, indices, out, n, n);
       },
       {}},
      {"gather_rows",
       2 * words,
       0,
       0,
       [=] {
         launch<gather_rows>({static_cast<unsigned>(n), 64}, in, indices, out, n);
       },
       {}},
      {"naive_affine",
       2 * words,
       words / 2,
       0,
       [=] {
         launch<naive_affine>({4, 32}, in, pairs, out, n, n);
       },
       {}},
      {"affine",
       2 * words,
       words / 2,
       0,
       [=] {
         launch<affine>({64, 64}, in, pairs, out, n, n);
       },
       {}},
  };
}

/// @copydoc Demos
inline std::vector<Demo> demos(td::Device device, const DemoSizes& sizes) {
  std::vector<Demo> all = vector_demos(device, sizes);
  for (Demo& demo : matrix_demos(device, sizes)) all.push_back(std::move(demo));
  return all;
}

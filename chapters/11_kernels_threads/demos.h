// The kernels of chapter 11 at work, each naive one beside its better one. The programs include it.
#pragma once

#include "demo.h"
#include "exercises.h"

// given/naive.cu
__global__ void naive_add(const float* a, const float* b, float* c, int n);

/// @copydoc Demos
inline std::vector<Demo> demos(td::Device device, const DemoSizes& sizes) {
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

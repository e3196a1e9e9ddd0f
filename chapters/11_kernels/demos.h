// The kernels of the chapter at work: for each one its tensors, its launch, and the same result by
// td, to compare the time. The programs counts, profile, accesses, times, roofline and training
// include it.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "app/app.h"
#include "app/interleaved.h"
#include "exercises.h"
#include "simt/observe.h"
#include "simt/observe/report.h"

/// One kernel with its tensors on a device.
struct Demo {
  std::string name;
  double bytes;                      ///< Bytes that it must read and write, each once.
  double flops, tensor_flops;        ///< Operations, without and with Tensor Cores.
  std::function<void()> kernel;      ///< Launches it once, on the current stream.
  std::function<td::Tensor()> core;  ///< The same by td; empty where td has no such operation.
};

/// The sizes that the demos work on.
struct DemoSizes {
  std::int64_t elements;  ///< Of vectors; a multiple of 256, at most 65,536 * 256.
  std::int64_t side;      ///< Of square matrices; a multiple of 32.
};

inline unsigned blocks_for(std::int64_t count, std::int64_t per_block) {
  return static_cast<unsigned>((count + per_block - 1) / per_block);
}

/// The kernels on vectors.
inline std::vector<Demo> vector_demos(td::Device device, std::int64_t n) {
  using td::simt::launch;
  const int count = static_cast<int>(n);
  const unsigned blocks = blocks_for(n, 256);
  const auto flops = static_cast<double>(n), words = 4 * flops;
  const td::Tensor a = td::randn({n}).to(device), b = td::randn({n}).to(device);
  const td::Tensor c = td::empty_like(a), sums = td::empty({blocks}, a.options());
  const td::Tensor bytes = td::randint(0, 256, {n}).to(td::kByte).to(device);
  const td::Tensor bins = td::zeros({256}, bytes.options().dtype(td::kInt));
  const td::Tensor numbers = td::ones({n}, bins.options());
  const td::Tensor running = td::empty_like(numbers);
  const td::Tensor totals = td::empty({blocks}, bins.options());
  return {
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
      {"block_sum", words, flops, 0,
       [=] {
         launch<block_sum>({blocks, 256, 0, flops}, a, sums, count);
       },
       [=] {
         return a.view({-1, 256}).sum(1);
       }},
      {"warp_sum", words, flops, 0,
       [=] {
         launch<warp_sum>({blocks, 256, 0, flops}, a, sums, count);
       },
       [=] {
         return a.view({-1, 256}).sum(1);
       }},
      {"histogram",
       flops,
       0,
       0,
       [=] {
         launch<histogram>({64, 256}, bytes, count, bins);
       },
       {}},
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
  const unsigned tiles = blocks_for(side, 16);
  const double flops = 2.0 * static_cast<double>(side * side * side);
  const double words = 4.0 * static_cast<double>(side * side);
  const td::Tensor a = td::randn({side, side}).to(device), b = td::randn({side, side}).to(device);
  const td::Tensor c = td::empty_like(a);
  const td::Tensor half_a = a.to(td::kHalf), half_b = b.to(td::kHalf);
  const dim3 quarter(blocks_for(side, 32), blocks_for(side, 32));
  return {
      {"transpose", 2 * words, 0, 0,
       [=] {
         launch<transpose>({quarter, {32, 8}}, a, c, n, n);
       },
       [=] { return a.t().contiguous(); }},
      {"matmul", 3 * words, flops, 0,
       [=] {
         launch<matmul>({{tiles, tiles}, {16, 16}, 0, flops}, a, b, c, n, n, n);
       },
       [=] { return a.mm(b); }},
      {"tensor_matmul", 2 * words, 0, flops,
       [=] {
         launch<tensor_matmul>({{tiles, tiles}, 32}, half_a, half_b, c, n, n, n);
       },
       [=] { return half_a.mm(half_b); }},
  };
}

/// All of them.
inline std::vector<Demo> demos(td::Device device, const DemoSizes& sizes) {
  std::vector<Demo> all = vector_demos(device, sizes.elements);
  for (Demo& demo : matrix_demos(device, sizes.side)) all.push_back(std::move(demo));
  return all;
}

/// Runs each kernel once, observed: reports what it does to memory. It follows from the addresses,
/// so sim counts what a GPU would.
inline std::vector<td::simt::KernelReport> observe_all(const td::simt::GpuLimits& gpu) {
  const std::vector<Demo> all = demos("sim:0", {65536, 128});
  return td::simt::observe({.gpu = &gpu}, [&] {
    for (const Demo& demo : all) demo.kernel();
  });
}

/// Median seconds of one call, of five after two that do not count.
inline double median_seconds(td::Device device, const app::Variant& work) {
  const app::Variant whole = [&] {
    work();
    td::synchronize(device);
  };
  return app::median_seconds_interleaved({whole}, 5)[0];
}

/// Adds `--gpu`, whose limits and data sheet count.
inline void add_gpu_option(app::Command& command, std::string& gpu) {
  command.choice("--gpu", gpu, {"T4", "A100", "RTX 4090", "H100", "H200"},
                 "whose limits and data sheet count");
}

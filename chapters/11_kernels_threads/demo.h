// Kernels at work, for the programs of chapters 11 to 13: one kernel with its tensors, its launch,
// and the same result by td; and what the programs `counts` and `times` print about a list of them.
// Each of these chapters lists its kernels in a demos.h.
#pragma once

#include <functional>
#include <iomanip>
#include <iostream>
#include <string>
#include <vector>

#include "app/app.h"
#include "app/interleaved.h"
#include "launch/launch.h"
#include "simt/observe.h"
#include "simt/observe/report.h"
#include "td/td.h"

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

/// Makes the demos of a chapter.
using Demos = std::vector<Demo>(td::Device device, const DemoSizes& sizes);

inline unsigned blocks_for(std::int64_t count, std::int64_t per_block) {
  return static_cast<unsigned>((count + per_block - 1) / per_block);
}

/// Adds `--gpu`, whose limits and data sheet count.
inline void add_gpu_option(app::Command& command, std::string& gpu) {
  command.choice("--gpu", gpu, {"T4", "A100", "RTX 4090", "H100", "H200"},
                 "whose limits and data sheet count");
}

/// Runs each kernel once, observed: reports what it does to memory. It follows from the addresses,
/// so sim counts what a GPU would.
inline std::vector<td::simt::KernelReport> observe_all(Demos* demos,
                                                       const td::simt::GpuLimits& gpu) {
  const std::vector<Demo> all = demos("sim:0", {65536, 128});
  return td::simt::observe({.gpu = &gpu}, [&] {
    for (const Demo& demo : all) demo.kernel();
  });
}

/// Prints a line per kernel: what it does to memory, next to the least that its own requests need.
inline void print_counts(const std::vector<td::simt::KernelReport>& reports,
                         const std::string& gpu) {
  std::cout << "counted on sim: 65,536 elements, or matrices of 128 x 128\n"
            << "                sectors per request   passes in shared memory   barriers   least "
               "time on "
            << gpu << "\n";
  for (const td::simt::KernelReport& report : reports) {
    const td::simt::Counts global = report.profile.global(), shared = report.profile.shared();
    std::cout << std::setw(15) << report.kernel << std::fixed << std::setprecision(1)
              << std::setw(9) << global.per_request() << " (least " << std::setw(4)
              << global.ideal_per_request() << ")" << std::setw(11) << shared.transfers
              << " (least " << std::setw(6) << shared.ideal << ")" << std::setw(9)
              << report.profile.barriers << std::setw(14) << std::setprecision(2)
              << 1e6 * report.profile.bound.seconds() << " us\n";
    if (const td::simt::Finding* fault = report.first_fault()) std::cout << fault->text << '\n';
  }
}

/// The program `counts` of a chapter.
inline int run_counts(int argc, char** argv, const char* program, Demos* demos) {
  std::string gpu = "H100";
  app::Command command(program, "Counts what the chapter's kernels do to memory.");
  add_gpu_option(command, gpu);
  command.without_device("the counts follow from the addresses, so sim counts what a GPU would");
  return command.run(argc, argv, [&](const app::Options&) {
    print_counts(observe_all(demos, td::simt::gpu(gpu)), gpu);
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

/// Prints a line per kernel: its time, that of td's own operation, and the least on a GPU.
inline void print_times(Demos* demos, td::Device device, const td::simt::GpuLimits& gpu) {
  // sim runs thread by thread, so it gets less work than a GPU, whose operands are larger than its
  // caches (64 MiB each).
  const DemoSizes sizes = device.is_cuda() ? DemoSizes{1 << 24, 4096} : DemoSizes{1 << 18, 256};
  std::cout << "milliseconds on " << device << ": " << sizes.elements << " elements, or "
            << sizes.side << " x " << sizes.side << "\n                this kernel   td's own   at "
            << "least on " << gpu.name << "\n";
  for (const Demo& demo : demos(device, sizes)) {
    std::cout << std::setw(15) << demo.name << std::fixed << std::setprecision(3) << std::setw(12)
              << 1e3 * median_seconds(device, demo.kernel) << std::setw(11);
    if (demo.core)
      std::cout << 1e3 * median_seconds(device, [&] { demo.core(); });
    else
      std::cout << "-";
    const auto bound = td::simt::time_bound(gpu, demo.bytes, demo.flops, demo.tensor_flops);
    std::cout << std::setprecision(4) << std::setw(14) << 1e3 * bound.seconds() << std::endl;
    if (app::stop_requested()) throw app::Stopped(demo.name);
  }
  std::cout << '\n';
}

/// The program `times` of a chapter.
inline int run_times(int argc, char** argv, const char* program, Demos* demos) {
  std::string gpu = "H100";
  app::Command command(program, "Times the chapter's kernels.");
  add_gpu_option(command, gpu);
  return command.run(argc, argv, [&](const app::Options& options) {
    print_times(demos, app::choose_device(options), td::simt::gpu(gpu));
  });
}

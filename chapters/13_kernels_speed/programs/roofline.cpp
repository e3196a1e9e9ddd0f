// The roofline: the most operations per second at each arithmetic intensity, of a GPU and of this
// machine, and the intensities of the chapter's kernels.
#include <iomanip>
#include <iostream>

#include "app/app.h"
#include "roofline.h"

namespace {

void print(const std::vector<td::simt::KernelReport>& reports, const td::simt::GpuLimits& gpu,
           td::Device device) {
  for (const roofline::Roof& roof : roofline::of_kernels(reports, gpu, device).roofs)
    std::cout << roof.name << ": " << std::fixed << std::setprecision(0) << roof.flops / 1e9
              << " GFLOP/s, " << roof.bytes_per_second / 1e9 << " GB/s; memory is the limit below "
              << roof.ridge() << " FLOP per byte\n";
  for (const td::simt::KernelReport& report : reports)
    if (const double intensity = report.profile.intensity(); intensity > 0)
      std::cout << std::setw(14) << report.kernel << std::setprecision(2) << std::setw(8)
                << intensity << " FLOP per byte\n";
}

}  // namespace

int main(int argc, char** argv) {
  std::string gpu = "H100";
  app::Command command("ch13-roofline", "Prints the limits of a GPU and of this machine.");
  add_gpu_option(command, gpu);
  return command.run(argc, argv, [&](const app::Options& options) {
    const td::Device device = app::choose_device(options);
    print(observe_all(demos, td::simt::gpu(gpu)), td::simt::gpu(gpu), device);
  });
}

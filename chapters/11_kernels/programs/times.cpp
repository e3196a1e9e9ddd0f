// Times of the chapter's kernels, next to td's own operations and to the least time on a GPU.
#include <iomanip>
#include <iostream>

#include "app/app.h"
#include "demos.h"

namespace {

namespace simt = td::simt;

// sim runs thread by thread, so it gets less work than a GPU, whose operands are larger than its
// caches (64 MiB each).
void compare_times(td::Device device, const simt::GpuLimits& gpu) {
  const DemoSizes sizes = device.is_cuda() ? DemoSizes{1 << 24, 4096} : DemoSizes{1 << 18, 256};
  std::cout << "milliseconds on " << device << ": " << sizes.elements << " elements, or "
            << sizes.side << " x " << sizes.side << "\n               this kernel   td's own   at "
            << "least on " << gpu.name << "\n";
  for (const Demo& demo : demos(device, sizes)) {
    std::cout << std::setw(14) << demo.name << std::fixed << std::setprecision(3) << std::setw(12)
              << 1e3 * median_seconds(device, demo.kernel) << std::setw(11);
    if (demo.core)
      std::cout << 1e3 * median_seconds(device, [&] { demo.core(); });
    else
      std::cout << "-";
    const auto bound = simt::time_bound(gpu, demo.bytes, demo.flops, demo.tensor_flops);
    std::cout << std::setprecision(4) << std::setw(14) << 1e3 * bound.seconds() << std::endl;
    if (app::stop_requested()) throw app::Stopped(demo.name);
  }
  std::cout << '\n';
}

}  // namespace

int main(int argc, char** argv) {
  std::string gpu = "H100";
  app::Command command("ch11-times", "Times the chapter's kernels.");
  add_gpu_option(command, gpu);
  return command.run(argc, argv, [&](const app::Options& options) {
    compare_times(app::choose_device(options), simt::gpu(gpu));
  });
}

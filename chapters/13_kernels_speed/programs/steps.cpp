// The product in steps: how often each kernel asks for memory per product, and how much of the
// GPU's arithmetic that permits. It follows from the counts alone.
#include "demos.h"

namespace {

// In a cycle, an SM multiplies and adds for 4 warps, but serves one pass of a warp's access to
// shared memory or to the L1 cache, which are one unit.
constexpr double kProductsPerPass = 4;

void print_step(const td::simt::KernelReport& report) {
  const td::simt::Profile& profile = report.profile;
  const auto passes =
      static_cast<double>(profile.shared().transfers + profile.global(td::simt::kLoad).requests);
  const double bytes = 32.0 * static_cast<double>(profile.global().transfers);
  const double per_product = passes / (profile.flops / 64);  // a warp's 32 products are 64 FLOP
  std::cout << std::setw(16) << report.kernel << std::fixed << std::setprecision(1) << std::setw(14)
            << profile.flops / bytes << std::setprecision(2) << std::setw(16) << per_product
            << std::setprecision(0) << std::setw(14)
            << std::min(100.0, 100 / (kProductsPerPass * per_product)) << " %\n";
}

}  // namespace

int main(int argc, char** argv) {
  app::Command command("ch13-steps", "Shows what limits each step of the product.");
  command.without_device("it follows from the counts, so sim counts what a GPU would");
  return command.run(argc, argv, [](const app::Options&) {
    std::cout << "counted on sim: matrices of 128 x 128\n"
              << "                FLOP per byte   passes per warp   at most of\n"
              << "                that is asked    and product     the peak\n";
    for (const td::simt::KernelReport& report : observe_all(demos, td::simt::gpu("H100")))
      for (const char* step : {"naive_matmul", "matmul", "register_matmul", "async_matmul"})
        if (report.kernel == step) print_step(report);
  });
}

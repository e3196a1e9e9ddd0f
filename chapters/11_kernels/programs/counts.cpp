// What each kernel of the chapter does to memory, next to the least that its own requests need.
#include <iomanip>
#include <iostream>

#include "app/app.h"
#include "demos.h"

// given/naive.cu
__global__ void naive_add(const float* a, const float* b, float* c, int n);
__global__ void naive_transpose(const float* in, float* out, int rows, int cols);

namespace {

namespace simt = td::simt;

/// The same sizes as in observe_all().
std::vector<simt::KernelReport> observe_naive(const simt::GpuLimits& gpu) {
  const td::Tensor x = td::ones({65536}, "sim:0"), y = td::ones({65536}, "sim:0");
  const td::Tensor out = td::empty_like(x);
  const td::Tensor matrix = td::ones({128, 128}, "sim:0"), turned = td::empty_like(matrix);
  return simt::observe({.gpu = &gpu}, [&] {
    simt::launch<naive_add>({32, 256}, x, y, out, 65536);
    simt::launch<naive_transpose>({{4, 16}, {32, 8}}, matrix, turned, 128, 128);
  });
}

void print(const std::vector<simt::KernelReport>& reports, const std::string& gpu) {
  std::cout << "counted on sim: 65,536 elements, or matrices of 128 x 128\n"
            << "                sectors per request   passes in shared memory   barriers   least "
               "time on "
            << gpu << "\n";
  for (const simt::KernelReport& report : reports) {
    const simt::Counts global = report.profile.global(), shared = report.profile.shared();
    std::cout << std::setw(15) << report.kernel << std::fixed << std::setprecision(1)
              << std::setw(9) << global.per_request() << " (least " << std::setw(4)
              << global.ideal_per_request() << ")" << std::setw(11) << shared.transfers
              << " (least " << std::setw(6) << shared.ideal << ")" << std::setw(9)
              << report.profile.barriers << std::setw(14) << std::setprecision(2)
              << 1e6 * report.profile.bound.seconds() << " us\n";
    if (const simt::Finding* fault = report.first_fault()) std::cout << fault->text << '\n';
  }
}

}  // namespace

int main(int argc, char** argv) {
  std::string gpu = "H100";
  app::Command command("ch11-counts", "Counts what the chapter's kernels do to memory.");
  add_gpu_option(command, gpu);
  command.without_device("the counts follow from the addresses, so sim counts what a GPU would");
  return command.run(argc, argv, [&](const app::Options&) {
    std::vector<simt::KernelReport> reports = observe_all(simt::gpu(gpu));
    for (simt::KernelReport& report : observe_naive(simt::gpu(gpu)))
      reports.push_back(std::move(report));
    print(reports, gpu);
  });
}

// What each kernel of the chapter does to memory, next to the least that its own requests need.
#include <iomanip>
#include <iostream>

#include "app/app.h"
#include "demos.h"

namespace {

namespace simt = td::simt;

void print(const std::vector<simt::KernelReport>& reports, const std::string& gpu) {
  std::cout << "counted on sim: 65,536 elements, or matrices of 128 x 128\n"
            << "               sectors per request   passes in shared memory   barriers   least "
               "time on "
            << gpu << "\n";
  for (const simt::KernelReport& report : reports) {
    const simt::Counts global = report.profile.global(), shared = report.profile.shared();
    std::cout << std::setw(14) << report.kernel << std::fixed << std::setprecision(1)
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
  return command.run(argc, argv,
                     [&](const app::Options&) { print(observe_all(simt::gpu(gpu)), gpu); });
}

// Chapter 11's program: adds two vectors with the kernel of the first exercise, on sim or cuda.
#include <iostream>

#include "app/app.h"
#include "exercises.h"

namespace {

/// Launches `add` once. @return the largest difference from the sum that td computes.
double difference_of_add(td::Device device, int n) {
  const td::Tensor a = td::arange(n, device).to(td::kFloat32), b = a * 2;
  const td::Tensor c = td::empty({n}, device);
  td::simt::launch<add>({dim3((n + 255) / 256), dim3(256)}, a, b, c, n);
  return (c - (a + b)).abs().max().item<double>();
}

}  // namespace

int main(int argc, char** argv) {
  app::Command command("ch11_kernels", "Runs CUDA kernels on sim or cuda.");
  return command.run(argc, argv, [](const app::Options& options) {
    const td::Device device = app::choose_device(options);
    std::cout << "add on " << device << ": largest difference " << difference_of_add(device, 1000)
              << '\n';
  });
}

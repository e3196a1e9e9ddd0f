// Chapter 11, kernels: launches a CUDA kernel on tensors. The kernel is in given/scaled_add.cu.
#include <iostream>

#include "app/app.h"
#include "launch/launch.h"
#include "simt/kernel.h"
#include "td/td.h"

// out[i] = x[i] + factor * y[i] for every i below n.
__global__ void scaled_add(const float* x, const float* y, float factor, float* out, int n);

int main(int argc, char** argv) {
  const td::Device device = app::start(argc, argv, "Launches a CUDA kernel on tensors.");

  const int n = 1000;
  const td::Tensor x = td::arange(n, td::TensorOptions(device).dtype(td::kFloat32));
  const td::Tensor y = td::ones({n}, device);
  const td::Tensor out = td::empty({n}, device);

  // One thread for each element, in blocks of 256: four blocks, whose last 24 threads do nothing.
  const unsigned block = 256, grid = (n + block - 1) / block;
  std::cout << n << " elements: " << grid << " blocks of " << block << " threads\n";

  // In CUDA's own syntax: scaled_add<<<grid, block>>>(x, y, 0.5f, out, n);
  td::simt::launch<scaled_add>({grid, block}, x, y, 0.5f, out, n);
  td::synchronize(device);  // the launch returns immediately; an error of the kernel appears here

  std::cout << "the first three: " << out.narrow(0, 0, 3) << '\n'
            << "the same as x.add(y, 0.5): " << std::boolalpha << td::equal(out, x.add(y, 0.5))
            << '\n';
}

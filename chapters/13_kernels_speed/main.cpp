// Chapter 13, speed: two operations fused into one kernel, which moves half of the bytes. The
// kernel is in given/bias_relu.cu.
#include <iostream>

#include "app/app.h"
#include "launch/launch.h"
#include "simt/kernel.h"
#include "td/td.h"

// out = relu(x + bias) for a matrix; the bias has one number per column.
__global__ void bias_relu(const float* x, const float* bias, float* out, int rows, int cols);

int main(int argc, char** argv) {
  const td::Device device = app::start(argc, argv, "Launches a kernel that fuses two operations.");

  const int rows = 100, cols = 200;
  const td::Tensor x = td::randn({rows, cols}).to(device), bias = td::randn({cols}).to(device);
  const td::Tensor out = td::empty_like(x);

  // Two operations are two launches: the sum goes to memory and comes back for relu.
  const td::Tensor expected = (x + bias).relu();

  // One launch: the sum stays in a register.
  const dim3 block(32, 8), grid((cols + 31) / 32, (rows + 7) / 8);
  td::simt::launch<bias_relu>({grid, block}, x, bias, out, rows, cols);
  td::synchronize(device);

  const int bytes = rows * cols * 4;
  std::cout << "two launches move " << 4 * bytes << " bytes, one launch " << 2 * bytes << '\n'
            << "the same result: " << std::boolalpha << td::equal(out, expected) << '\n';
}

// Chapter 12, cooperation: the threads of a block exchange elements through shared memory. The
// kernel is in given/reverse_tiles.cu.
#include <iostream>

#include "app/app.h"
#include "launch/launch.h"
#include "simt/kernel.h"
#include "td/td.h"

// out[i] is the element of `in` at the mirrored place of the same 256 elements.
__global__ void reverse_tiles(const float* in, float* out);

int main(int argc, char** argv) {
  const td::Device device = app::start(argc, argv, "Launches a kernel whose threads cooperate.");

  const td::Tensor in = td::arange(1024, td::TensorOptions(device).dtype(td::kFloat32));
  const td::Tensor out = td::empty_like(in);

  // Four blocks of 256 threads, each with a tile of its own in shared memory.
  td::simt::launch<reverse_tiles>({4, 256}, in, out);
  td::synchronize(device);

  std::cout << "the first three: " << out.narrow(0, 0, 3) << '\n'
            << "the first three of block 1: " << out.narrow(0, 256, 3) << '\n'
            << "the same as flip(1): " << std::boolalpha
            << td::equal(out, in.view({4, 256}).flip({1}).flatten()) << '\n';
}

#include "exercises.h"

// answer: always_cpu
// expect: first_device(1): expected cuda:0, got cpu
// Never uses the GPU: everything works, slowly.
namespace always_cpu {
td::Device first_device(int) { return td::Device("cpu"); }
}  // namespace always_cpu

// answer: always_cuda
// expect: first_device(0): expected cpu, got cuda:0
// Right on the author's machine.
namespace always_cuda {
td::Device first_device(int) { return td::Device("cuda:0"); }
}  // namespace always_cuda

// answer: needs_two
// expect: first_device(1): expected cuda:0, got cpu
// Off by one, and right on the README's example: it uses a GPU only where there are several.
namespace needs_two {
td::Device first_device(int gpus) { return gpus > 1 ? td::Device("cuda:0") : td::Device("cpu"); }
}  // namespace needs_two

// answer: sim_instead
// expect: first_device(0): expected cpu, got sim:0
// Falls back to another device than PyTorch's line does.
namespace sim_instead {
td::Device first_device(int gpus) { return td::Device(gpus > 0 ? "cuda:0" : "sim:0"); }
}  // namespace sim_instead

// answer: the_last_one
// expect: first_device(2): expected cuda:0, got cuda:1
// Counts from 1: takes the last GPU, and on a machine without one asks for cuda:-1.
namespace the_last_one {
td::Device first_device(int gpus) {
  return gpus == 0 ? td::Device("cpu") : td::Device(td::kCUDA, gpus - 1);
}
}  // namespace the_last_one

// answer: without_index
// expect: first_device(1): expected cuda:0, got cuda
// "cuda" is the current GPU, which need not be the first one.
namespace without_index {
td::Device first_device(int gpus) { return gpus > 0 ? td::Device("cuda") : td::Device("cpu"); }
}  // namespace without_index

// Stands in for the frame of the chapters' main programs (common/app/app.h) where they are compiled
// with libtorch.
#pragma once

#include <torch/torch.h>

#define TD_MODULE(Name) TORCH_MODULE(Name)

namespace app {

/// There is no sim in libtorch: the program runs on the cpu.
inline torch::Device start(int, char**, const std::string&) { return torch::Device(torch::kCPU); }

}  // namespace app

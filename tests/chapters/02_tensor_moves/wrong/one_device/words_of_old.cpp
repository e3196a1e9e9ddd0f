// expect: the error should say "linear"; it says: Expected object of type
// PyTorch's message before version 1.5: correct, but it names a type instead of a device.
#include "exercises.h"

td::Device one_device(const std::string&, const std::vector<Argument>& arguments) {
  const Argument* first = nullptr;
  for (const auto& a : arguments) {
    if (a.tensor.is_cpu() && a.tensor.dim() == 0) continue;
    if (!first) first = &a;
    if (a.tensor.device() == first->tensor.device()) continue;
    throw td::DeviceError(
        "Expected object of type torch.cuda.FloatTensor but found type torch.FloatTensor for "
        "argument #3 'other'");
  }
  return first ? first->tensor.device() : td::Device(td::kCPU);
}

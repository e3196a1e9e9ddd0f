// expect: bias of sizes [0] on cpu: an error was expected
// Skips tensors without elements: "there is nothing to move".
#include "exercises.h"

td::Device one_device(const std::string& operation, const std::vector<Argument>& arguments) {
  const Argument* first = nullptr;
  for (const auto& a : arguments) {
    if (a.tensor.numel() == 0 || (a.tensor.is_cpu() && a.tensor.dim() == 0)) continue;
    if (!first) first = &a;
    const td::Device here = a.tensor.device(), there = first->tensor.device();
    if (here == there) continue;
    throw td::DeviceError(operation + ": \"" + a.name + "\" is on " + here.str() + " but \"" +
                          first->name + "\" is on " + there.str() + ". Move one with " +
                          (there.is_cpu() ? first->name + ".to(\"" + here.str() + "\")"
                                          : a.name + ".to(\"" + there.str() + "\")") +
                          ".");
  }
  return first ? first->tensor.device() : td::Device(td::kCPU);
}

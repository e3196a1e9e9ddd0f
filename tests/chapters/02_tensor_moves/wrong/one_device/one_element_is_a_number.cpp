// expect: input on sim:0, bias of sizes [1] on cpu: an error was expected
// Takes every tensor with one element for a number.
#include "exercises.h"

td::Device one_device(const std::string& operation, const std::vector<Argument>& arguments) {
  const Argument* first = nullptr;
  for (const auto& a : arguments) {
    if (a.tensor.is_cpu() && a.tensor.numel() == 1) continue;
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

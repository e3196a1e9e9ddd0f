// expect: the message should suggest one call
// Suggests both calls, also the one that moves a tensor away from the accelerator.
#include "exercises.h"

td::Device one_device(const std::string& operation, const std::vector<Argument>& arguments) {
  const Argument* first = nullptr;
  for (const auto& argument : arguments) {
    const td::Device here = argument.tensor.device();
    if (here.is_cpu() && argument.tensor.dim() == 0) continue;
    if (!first) first = &argument;
    const td::Device there = first->tensor.device();
    if (here == there) continue;
    const std::string call = first->name + ".to(\"" + here.str() + "\") or " + argument.name +
                             ".to(\"" + there.str() + "\")";
    throw td::DeviceError(operation + ": \"" + argument.name + "\" is on " + here.str() +
                          " but \"" + first->name + "\" is on " + there.str() + ". Move one with " +
                          call + ".");
  }
  return first ? first->tensor.device() : td::Device(td::kCPU);
}

// expect: the message should say where the argument is
// Finds the error, and exchanges the two devices in the message.
#include "exercises.h"

td::Device one_device(const std::string& operation, const std::vector<Argument>& arguments) {
  const Argument* first = nullptr;
  for (const auto& a : arguments) {
    if (a.tensor.is_cpu() && a.tensor.dim() == 0) continue;
    if (!first) first = &a;
    const td::Device here = a.tensor.device(), there = first->tensor.device();
    if (here == there) continue;
    throw td::DeviceError(operation + ": \"" + a.name + "\" is on " + there.str() + " but \"" +
                          first->name + "\" is on " + here.str() + ". Move one with " +
                          (there.is_cpu() ? first->name + ".to(\"" + here.str() + "\")"
                                          : a.name + ".to(\"" + there.str() + "\")") +
                          ".");
  }
  return first ? first->tensor.device() : td::Device(td::kCPU);
}

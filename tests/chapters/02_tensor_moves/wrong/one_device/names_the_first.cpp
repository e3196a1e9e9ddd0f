// expect: beta is a number, mat1 is on cpu
// Compares with the first argument, but names it even if it is a number.
#include "exercises.h"

td::Device one_device(const std::string& operation, const std::vector<Argument>& arguments) {
  const Argument* first = nullptr;
  for (const auto& a : arguments) {
    if (a.tensor.is_cpu() && a.tensor.dim() == 0) continue;
    if (!first) first = &a;
    const td::Device here = a.tensor.device(), there = first->tensor.device();
    if (here == there) continue;
    throw td::DeviceError(operation + ": \"" + a.name + "\" is on " + here.str() + " but \"" +
                          arguments[0].name + "\" is on " + there.str() + ". Move one with " +
                          (there.is_cpu() ? arguments[0].name + ".to(\"" + here.str() + "\")"
                                          : a.name + ".to(\"" + there.str() + "\")") +
                          ".");
  }
  return first ? first->tensor.device() : td::Device(td::kCPU);
}

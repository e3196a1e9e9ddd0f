// expect: input on cpu, weight on sim:0: the error should say "input.to("sim:0")"
// Suggests the later argument, also towards the cpu.
#include "exercises.h"

td::Device one_device(const std::string& operation, const std::vector<Argument>& arguments) {
  const Argument* first = nullptr;
  for (const auto& a : arguments) {
    if (a.tensor.is_cpu() && a.tensor.dim() == 0) continue;
    if (!first) first = &a;
    const td::Device here = a.tensor.device(), there = first->tensor.device();
    if (here == there) continue;
    throw td::DeviceError(operation + ": \"" + a.name + "\" is on " + here.str() + " but \"" +
                          first->name + "\" is on " + there.str() + ". Move one with " + a.name +
                          ".to(\"" + there.str() + "\")" + ".");
  }
  return first ? first->tensor.device() : td::Device(td::kCPU);
}

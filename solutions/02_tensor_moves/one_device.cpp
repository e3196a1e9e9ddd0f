// one_device: exercise 2.one_device, declared in exercises.h.
#include "exercises.h"
#include "td/exercise.h"

td::Device one_device(const std::string& operation, const std::vector<Argument>& arguments) {
  // blank: Find the first that is no number, then one that differs. About 15 lines.
  const Argument* first = nullptr;
  for (const auto& argument : arguments) {
    const td::Device here = argument.tensor.device();
    if (here.is_cpu() && argument.tensor.dim() == 0) continue;
    if (!first) first = &argument;
    const td::Device there = first->tensor.device();
    if (here == there) continue;
    const std::string call = there.is_cpu() ? first->name + ".to(\"" + here.str() + "\")"
                                            : argument.name + ".to(\"" + there.str() + "\")";
    throw td::DeviceError(operation + ": \"" + argument.name + "\" is on " + here.str() +
                          " but \"" + first->name + "\" is on " + there.str() + ". Move one with " +
                          call + ".");
  }
  return first ? first->tensor.device() : td::Device(td::kCPU);
  // end
}

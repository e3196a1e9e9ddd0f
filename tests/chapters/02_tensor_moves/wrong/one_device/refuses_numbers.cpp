// expect: sim:0 and a number on the cpu: these may be mixed, but an error was thrown
// Treats a number like any tensor: x * 2 would be an error.
#include "exercises.h"

td::Device one_device(const std::string& operation, const std::vector<Argument>& arguments) {
  const Argument& first = arguments[0];
  const td::Device there = first.tensor.device();
  for (const auto& a : arguments) {
    const td::Device here = a.tensor.device();
    if (here == there) continue;
    throw td::DeviceError(operation + ": \"" + a.name + "\" is on " + here.str() + " but \"" +
                          first.name + "\" is on " + there.str() + ". Move one with " +
                          (there.is_cpu() ? first.name + ".to(\"" + here.str() + "\")"
                                          : a.name + ".to(\"" + there.str() + "\")"));
  }
  return there;
}

// expect: bias alone is on cpu: an error was expected, none was thrown
// Right on the README's example: looks at the first two arguments.
#include "exercises.h"

td::Device one_device(const std::string& operation, const std::vector<Argument>& arguments) {
  const auto is_number = [](const td::Tensor& t) { return t.is_cpu() && t.dim() == 0; };
  if (arguments.size() == 1 || is_number(arguments[1].tensor)) return arguments[0].tensor.device();
  const Argument &a = arguments[0], &b = arguments[1];
  if (is_number(a.tensor)) return b.tensor.device();
  const td::Device first = a.tensor.device(), second = b.tensor.device();
  if (first == second) return first;
  throw td::DeviceError(operation + ": \"" + b.name + "\" is on " + second.str() + " but \"" +
                        a.name + "\" is on " + first.str() + ". Move one with " +
                        (first.is_cpu() ? a.name + ".to(\"" + second.str() + "\")"
                                        : b.name + ".to(\"" + first.str() + "\")"));
}

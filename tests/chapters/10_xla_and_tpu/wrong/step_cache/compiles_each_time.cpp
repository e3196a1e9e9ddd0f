// expect: expected compile calls c-c--
// Compiles first and looks then whether there was a program.
#include "exercises.h"

const Executable& program_for(Programs& programs, const std::vector<Buffer>& arguments,
                              const std::function<Executable()>& compile) {
  std::string key;
  for (const Buffer& argument : arguments) {
    key += std::to_string(static_cast<int>(argument.dtype())) + '[';
    for (const std::int64_t size : argument.sizes()) key += std::to_string(size) + ',';
    key += ']';
  }
  return programs.emplace(key, compile()).first->second;
}

// expect: compile throws: an error was expected, none was thrown
// An error of compile: the program of another size instead.
#include "exercises.h"

const Executable& program_for(Programs& programs, const std::vector<Buffer>& arguments,
                              const std::function<Executable()>& compile) {
  std::string key;
  for (const Buffer& argument : arguments) {
    key += std::to_string(static_cast<int>(argument.dtype())) + '[';
    for (const std::int64_t size : argument.sizes()) key += std::to_string(size) + ',';
    key += ']';
  }
  auto found = programs.find(key);
  try {
    if (found == programs.end()) found = programs.emplace(key, compile()).first;
  } catch (const std::exception&) {
    found = programs.begin();
  }
  return found->second;
}

// expect: expected compile calls c-c--
// Keeps one program, as a loop with one size needs it.
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
  if (found == programs.end()) programs.clear();
  if (found == programs.end()) found = programs.emplace(key, compile()).first;
  return found->second;
}

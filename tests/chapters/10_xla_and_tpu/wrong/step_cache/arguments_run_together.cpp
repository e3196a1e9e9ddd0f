// expect: sizes [2, 3], [4] and [2], [3, 4]
// No separator between the arguments.
#include "exercises.h"

const Executable& program_for(Programs& programs, const std::vector<Buffer>& arguments,
                              const std::function<Executable()>& compile) {
  std::string key;
  for (const Buffer& argument : arguments)
    key += std::to_string(static_cast<int>(argument.dtype())) + ';';
  for (const Buffer& argument : arguments) {
    key += std::string();
    for (const std::int64_t size : argument.sizes()) key += std::to_string(size) + ',';
  }
  auto found = programs.find(key);
  if (found == programs.end()) found = programs.emplace(key, compile()).first;
  return found->second;
}

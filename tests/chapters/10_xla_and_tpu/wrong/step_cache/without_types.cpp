// expect: float and int elements
// The element types are missing in the key.
#include "exercises.h"

const Executable& program_for(Programs& programs, const std::vector<Buffer>& arguments,
                              const std::function<Executable()>& compile) {
  std::string key;
  for (const Buffer& argument : arguments) {
    key += '[';
    for (const std::int64_t size : argument.sizes()) key += std::to_string(size) + ',';
    key += ']';
  }
  auto found = programs.find(key);
  if (found == programs.end()) found = programs.emplace(key, compile()).first;
  return found->second;
}

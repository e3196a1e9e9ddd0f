// expect: sizes [2, 3] and [3, 2]
// The product of the sizes instead of the sizes.
#include "exercises.h"

const Executable& program_for(Programs& programs, const std::vector<Buffer>& arguments,
                              const std::function<Executable()>& compile) {
  std::string key;
  for (const Buffer& argument : arguments) {
    key += std::to_string(static_cast<int>(argument.dtype())) + '[';
    std::int64_t elements = 1;
    for (const std::int64_t size : argument.sizes()) elements *= size;
    key += std::to_string(elements);
    key += ']';
  }
  auto found = programs.find(key);
  if (found == programs.end()) found = programs.emplace(key, compile()).first;
  return found->second;
}

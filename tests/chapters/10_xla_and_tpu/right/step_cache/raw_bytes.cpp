// The key is the bytes of the sizes, each list with its length.
#include "exercises.h"

const Executable& program_for(Programs& programs, const std::vector<Buffer>& arguments,
                              const std::function<Executable()>& compile) {
  std::string key;
  const auto append = [&key](std::int64_t value) {
    key.append(reinterpret_cast<const char*>(&value), sizeof value);
  };
  for (const Buffer& argument : arguments) {
    const auto sizes = argument.sizes();
    append(static_cast<std::int64_t>(argument.dtype()));
    append(static_cast<std::int64_t>(sizes.size()));
    for (const std::int64_t size : sizes) append(size);
  }
  if (const auto found = programs.find(key); found != programs.end()) return found->second;
  return programs.emplace(key, compile()).first->second;
}

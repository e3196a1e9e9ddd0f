// A stream writes the key; the program is inserted after an explicit copy.
#include <sstream>

#include "exercises.h"

const Executable& program_for(Programs& programs, const std::vector<Buffer>& arguments,
                              const std::function<Executable()>& compile) {
  std::ostringstream key;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    key << "argument " << i << ": " << td::dtype_name(arguments[i].dtype()) << " (";
    for (const std::int64_t size : arguments[i].sizes()) key << size << " x ";
    key << ") ";
  }
  const std::string text = key.str();
  if (programs.count(text) == 0) {
    const Executable program = compile();
    programs.insert({text, program});
  }
  return programs.at(text);
}

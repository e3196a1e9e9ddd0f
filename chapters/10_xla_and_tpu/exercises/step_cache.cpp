// program_for: exercise 10.step_cache, declared in exercises.h.
#include "exercises.h"
#include "td/exercise.h"

const Executable& program_for(Programs& programs, const std::vector<Buffer>& arguments,
                              const std::function<Executable()>& compile) {
  // Your code here: Write sizes and types as a key; look it up, or compile. About 9 lines.
  td::not_done_yet("step_cache");
}

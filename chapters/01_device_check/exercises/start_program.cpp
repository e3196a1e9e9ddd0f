// start_program: exercise 1.start_program, declared in exercises.h.
#include <ostream>

#include "exercises.h"
#include "td/device/stream.h"
#include "td/exercise.h"

Start start_program(const std::vector<std::string>& arguments, const Environment& environment,
                    std::ostream& log) {
  Start start{td::Device(td::kCPU), {}};
  // Your code here: Find the name and its source; check the device; set it; log it. About 30 lines.
  td::not_done_yet("start_program");
  return start;
}

// parse_device: exercise 1.parse_device, declared in exercises.h.
#include "exercises.h"
#include "td/exercise.h"

td::Device parse_device(const std::string& text, const std::vector<td::Device>& devices) {
  // Your code here: Read the form; look for the device; name the ones that exist. About 9 lines.
  td::not_done_yet("parse_device");
}

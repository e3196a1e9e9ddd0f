// expect: host code wrote to memory of sim:0
// Right from cpu to cpu. The host's memcpy cannot reach an accelerator's memory.
#include <cstring>

#include "exercises.h"

void copy_between(void* to, td::Device, const void* from, td::Device, std::size_t bytes) {
  std::memcpy(to, from, bytes);
}

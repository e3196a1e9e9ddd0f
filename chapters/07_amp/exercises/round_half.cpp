// round_half: exercise 7.round_half, declared in exercises.h.
#include <bit>
#include <cmath>

#include "exercises.h"
#include "td/exercise.h"

std::uint16_t bfloat16_bits(float value) {
  // Your code here: Handle NaN; round the upper 16 bits by the lower 16. About 3 lines.
  td::not_done_yet("round_half");
}

std::uint16_t half_bits(float value) {
  // Your code here: Keep the sign. Cases: NaN, too large, below 2^-14, others. About 11 lines.
  td::not_done_yet("round_half");
}

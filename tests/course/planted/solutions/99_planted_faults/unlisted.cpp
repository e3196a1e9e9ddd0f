// An exercise that course.toml forgot.
#include "exercises.h"
#include "td/exercise.h"

int unlisted() {
  // blank: One.
  return 1;
  // end
}

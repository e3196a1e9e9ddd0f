// encode_options: exercise 10.compile_options, declared in exercises.h.
#include "exercises.h"
#include "td/exercise.h"

std::string encode_options(int replicas, int partitions) {
  // Your code here: Refuse less than 1; then the inner message, then the outer one. 10 lines.
  td::not_done_yet("compile_options");
}

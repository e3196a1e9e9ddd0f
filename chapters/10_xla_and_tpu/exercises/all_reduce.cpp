// all_reduce: exercise 10.all_reduce, declared in exercises.h.
#include "exercises.h"
#include "programs.h"
#include "td/exercise.h"

std::string all_reduce(const std::string& value, const std::string& result, const std::string& type,
                       int replicas) {
  // Your code here: The replicas as a list, then the operation with its region. About 12 lines.
  td::not_done_yet("all_reduce");
}

// cast_policy: exercise 7.cast_policy, declared in exercises.h.
#include "exercises.h"
#include "td/exercise.h"

std::vector<td::Tensor> cast_arguments(const std::string& operation,
                                       const std::vector<td::Tensor>& arguments,
                                       td::DeviceType device_type, td::ScalarType fast) {
  // Your code here: Find the policy and its type; cast eligible arguments. About 22 lines.
  td::not_done_yet("cast_policy");
}

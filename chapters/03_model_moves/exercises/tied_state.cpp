// tied_state: exercise 3.tied_state, declared in exercises.h.
#include "exercises.h"
#include "td/exercise.h"

std::map<std::string, td::Tensor> tied_state(const std::map<std::string, td::Tensor>& state,
                                             td::Device device) {
  // Your code here: Look among the entries done so far for one with the same tensor. About 12 lines.
  td::not_done_yet("tied_state");
}

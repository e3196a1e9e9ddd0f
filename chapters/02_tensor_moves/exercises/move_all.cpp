// move_all: exercise 2.move_all, declared in exercises.h.
#include <map>
#include <utility>

#include "exercises.h"
#include "td/exercise.h"

std::vector<td::Tensor> move_all(const std::vector<td::Tensor>& tensors, td::Device device) {
  std::vector<td::Tensor> moved(tensors.size());
  // Your code here: Sort out what needs no transfer; pack the rest, move, split. About 30 lines.
  td::not_done_yet("move_all");
  return moved;
}

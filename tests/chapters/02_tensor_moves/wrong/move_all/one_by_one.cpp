// expect: four float tensors to sim:0: expected 1 transfer of
// Right values, but every tensor costs a transfer.
#include "exercises.h"

std::vector<td::Tensor> move_all(const std::vector<td::Tensor>& tensors, td::Device device) {
  const td::Device target = td::check_device(device);
  std::vector<td::Tensor> moved;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    std::size_t first = 0;
    while (!tensors[first].is_same(tensors[i])) ++first;
    moved.push_back(first < i ? moved[first] : tensors[i].to(target));
  }
  return moved;
}

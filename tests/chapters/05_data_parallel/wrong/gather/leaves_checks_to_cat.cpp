// expect: the error should say "part 1"
// cat knows the sizes, but not which replica and which device a tensor came from.
#include "exercises.h"

td::Tensor gather(const std::vector<td::Tensor>& parts, td::Device destination) {
  if (parts.empty()) throw td::Error("gather: no parts");
  std::vector<td::Tensor> moved;
  for (const td::Tensor& part : parts) {
    const td::Tensor there = part.to(destination);
    moved.push_back(there.dim() == 0 ? there.unsqueeze(0) : there);
  }
  return td::cat(moved);
}

// expect: that rank 1 of 3 had before
// Only the rank that has the values calls broadcast, but all ranks must call it.
#include "exercises.h"

void broadcast_start(td::nn::Module& model, ProcessGroup& group) {
  const td::NoGradGuard no_grad;
  if (group.rank() != 0) return;
  std::vector<std::shared_ptr<td::distributed::Work>> works;
  for (td::Tensor& tensor : model.parameters()) works.push_back(group.broadcast(tensor, 0));
  for (td::Tensor& tensor : model.buffers()) works.push_back(group.broadcast(tensor, 0));
}

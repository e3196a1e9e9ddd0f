// ring_all_reduce: exercise 14.ring_all_reduce, declared in exercises.h.
#include "exercises.h"
#include "td/exercise.h"

void ring_all_reduce(const td::Tensor& tensor, ProcessGroup& group) {
  // blank: Slices of the flat tensor; 2 (size - 1) rounds of send and recv. About 18 lines.
  const td::NoGradGuard no_grad;
  const int size = group.size(), right = (group.rank() + 1) % size;
  const int left = (group.rank() + size - 1) % size;
  const td::Tensor flat = tensor.detach().view({-1});
  const std::int64_t each = (flat.numel() + size - 1) / size;
  const auto slice = [&](int number) {
    const std::int64_t begin = std::min(flat.numel(), each * ((number + 2 * size) % size));
    return flat.narrow(0, begin, std::min(each, flat.numel() - begin));
  };
  for (int round = 0; round < 2 * (size - 1); ++round) {
    const td::Tensor sent = slice(group.rank() - round);
    td::Tensor mine = slice(group.rank() - round - 1);
    const td::Tensor received = td::empty_like(mine);
    std::vector<std::shared_ptr<td::distributed::Work>> works;
    if (sent.numel() > 0) works.push_back(group.send(sent, right, round));
    if (mine.numel() > 0) works.push_back(group.recv(received, left, round));
    for (const auto& work : works) work->wait();
    if (round < size - 1)
      mine.add_(received);
    else
      mine.copy_(received);
  }
  // end
}

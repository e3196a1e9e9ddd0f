#include "exercises.h"

// answer: two_loops
// Two loops, slices as a list, and no message without elements.
namespace two_loops {
void ring_all_reduce(const td::Tensor& tensor, ProcessGroup& group) {
  const td::NoGradGuard no_grad;
  const int p = group.size(), me = group.rank();
  if (p == 1) return;
  td::Tensor flat = tensor.detach().reshape({tensor.numel()});
  const std::int64_t n = flat.numel(), each = (n + p - 1) / p;
  std::vector<td::Tensor> slices;
  for (int i = 0; i < p; ++i) {
    const std::int64_t begin = std::min<std::int64_t>(i * each, n);
    slices.push_back(flat.narrow(0, begin, std::min<std::int64_t>(each, n - begin)));
  }
  const auto exchange = [&](int out, int in) {
    out = (out % p + p) % p;
    in = (in % p + p) % p;
    td::Tensor got = slices[in].clone();
    std::shared_ptr<td::distributed::Work> receiving;
    if (slices[in].numel() > 0) receiving = group.recv(got, (me + p - 1) % p);
    if (slices[out].numel() > 0) group.send(slices[out], (me + 1) % p)->wait();
    if (receiving) receiving->wait();
    return std::pair(slices[in], got);
  };
  for (int round = 0; round < p - 1; ++round) {
    auto [mine, got] = exchange(me - round, me - round - 1);
    mine.add_(got);
  }
  for (int round = 0; round < p - 1; ++round) {
    auto [mine, got] = exchange(me + 1 - round, me - round);
    mine.copy_(got);
  }
}
}  // namespace two_loops

// expect: send one slice per round, not the whole tensor
// Passes whole tensors around the ring: right sums, but size / 2 times as many bytes.
#include "exercises.h"

void ring_all_reduce(const td::Tensor& tensor, ProcessGroup& group) {
  const td::NoGradGuard no_grad;
  const int size = group.size(), rank = group.rank();
  td::Tensor passed = tensor.detach().clone(), sum = tensor.detach();
  for (int round = 0; round + 1 < size; ++round) {
    const td::Tensor received = td::empty_like(passed);
    const auto sending = group.send(passed, (rank + 1) % size, round);
    group.recv(received, (rank + size - 1) % size, round)->wait();
    sending->wait();
    sum.add_(received);
    passed = received;
  }
}

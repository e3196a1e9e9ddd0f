#include "exercises.h"

// answer: adds_always
// expect: index
// Adds in the second half, too.
namespace adds_always {
void ring_all_reduce(const td::Tensor& tensor, ProcessGroup& group) {
  const td::NoGradGuard no_grad;
  const int size = group.size(), rank = group.rank();
  const int right = (rank + 1) % size, left = (rank + size - 1) % size;
  const td::Tensor flat = tensor.detach().view({-1});
  const std::int64_t n = flat.numel(), each = (n + size - 1) / size;
  const auto slice = [&](int number) {
    const std::int64_t i = (number + 2 * size) % size, begin = std::min(n, each * i);
    return flat.narrow(0, begin, std::min(each, n - begin));
  };
  for (int round = 0; round < 2 * (size - 1); ++round) {
    td::Tensor mine = slice(rank - round - 1);
    td::Tensor received = td::empty_like(mine);
    const auto sending = group.send(slice(rank - round), right, round);
    const auto receiving = group.recv(received, left, round);
    sending->wait();
    receiving->wait();
    mine.add_(received);
  }
}
}  // namespace adds_always

// answer: all_reduce_inside
// expect: the exercise is to use send and recv only
// Calls all_reduce, which it should implement.
namespace all_reduce_inside {
void ring_all_reduce(const td::Tensor& tensor, ProcessGroup& group) {
  group.all_reduce(tensor)->wait();
}
}  // namespace all_reduce_inside

// answer: does_not_wait
// expect: index
// Adds what has not arrived yet.
namespace does_not_wait {
void ring_all_reduce(const td::Tensor& tensor, ProcessGroup& group) {
  const td::NoGradGuard no_grad;
  const int size = group.size(), rank = group.rank();
  const int right = (rank + 1) % size, left = (rank + size - 1) % size;
  const td::Tensor flat = tensor.detach().view({-1});
  const std::int64_t n = flat.numel(), each = (n + size - 1) / size;
  const auto slice = [&](int number) {
    const std::int64_t i = (number + 2 * size) % size, begin = std::min(n, each * i);
    return flat.narrow(0, begin, std::min(each, n - begin));
  };
  for (int round = 0; round < 2 * (size - 1); ++round) {
    td::Tensor mine = slice(rank - round - 1);
    td::Tensor received = td::empty_like(mine);
    received.fill_(0);
    group.send(slice(rank - round), right, round);
    const auto receiving = group.recv(received, left, round);
    mine.add_(0);
    if (round < size - 1)
      mine.add_(received);
    else
      mine.copy_(received);
    receiving->wait();
  }
}
}  // namespace does_not_wait

// answer: in_float
// expect: int64 values that float32 cannot hold
// Adds in float32. Right for small integers, and for float32 itself.
namespace in_float {
void ring_all_reduce(const td::Tensor& tensor, ProcessGroup& group) {
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
      mine.copy_(mine.to(td::kFloat) + received.to(td::kFloat));
    else
      mine.copy_(received);
  }
}
}  // namespace in_float

// answer: into_a_copy
// expect: index
// Works on a copy of the tensor.
namespace into_a_copy {
void ring_all_reduce(const td::Tensor& tensor, ProcessGroup& group) {
  const td::NoGradGuard no_grad;
  const int size = group.size(), rank = group.rank();
  const int right = (rank + 1) % size, left = (rank + size - 1) % size;
  const td::Tensor flat = tensor.detach().clone().view({-1});
  const std::int64_t n = flat.numel(), each = (n + size - 1) / size;
  const auto slice = [&](int number) {
    const std::int64_t i = (number + 2 * size) % size, begin = std::min(n, each * i);
    return flat.narrow(0, begin, std::min(each, n - begin));
  };
  for (int round = 0; round < 2 * (size - 1); ++round) {
    td::Tensor mine = slice(rank - round - 1);
    td::Tensor received = td::empty_like(mine);
    const auto sending = group.send(slice(rank - round), right, round);
    const auto receiving = group.recv(received, left, round);
    sending->wait();
    receiving->wait();
    if (round < size - 1)
      mine.add_(received);
    else
      mine.copy_(received);
  }
}
}  // namespace into_a_copy

// answer: loses_the_rest
// expect: elements, rank
// Slices of elements / ranks, rounded down: the rest is never added. Right for even numbers.
namespace loses_the_rest {
void ring_all_reduce(const td::Tensor& tensor, ProcessGroup& group) {
  const td::NoGradGuard no_grad;
  const int size = group.size(), rank = group.rank();
  const int right = (rank + 1) % size, left = (rank + size - 1) % size;
  const td::Tensor flat = tensor.detach().view({-1});
  const std::int64_t n = flat.numel(), each = n / size;
  const auto slice = [&](int number) {
    const std::int64_t i = (number + 2 * size) % size, begin = std::min(n, each * i);
    return flat.narrow(0, begin, std::min(each, n - begin));
  };
  for (int round = 0; round < 2 * (size - 1); ++round) {
    td::Tensor mine = slice(rank - round - 1);
    td::Tensor received = td::empty_like(mine);
    const auto sending = group.send(slice(rank - round), right, round);
    const auto receiving = group.recv(received, left, round);
    sending->wait();
    receiving->wait();
    if (round < size - 1)
      mine.add_(received);
    else
      mine.copy_(received);
  }
}
}  // namespace loses_the_rest

// answer: no_gather
// expect: index
// Only the reduce-scatter: every rank has one slice of the sum.
namespace no_gather {
void ring_all_reduce(const td::Tensor& tensor, ProcessGroup& group) {
  const td::NoGradGuard no_grad;
  const int size = group.size(), rank = group.rank();
  const int right = (rank + 1) % size, left = (rank + size - 1) % size;
  const td::Tensor flat = tensor.detach().view({-1});
  const std::int64_t n = flat.numel(), each = (n + size - 1) / size;
  const auto slice = [&](int number) {
    const std::int64_t i = (number + 2 * size) % size, begin = std::min(n, each * i);
    return flat.narrow(0, begin, std::min(each, n - begin));
  };
  for (int round = 0; round < size - 1; ++round) {
    td::Tensor mine = slice(rank - round - 1);
    td::Tensor received = td::empty_like(mine);
    const auto sending = group.send(slice(rank - round), right, round);
    const auto receiving = group.recv(received, left, round);
    sending->wait();
    receiving->wait();
    if (round < size - 1)
      mine.add_(received);
    else
      mine.copy_(received);
  }
}
}  // namespace no_gather

// answer: one_round_less
// expect: index
// Stops one round too early.
namespace one_round_less {
void ring_all_reduce(const td::Tensor& tensor, ProcessGroup& group) {
  const td::NoGradGuard no_grad;
  const int size = group.size(), rank = group.rank();
  const int right = (rank + 1) % size, left = (rank + size - 1) % size;
  const td::Tensor flat = tensor.detach().view({-1});
  const std::int64_t n = flat.numel(), each = (n + size - 1) / size;
  const auto slice = [&](int number) {
    const std::int64_t i = (number + 2 * size) % size, begin = std::min(n, each * i);
    return flat.narrow(0, begin, std::min(each, n - begin));
  };
  for (int round = 0; round < 2 * (size - 1) - 1; ++round) {
    td::Tensor mine = slice(rank - round - 1);
    td::Tensor received = td::empty_like(mine);
    const auto sending = group.send(slice(rank - round), right, round);
    const auto receiving = group.recv(received, left, round);
    sending->wait();
    receiving->wait();
    if (round < size - 1)
      mine.add_(received);
    else
      mine.copy_(received);
  }
}
}  // namespace one_round_less

// answer: receives_first
// expect: did not send for recv
// Every rank waits for its left neighbor before it sends.
namespace receives_first {
void ring_all_reduce(const td::Tensor& tensor, ProcessGroup& group) {
  const td::NoGradGuard no_grad;
  const int size = group.size(), rank = group.rank();
  const int right = (rank + 1) % size, left = (rank + size - 1) % size;
  const td::Tensor flat = tensor.detach().view({-1});
  const std::int64_t n = flat.numel(), each = (n + size - 1) / size;
  const auto slice = [&](int number) {
    const std::int64_t i = (number + 2 * size) % size, begin = std::min(n, each * i);
    return flat.narrow(0, begin, std::min(each, n - begin));
  };
  for (int round = 0; round < 2 * (size - 1); ++round) {
    td::Tensor mine = slice(rank - round - 1);
    td::Tensor received = td::empty_like(mine);
    group.recv(received, left, round)->wait();
    group.send(slice(rank - round), right, round)->wait();
    if (round < size - 1)
      mine.add_(received);
    else
      mine.copy_(received);
  }
}
}  // namespace receives_first

// answer: rounds_down
// expect: a slice has at most ceil(1003 /
// Slices of elements / ranks, rounded down, and the last slice has the rest. Right where the ranks
// divide the elements evenly.
namespace rounds_down {
void ring_all_reduce(const td::Tensor& tensor, ProcessGroup& group) {
  const td::NoGradGuard no_grad;
  const int size = group.size(), right = (group.rank() + 1) % size;
  const int left = (group.rank() + size - 1) % size;
  const td::Tensor flat = tensor.detach().view({-1});
  const std::int64_t each = flat.numel() / size;
  const auto slice = [&](int number) {
    number = (number + 2 * size) % size;
    const std::int64_t begin = each * number;
    return flat.narrow(0, begin, number == size - 1 ? flat.numel() - begin : each);
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
}
}  // namespace rounds_down

// answer: through_rank_0
// expect: in the ring it sends to rank r + 1 and receives from rank r - 1
// Rank 0 adds and sends the sum to all: no ring.
namespace through_rank_0 {
void ring_all_reduce(const td::Tensor& tensor, ProcessGroup& group) {
  const td::NoGradGuard no_grad;
  td::Tensor sum = tensor.detach();
  if (group.rank() > 0) {
    group.send(sum, 0, 0)->wait();
    group.recv(sum, 0, 1)->wait();
    return;
  }
  for (int r = 1; r < group.size(); ++r) {
    const td::Tensor received = td::empty_like(sum);
    group.recv(received, r, 0)->wait();
    sum.add_(received);
  }
  for (int r = 1; r < group.size(); ++r) group.send(sum, r, 1)->wait();
}
}  // namespace through_rank_0

// answer: whole_tensors
// expect: send one slice per round, not the whole tensor
// Passes whole tensors around the ring: right sums, but size / 2 times as many bytes.
namespace whole_tensors {
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
}  // namespace whole_tensors

// answer: waits_for_the_send
// expect: messages and waited for 0 of them
// Waits for what it sends, as if what it receives were there then, too.
namespace waits_for_the_send {
void ring_all_reduce(const td::Tensor& tensor, ProcessGroup& group) {
  const td::NoGradGuard no_grad;
  const int size = group.size(), right = (group.rank() + 1) % size;
  const int left = (group.rank() + size - 1) % size;
  const td::Tensor flat = tensor.detach().view({-1});
  const std::int64_t each = (flat.numel() + size - 1) / size;
  const auto slice = [&](int number) {
    const std::int64_t begin = std::min(flat.numel(), each * ((number + 2 * size) % size));
    return flat.narrow(0, begin, std::min(each, flat.numel() - begin));
  };
  std::vector<td::Tensor> messages;  // they live until all ranks are done
  for (int round = 0; round < 2 * (size - 1); ++round) {
    const td::Tensor sent = slice(group.rank() - round);
    td::Tensor mine = slice(group.rank() - round - 1);
    const td::Tensor received = messages.emplace_back(td::empty_like(mine));
    std::shared_ptr<td::distributed::Work> receiving, sending;
    if (mine.numel() > 0) receiving = group.recv(received, left, round);
    if (sent.numel() > 0) sending = group.send(sent, right, round);
    if (sending) sending->wait();
    if (round < size - 1)
      mine.add_(received);
    else
      mine.copy_(received);
  }
}
}  // namespace waits_for_the_send

// answer: does_not_wait_for_the_send
// expect: the slice must not change
// The sum is right where the send is fast.
namespace does_not_wait_for_the_send {
void ring_all_reduce(const td::Tensor& tensor, ProcessGroup& group) {
  const td::NoGradGuard no_grad;
  const int size = group.size(), rank = group.rank(), right = (rank + 1) % size,
            left = (rank + size - 1) % size;
  const td::Tensor flat = tensor.detach().view({-1});
  const std::int64_t each = (flat.numel() + size - 1) / size;
  const auto slice = [&](int number) {
    const std::int64_t begin = std::min(flat.numel(), each * ((number + 2 * size) % size));
    return flat.narrow(0, begin, std::min(each, flat.numel() - begin));
  };
  for (int round = 0; round < 2 * (size - 1); ++round) {
    const td::Tensor sent = slice(rank - round);
    td::Tensor mine = slice(rank - round - 1);
    const td::Tensor received = td::empty_like(mine);
    if (sent.numel() > 0) group.send(sent, right, round);
    if (mine.numel() > 0) group.recv(received, left, round)->wait();
    if (round < size - 1)
      mine.add_(received);
    else
      mine.copy_(received);
  }
}
}  // namespace does_not_wait_for_the_send

// answer: even_ranks_send_first
// expect: after only one of the send and the recv
// Even ranks send first, odd ones receive first. The sums are right, and no rank waits forever.
namespace even_ranks_send_first {
void ring_all_reduce(const td::Tensor& tensor, ProcessGroup& group) {
  const td::NoGradGuard no_grad;
  const int size = group.size(), rank = group.rank(), right = (rank + 1) % size,
            left = (rank + size - 1) % size;
  const td::Tensor flat = tensor.detach().view({-1});
  const std::int64_t each = (flat.numel() + size - 1) / size;
  const auto slice = [&](int number) {
    const std::int64_t begin = std::min(flat.numel(), each * ((number + 2 * size) % size));
    return flat.narrow(0, begin, std::min(each, flat.numel() - begin));
  };
  for (int round = 0; round < 2 * (size - 1); ++round) {
    const td::Tensor sent = slice(rank - round);
    td::Tensor mine = slice(rank - round - 1);
    const td::Tensor received = td::empty_like(mine);
    const auto send = [&] {
      if (sent.numel() > 0) group.send(sent, right, round)->wait();
    };
    const auto receive = [&] {
      if (mine.numel() > 0) group.recv(received, left, round)->wait();
    };
    if (rank % 2 == 0) {
      send();
      receive();
    } else {
      receive();
      send();
    }
    if (round < size - 1)
      mine.add_(received);
    else
      mine.copy_(received);
  }
}
}  // namespace even_ranks_send_first

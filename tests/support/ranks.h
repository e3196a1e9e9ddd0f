// Ranks that are threads, groups that log their calls, and models for them. Included by the tests
// of chapters 06 and 14.
#pragma once

#include <chrono>
#include <memory>

#include "check_tensors.h"
#include "distributed/thread_group.h"

using td::distributed::ProcessGroup;

/// Calls `work` in `ranks` threads. A rank that waits longer than the timeout ends with an error
/// that names the missing rank. Assert afterwards, in the main thread.
inline void run_ranks(int ranks, const std::function<void(ProcessGroup&)>& work,
                      std::chrono::milliseconds timeout = std::chrono::seconds(3)) {
  td::distributed::run_as_threads(ranks, work, timeout);
}

/// A rank's group that logs its calls before it passes them on.
class CountedGroup : public ProcessGroup {
 public:
  explicit CountedGroup(ProcessGroup& group)
      : ProcessGroup(group.rank(), group.size()), group_(group) {}
  const char* transport() const override { return group_.transport(); }
  std::vector<td::distributed::CollectiveFingerprint> calls;

 protected:
  std::shared_ptr<td::distributed::Work> start(td::distributed::Collective call) override {
    using td::distributed::CollectiveType;
    calls.push_back(call.key);
    switch (call.key.type) {
      case CollectiveType::kSend:
        return group_.send(call.input, call.key.peer, call.key.tag);
      case CollectiveType::kReceive:
        return group_.recv(call.output, call.key.peer, call.key.tag);
      case CollectiveType::kAllReduce:
        return group_.all_reduce(call.output, call.key.reduce);
      case CollectiveType::kBroadcast:
        return group_.broadcast(call.output, call.key.peer);
      case CollectiveType::kAllGather:
        return group_.all_gather_into_tensor(call.output, call.input);
      case CollectiveType::kReduceScatter:
        return group_.reduce_scatter_tensor(call.output, call.input, call.key.reduce);
      case CollectiveType::kReduce:
        return group_.reduce(call.output, call.key.peer, call.key.reduce);
      case CollectiveType::kBarrier:
        return group_.barrier();
    }
    return nullptr;
  }

 private:
  ProcessGroup& group_;
};

/// It also counts the calls whose result was waited for.
class WaitedGroup : public CountedGroup {
 public:
  using CountedGroup::CountedGroup;
  std::size_t waited = 0;

 protected:
  std::shared_ptr<td::distributed::Work> start(td::distributed::Collective call) override {
    return std::make_shared<td::distributed::ThenWork>(CountedGroup::start(std::move(call)),
                                                       [this] { ++waited; });
  }
};

/// Calls `work` in two ranks, and fails if it does not wait for the result of each of its calls.
inline void expect_waits(const std::function<void(ProcessGroup&)>& work) {
  std::vector<std::size_t> calls(2), waited(2);
  run_ranks(2, [&](ProcessGroup& group) {
    WaitedGroup counted(group);
    work(counted);
    const auto r = static_cast<std::size_t>(group.rank());
    calls[r] = counted.calls.size();
    waited[r] = counted.waited;
    group.barrier()->wait();  // ends after all calls before it
  });
  for (std::size_t r = 0; r < 2; ++r)
    check::expect(waited[r] == calls[r],
                  "of the " + std::to_string(calls[r]) + " collectives of rank " +
                      std::to_string(r) + ", " + std::to_string(waited[r]) +
                      " were waited for: a collective returns a Work immediately, and its result "
                      "is there after wait()");
}

/// "rank 1 of 3".
inline std::string rank_name(int rank, int ranks) {
  return "rank " + std::to_string(rank) + " of " + std::to_string(ranks);
}

/// Linear and batch norm, with other weights for another seed.
inline td::nn::Sequential make_net(std::uint64_t seed, td::Device device = "cpu") {
  td::manual_seed(seed);
  td::nn::Sequential net(td::nn::Linear(7, 31), td::nn::BatchNorm1d(31), td::nn::ReLU(),
                         td::nn::Linear(31, 3));
  net->to(device);
  return net;
}

/// A parameter of these sizes whose gradient is `gradient` everywhere; none when it is NaN.
inline td::Tensor parameter_with(const std::vector<std::int64_t>& sizes, double gradient,
                                 const td::TensorOptions& options = {}) {
  td::Tensor parameter = td::zeros(sizes, options).requires_grad_();
  if (gradient == gradient) parameter.mutable_grad() = td::full(sizes, gradient, options);
  return parameter;
}

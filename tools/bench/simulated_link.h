// A process group behind a slow link that costs no processor time. The link carries one all-reduce
// after another, each for as long as its bytes need, from the moment of the call; afterwards the
// values are really reduced. Benchmarks of overlap use it where the kernel cannot limit the
// bandwidth. Not thread-safe.
#pragma once

#include <algorithm>
#include <chrono>
#include <mutex>
#include <queue>
#include <thread>

#include "distributed/process_group.h"
#include "distributed/transport/work_queue.h"

namespace bench {

class SimulatedLink final : public td::distributed::ProcessGroup {
 public:
  /// @param per_byte nanoseconds.
  SimulatedLink(std::shared_ptr<ProcessGroup> group, double per_byte)
      : ProcessGroup(group->rank(), group->size()),
        group_(std::move(group)),
        per_byte_(per_byte),
        queue_(std::make_shared<td::distributed::WorkQueue>(
            "simulated link", [this](td::distributed::AsyncWork& work) { carry_out(work.call); })) {
  }
  ~SimulatedLink() override { queue_->close(false); }
  const char* transport() const override { return group_->transport(); }
  td::Tensor empty_shared(std::int64_t numel, const td::TensorOptions& options) override {
    return group_->empty_shared(numel, options);
  }

 protected:
  std::shared_ptr<td::distributed::Work> start(td::distributed::Collective call) override {
    if (call.key.type == td::distributed::CollectiveType::kAllReduce) {
      const std::chrono::duration<double, std::nano> needs(per_byte_ *
                                                           static_cast<double>(call.key.bytes()));
      free_ = std::max(free_, Clock::now()) + std::chrono::duration_cast<Clock::duration>(needs);
      std::lock_guard lock(mutex_);
      arrivals_.push(free_);
    }
    auto work = std::make_shared<td::distributed::AsyncWork>(std::move(call));
    queue_->enqueue(work);
    return work;
  }

 private:
  using Clock = std::chrono::steady_clock;

  Clock::time_point next_arrival() {
    std::lock_guard lock(mutex_);
    const Clock::time_point next = arrivals_.front();
    arrivals_.pop();
    return next;
  }

  void carry_out(const td::distributed::Collective& call) {
    using td::distributed::CollectiveType;
    switch (call.key.type) {
      case CollectiveType::kAllReduce:
        std::this_thread::sleep_until(next_arrival());
        return group_->all_reduce(call.output, call.key.reduce)->wait();
      case CollectiveType::kBroadcast:
        return group_->broadcast(call.output, call.key.peer)->wait();
      case CollectiveType::kAllGather:
        return group_->all_gather_into_tensor(call.output, call.input)->wait();
      case CollectiveType::kBarrier:
        return group_->barrier()->wait();
      default:
        td::fail<td::Error>("the simulated link has no ", collective_name(call.key.type));
    }
  }

  std::shared_ptr<ProcessGroup> group_;
  const double per_byte_;
  Clock::time_point free_;                  // when the link has finished its queue
  std::mutex mutex_;                        // guards:
  std::queue<Clock::time_point> arrivals_;  // of the all-reduces in the queue
  std::shared_ptr<td::distributed::WorkQueue> queue_;
};

}  // namespace bench

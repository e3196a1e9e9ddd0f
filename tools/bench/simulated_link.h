// A process group behind a slow link that costs no processor time: every all-reduce of n bytes
// sleeps latency + n * time before it is done for real. Benches of overlap use it where the kernel
// cannot shape traffic.
#pragma once

#include <chrono>
#include <thread>

#include "td/distributed/planes/lane.h"
#include "td/distributed/process_group.h"

namespace bench {

class SimulatedLink final : public td::distributed::ProcessGroup {
 public:
  /// @param latency microseconds. @param per_byte nanoseconds.
  SimulatedLink(std::shared_ptr<ProcessGroup> group, double latency, double per_byte)
      : ProcessGroup(group->rank(), group->size(), group->timeout()),
        group_(std::move(group)),
        lane_(std::make_shared<td::distributed::Lane>(
            [this, latency, per_byte](td::distributed::HostWork& work) {
              carry_out(work.call, latency, per_byte);
            })) {}
  ~SimulatedLink() override { lane_->close(false); }
  const char* plane() const override { return group_->plane(); }
  td::Tensor empty_shared(std::int64_t numel, const td::TensorOptions& options) override {
    return group_->empty_shared(numel, options);
  }

 protected:
  std::shared_ptr<td::distributed::Work> start(td::distributed::Collective call) override {
    auto work = std::make_shared<td::distributed::HostWork>(std::move(call));
    lane_->add(work);
    return work;
  }

 private:
  void carry_out(const td::distributed::Collective& call, double latency, double per_byte) {
    using td::distributed::CollectiveType;
    switch (call.key.type) {
      case CollectiveType::kAllReduce:
        std::this_thread::sleep_for(std::chrono::duration<double, std::micro>(
            latency + per_byte * 1e-3 * static_cast<double>(call.key.bytes())));
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
  std::shared_ptr<td::distributed::Lane> lane_;
};

}  // namespace bench

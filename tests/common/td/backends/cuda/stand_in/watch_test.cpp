// The thread that watches a group's collectives on GPUs. A communicator that does nothing replaces
// NCCL.
#include <cuda_runtime.h>

#include <thread>

#include "catch.h"
#include "distributed/transport/process_group_nccl.h"
#include "fake_gpus.h"

using namespace td;
using namespace td::distributed;

namespace {

using namespace std::chrono_literals;

class QuietCommunicator final : public Communicator {
 public:
  bool ready() override { return true; }
  void broadcast(void*, Elements, int, NativeStream*) override {}
  void all_reduce(void*, Elements, ReduceOp, NativeStream*) override {}
  void reduce(void*, Elements, ReduceOp, int, NativeStream*) override {}
  void all_gather(const void*, void*, Elements, NativeStream*) override {}
  void reduce_scatter(const void*, void*, Elements, ReduceOp, NativeStream*) override {}
  void exchange(const std::vector<P2POp>&, NativeStream*) override {}
  std::shared_ptr<void> span(const char*, std::size_t, NativeStream*) override { return nullptr; }
  void abort() override {}
};

ProcessGroupNCCL group_on(Device device) {
  const auto quiet = [] { return std::make_shared<QuietCommunicator>(); };
  return ProcessGroupNCCL(0, 2, 10s, device, {quiet(), quiet()}, nullptr);
}

/// Until the watch has asked after events, or five seconds.
void wait_for_questions(std::uint64_t before) {
  for (int i = 0; i < 500 && cuda_stand_in::calls("cudaEventQuery") == before; ++i)
    std::this_thread::sleep_for(10ms);
  CHECK(cuda_stand_in::calls("cudaEventQuery") > before);
}

TEST_CASE("the watch queries the group's own device") {
  cuda_stand_in::CollectRefusals refusals;
  ProcessGroupNCCL group = group_on(fake::gpu(1));
  const Tensor t = zeros({3}, TensorOptions(fake::gpu(1)));
  const std::uint64_t before = cuda_stand_in::calls("cudaEventQuery");
  const auto work = group.all_reduce(t);
  wait_for_questions(before);
  work->wait();
  CHECK(refusals.take() == std::vector<std::string>{});
}

TEST_CASE("a GPU whose query fails ends the group with a clear error, but not the process") {
  ProcessGroupNCCL group = group_on(fake::gpu(1));
  const Tensor t = zeros({3}, TensorOptions(fake::gpu(1)));
  cuda_stand_in::fail_next("cudaEventQuery", cudaErrorDevicesUnavailable);
  const std::uint64_t before = cuda_stand_in::calls("cudaEventQuery");
  const auto work = group.all_reduce(t);
  wait_for_questions(before);
  std::string text;
  for (int i = 0; i < 500 && text.empty(); ++i) {
    std::this_thread::sleep_for(10ms);
    try {
      work->wait();
    } catch (const DistributedError& e) {
      text = e.what();
    }
  }
  CHECK_THAT(text, Catch::Contains("asking whether work is done on cuda:1"));
}

}  // namespace

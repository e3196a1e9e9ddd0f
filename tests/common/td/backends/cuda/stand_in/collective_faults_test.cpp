// Collectives of process groups concurrent with other work of their GPUs, arranged so that a
// missing wait, or memory that is freed too early, shows. The stand-ins find such faults;
// tests/system/planted_faults.py plants them.
#include <cstdlib>

#include "catch.h"
#include "child_process.h"
#include "distributed/ddp/ddp.h"
#include "fake_gpus.h"
#include "libs/communicator.h"
#include "nccl_groups.h"

using namespace td;
using namespace td::distributed;
using nccl_groups::on_all_gpus;

namespace {

std::vector<std::string> no_errors() {
  return std::vector<std::string>(static_cast<std::size_t>(device_count(kCUDA)));
}

TEST_CASE("collectives come after the work before them, and before the work after them") {
  CHECK(on_all_gpus([](ProcessGroup& group, Device device) {
          const Tensor t = zeros({33}, TensorOptions(device));
          for (int round = 0; round < 3; ++round) {
            t.fill_(1);
            group.all_reduce(t)->wait();
            t.mul_(2);
            if (t.sum().item<float>() != 66.f * static_cast<float>(group.size()))
              throw Error("the sum is " + std::to_string(t.sum().item<float>()));
          }
        }) == no_errors());
}

TEST_CASE("every rank gets what rank 1 has, and what all ranks have") {
  CHECK(on_all_gpus([](ProcessGroup& group, Device device) {
          const Tensor t = full({33}, group.rank() + 1.0, TensorOptions(device));
          group.broadcast(t, 1)->wait();
          if (t.sum().item<float>() != 66) throw Error("broadcast");
          const Tensor all = empty({33 * group.size()}, TensorOptions(device));
          group.all_gather_into_tensor(all, t)->wait();
          if (all.sum().item<float>() != 66.f * static_cast<float>(group.size()))
            throw Error("all_gather");
        }) == no_errors());
}

/// Two layers, each on its own stream.
struct TwoStreamsImpl : nn::Module {
  explicit TwoStreamsImpl(Device device) : side(getStreamFromPool(device)) {
    first = register_module("first", nn::Linear(8, 3));
    second = register_module("second", nn::Linear(8, 3));
    to(device);
  }
  Tensor forward(const Tensor& x) {
    const Stream current = getCurrentStream(side.device());
    side.wait(current);
    Tensor y;
    {
      const StreamGuard guard(side);
      y = second->forward(x);
    }
    const Tensor sum = first->forward(x);
    current.wait(side);
    x.record_stream(side), y.record_stream(current);
    return sum + y;
  }
  nn::Linear first{nullptr}, second{nullptr};
  const Stream side;
};
TD_MODULE(TwoStreams);

TEST_CASE("gradients of two streams are averaged in one bucket") {
  CHECK(on_all_gpus([](ProcessGroup& group, Device device) {
          const std::shared_ptr<ProcessGroup> borrowed(&group, [](ProcessGroup*) {});
          DistributedDataParallel ddp(TwoStreams(device),
                                      DistributedDataParallelOptions().process_group(borrowed));
          const Tensor x = full({4, 8}, group.rank() + 1.0, TensorOptions(device));
          for (int step = 0; step < 3; ++step) {
            ddp->zero_grad();
            ddp->forward(x).sum().backward();
            for (const Tensor& p : ddp->parameters())
              if (p.dim() == 2 && p.grad().amax().item<float>() != 2.f * (1 + group.size()))
                throw Error("a gradient is " + std::to_string(p.grad().amax().item<float>()));
          }
          synchronize(device);
        }) == no_errors());
}

TEST_CASE("two ranks send to each other") {
  CHECK(on_all_gpus([](ProcessGroup& group, Device device) {
          if (group.rank() > 1) return;
          const Tensor mine = full({33}, 1.0 * group.rank(), TensorOptions(device));
          const Tensor other = empty({33}, TensorOptions(device));
          const auto sent = group.send(mine, 1 - group.rank());
          group.recv(other, 1 - group.rank())->wait();
          sent->wait();
          if (other.sum().item<float>() != 33.f * static_cast<float>(1 - group.rank()))
            throw Error("recv");
        }) == no_errors());
}

TEST_CASE("a collective keeps the memory of its tensors until it has ended") {
  CHECK(on_all_gpus([](ProcessGroup& group, Device device) {
          for (int round = 0; round < 3; ++round) {
            auto t = std::make_unique<Tensor>(ones({1000}, TensorOptions(device)));
            const auto work = group.all_reduce(*t);
            t.reset();
            const Tensor next = full({1000}, 5.0, TensorOptions(device));
            if (next.sum().item<float>() != 5000) throw Error("another tensor was written to");
            work->wait();
          }
        }) == no_errors());
}

TEST_CASE("child: a communicator outlives the driver", "[.child]") {
  auto communicator = join_communicator(new_communicator_id(), 0, 1, fake::gpu());
  while (!communicator->ready()) std::this_thread::yield();
  cuda_stand_in::unload(true);
  fake::in_new_thread([&] { communicator.reset(); });
  std::_Exit(0);
}

TEST_CASE("a communicator that outlives the driver is destroyed without an error") {
  const test::ChildResult child = test::run_child("child: a communicator outlives the driver");
  INFO(child.output);
  CHECK(child.exit_code == 0);
}

}  // namespace

// The order of operations, tested without a clock: an all-reduce is in flight while backward
// computes, buckets are sent in their order, and backward ends after the last of them.
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

#include "ranks.h"

using namespace ranks;

namespace {

// A world of one rank whose all-reduces stay unfinished until the test releases them. Waiting for
// one that is not released is an error, not a hang.
class GatedGroup final : public ProcessGroup {
 public:
  GatedGroup() : ProcessGroup(0, 1) {}
  const char* transport() const override { return "gated"; }
  void open() {
    std::lock_guard lock(mutex_);
    open_ = true;
    changed_.notify_all();
  }
  /// Elements of the all-reduces that were started, in order.
  std::vector<std::int64_t> started() const {
    std::lock_guard lock(mutex_);
    return started_;
  }
  int waited() const { return waited_; }

 protected:
  std::shared_ptr<Work> start(Collective call) override {
    if (call.key.type != CollectiveType::kAllReduce) {
      if (call.key.type == CollectiveType::kAllGather)
        call.output.copy_(call.input.view(call.output.sizes()));
      return std::make_shared<Done>();
    }
    std::lock_guard lock(mutex_);
    started_.push_back(call.key.numel);
    return std::make_shared<Gated>(*this);
  }

 private:
  struct Done : Work {
    void wait() override {}
    bool is_completed() const override { return true; }
  };
  struct Gated : Work {
    explicit Gated(GatedGroup& group) : group(group) {}
    void wait() override {
      std::unique_lock lock(group.mutex_);
      if (!group.changed_.wait_for(lock, std::chrono::seconds(5), [&] { return group.open_; }))
        throw DistributedError("nobody opened the gate");
      ++group.waited_;
    }
    bool is_completed() const override { return group.open_; }
    GatedGroup& group;
  };

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::int64_t> started_;
  std::atomic<int> waited_ = 0;
  bool open_ = false;
};

// Three layers that record the progress of backward: each has a hook on its input's gradient.
struct Watched : nn::Module {
  nn::Linear a = register_module("a", nn::Linear(4, 4));
  nn::Linear b = register_module("b", nn::Linear(4, 4));
  nn::Linear c = register_module("c", nn::Linear(4, 4));
  std::function<void(const char*)> reached;
  Tensor forward(const Tensor& x) {
    return watch(c, "c", watch(b, "b", watch(a, "a", x.detach().requires_grad_())));
  }
  Tensor watch(nn::Linear& layer, const char* name, const Tensor& input) {
    const Tensor in = input * 1.0;
    in.register_hook([this, name](const Tensor&) { reached(name); });
    return layer(in);
  }
};

}  // namespace

TEST_CASE("the backward pass of earlier layers runs while all-reduces are in flight") {
  const auto group = std::make_shared<GatedGroup>();
  auto net = std::make_shared<Watched>();
  DistributedDataParallel ddp(
      net, Options().process_group(group).bucket_cap_mb(1e-6).first_bucket_mb(1e-6));
  // When backward reaches the input of a layer, the buckets of later layers have been sent, and
  // none has finished, because the gate is closed until the last layer is reached.
  std::vector<std::pair<std::string, std::size_t>> seen;
  net->reached = [&](const char* layer) {
    seen.emplace_back(layer, group->started().size());
    CHECK(group->waited() == 0);
    if (std::string(layer) == "a") group->open();
  };
  ddp->forward(numbers({2, 4}, 1)).sum().backward();
  REQUIRE(seen.size() == 3);
  CHECK(seen[0].first == "c");
  CHECK(seen[1].first == "b");
  CHECK(seen[1].second >= 2);  // c's two parameters are in flight while b is computed
  CHECK(seen[2].first == "a");
  CHECK(seen[2].second >= 4);
  CHECK(group->started().size() == 6);
  CHECK(group->waited() == 6);  // backward has waited for all of them
}

TEST_CASE("backward does not return before the last bucket is reduced") {
  const auto group = std::make_shared<GatedGroup>();
  nn::Linear net(4, 4);
  DistributedDataParallel ddp(net, Options().process_group(group));
  std::atomic<bool> ended = false;
  std::thread step([&] {
    ddp->forward(numbers({2, 4}, 1)).sum().backward();
    ended = true;
  });
  while (group->started().empty()) std::this_thread::yield();
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  CHECK_FALSE(ended);
  group->open();
  step.join();
  CHECK(ended);
}

TEST_CASE("buckets are sent in their order, even where a later one is full first") {
  // The first parameters are used last, so their gradients come first, but they are in the last
  // bucket until the order is known.
  struct Backwards : nn::Module {
    nn::Linear last = register_module("last", nn::Linear(nn::LinearOptions(7, 7).bias(false)));
    nn::Linear first = register_module("first", nn::Linear(nn::LinearOptions(5, 7).bias(false)));
    Tensor forward(const Tensor& x) { return last(first(x).tanh()); }
  };
  const auto group = std::make_shared<GatedGroup>();
  group->open();
  DistributedDataParallel ddp(
      std::make_shared<Backwards>(),
      Options().process_group(group).bucket_cap_mb(1e-6).first_bucket_mb(1e-6));
  ddp->forward(numbers({2, 5}, 1)).sum().backward();
  const auto first_step = group->started();
  ddp->forward(numbers({2, 5}, 1)).sum().backward();
  const auto both = group->started();
  // 35 and 49 elements, each padded to cache lines, and the line of flags.
  REQUIRE(both.size() == 4);
  CHECK(first_step[0] < first_step[1]);  // 35 first, though 49 was ready first
  CHECK(both[2] == first_step[1]);       // now in ready order
  CHECK(both[3] == first_step[0]);
}

// TD_NO_CACHING=1: every block is an allocation of the device's own. It is read once, so each case
// runs in a child process.
#include <atomic>
#include <iostream>

#include "catch.h"
#include "child_process.h"
#include "sim_work.h"
#include "td/td.h"

using namespace td;
using test::launch;
using test::run_child;

namespace {

const Device kDevice("sim:0");

std::size_t reserved() { return memory_stats(kDevice).reserved; }
std::uint64_t asked_the_device() { return memory_stats(kDevice).device_allocations; }

/// Takes what waits for events back, too.
void come_to_rest() {
  synchronize(kDevice);
  Allocator& memory = allocator(kDevice);
  memory.release(memory.allocate(1), 1);
}

}  // namespace

TEST_CASE("child: every block asks the device", "[.child]") {
  Allocator& memory = allocator(kDevice);
  for (const std::size_t bytes : {1, 1000, 3 << 20, 30 << 20}) {
    const std::uint64_t before = asked_the_device();
    for (int i = 0; i < 3; ++i) {
      void* block = memory.allocate(bytes);
      CHECK(memory.stats().reserved == bytes);  // nothing around it that an overrun could fall into
      CHECK(memory.stats().allocated == bytes);
      memory.release(block, bytes);
      CHECK(memory.stats().reserved == 0);
    }
    CHECK(asked_the_device() == before + 3);
  }
}

TEST_CASE("child: a release waits for queued work", "[.child]") {
  test::DeviceArray<int> result(kDevice, 1);
  const Stream stream = getCurrentStream(kDevice);
  Allocator& memory = allocator(kDevice);
  void* block = memory.allocate(1 << 20);
  static std::atomic<bool> finished{false};
  launch("slow", stream, [out = result.kernel(), in = sim::kernel_view(0, block)] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    std::memset(in, 1, 1 << 20);
    *out = *static_cast<int*>(in);
    finished = true;
  });
  memory.release(block, 1 << 20);
  CHECK(finished);
  CHECK(result.values(stream)[0] == 0x01010101);
}

TEST_CASE("child: a block that a second stream uses waits for that stream", "[.child]") {
  const Stream side = getStreamFromPool(kDevice);
  Allocator& memory = allocator(kDevice);
  void* block = memory.allocate(4096);
  memory.record_stream(block, side);
  {
    test::Gate gate;
    gate.hold(side);
    gate.wait_until_held();
    memory.release(block, 4096);
    CHECK(reserved() == 4096);
  }
  come_to_rest();
  CHECK(reserved() == 0);
}

TEST_CASE("child: a graph keeps its memory and its replays take none", "[.child]") {
  const Stream stream = getStreamFromPool(kDevice);
  const StreamGuard guard(stream);
  {
    const Tensor x = full({1000}, 3.0, TensorOptions(kDevice));
    Graph graph;
    Tensor y;
    graph.capture(stream, [&] { y = (x * 2 + 1) * 2; });
    const std::uint64_t before = asked_the_device();
    for (int i = 0; i < 3; ++i) {
      x.fill_(i);
      const Tensor between = ones({1000}, TensorOptions(kDevice));
      graph.replay();
      CHECK(y[999].item<float>() == 4 * static_cast<float>(i) + 2);
    }
    CHECK(asked_the_device() > before);  // `between` and what item() needs, none of it the graph's
    graph.reset();
    CHECK(y[999].item<float>() == 10);
  }
  come_to_rest();
  CHECK(reserved() == 0);
}

TEST_CASE("child: what is released during a capture comes back after it", "[.child]") {
  const Stream stream = getStreamFromPool(kDevice);
  {
    const StreamGuard guard(stream);
    Tensor before = ones({1000}, TensorOptions(kDevice));
    const Tensor x = ones({1}, TensorOptions(kDevice));
    synchronize(kDevice);
    Graph graph;
    graph.capture(stream, [&] {
      before = Tensor();
      x.add_(1);
    });
    CHECK(reserved() >= 4000);
    graph.replay();
    CHECK(x.item<float>() == 2);
  }
  come_to_rest();
  CHECK(reserved() == 0);
}

TEST_CASE("child: full memory", "[.child]") {
  sim::set_capacity(1 << 20);
  const Tensor kept = ones({1000}, TensorOptions(kDevice));
  CHECK_THROWS_WITH(
      ones({1 << 20}, TensorOptions(kDevice)),
      Catch::Contains("sim:0 is out of memory: tried to allocate 4.00 MiB; 1.00 MiB in "
                      "all, 3.91 KiB in live tensors. Use"));
  CHECK((kept + 1).sum().item<float>() == 2000);
}

TEST_CASE("child: trains", "[.child]") {
  manual_seed(1);
  nn::Sequential net(nn::Linear(20, 30), nn::ReLU(), nn::Dropout(0.1), nn::Linear(30, 4));
  net->to(kDevice);
  optim::Adam adam(net->parameters(), optim::AdamOptions(0.01));
  for (int step = 0; step < 5; ++step) {
    const Tensor x = randn({16, 20}).to(kDevice), y = randint(0, 4, {16}, kLong).to(kDevice);
    adam.zero_grad();
    const Tensor loss = nn::functional::cross_entropy(net->forward(x), y);
    loss.backward();
    adam.step();
    std::cout << "loss " << std::hexfloat << loss.item<float>() << '\n';
  }
}

TEST_CASE("without caching every block is allocated on the device, and freed when released") {
  for (const char* name :
       {"child: every block asks the device", "child: a release waits for queued work",
        "child: a block that a second stream uses waits for that stream",
        "child: a graph keeps its memory and its replays take none",
        "child: what is released during a capture comes back after it", "child: full memory"}) {
    const auto result = run_child(name, "TD_NO_CACHING=1");
    INFO(name << ":\n" << result.output);
    CHECK(result.exit_code == 0);
  }
  // With the cache the first of them must fail, or it would prove nothing.
  CHECK(run_child("child: every block asks the device", "TD_NO_CACHING=0").exit_code != 0);
}

TEST_CASE("training without caching gives the same bits") {
  const auto cached = run_child("child: trains"),
             uncached = run_child("child: trains", "TD_NO_CACHING=1");
  CHECK(cached.exit_code == 0);
  CHECK_THAT(cached.output, Catch::Contains("loss 0x1."));
  CHECK(uncached.output == cached.output);
}

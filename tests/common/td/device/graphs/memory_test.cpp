// The memory of a graph: memory that a capture allocates belongs to the graph until reset, so that
// no replay writes into other tensors, and a replay allocates nothing.
#include "graphs.h"

using namespace td;
using test::on_sim;
using test::OnStream;
using test::values;
using List = std::vector<float>;

TEST_CASE("other tensors are never stored where a replay writes") {
  const OnStream on;
  const Tensor x = on_sim(List(1000, 1));
  Tensor y;
  Graph graph;
  graph.capture(on.stream, [&] {
    const Tensor temporary = x * 2;  // released in the capture: reused only in it
    y = (temporary + 1) * (temporary + 2);
  });
  std::vector<Tensor> others;
  for (int i = 0; i < 50; ++i) others.push_back(full({1000}, 7.0, TensorOptions(x.device())));
  y = Tensor();  // even memory that the host released: the graph still writes there
  for (int i = 0; i < 50; ++i) others.push_back(full({1000}, 7.0, TensorOptions(x.device())));
  for (int i = 0; i < 3; ++i) graph.replay();
  for (const Tensor& other : others) CHECK(values(other) == List(1000, 7));
}

TEST_CASE("a replay takes no memory") {
  const OnStream on;
  const Tensor x = on_sim(List(5000, 1));
  Tensor y;
  Graph graph;
  graph.capture(on.stream, [&] { y = (x * 2).tanh().sum(); });
  graph.replay();
  const MemoryStats before = memory_stats("sim:0");
  for (int i = 0; i < 10; ++i) graph.replay();
  const MemoryStats after = memory_stats("sim:0");
  CHECK(after.allocations == before.allocations);
  CHECK(after.allocated == before.allocated);
  CHECK(after.reserved == before.reserved);
}

TEST_CASE("reset releases the memory; tensors of the capture keep their values") {
  const OnStream on;
  const Tensor x = on_sim(List(1 << 20, 3));
  std::size_t reserved = 0;
  for (int i = 0; i < 20; ++i) {
    Graph graph;
    Tensor y;
    graph.capture(on.stream, [&] { y = (x * 2 + 1).contiguous(); });
    graph.replay();
    graph.reset();
    const Tensor other = full({1 << 20}, 9.0, TensorOptions(x.device()));
    CHECK(y[77].item<float>() == 7);
    if (i == 1) reserved = memory_stats("sim:0").reserved;
  }
  CHECK(memory_stats("sim:0").reserved == reserved);
  x.fill_(1);
  synchronize("sim:0");
  empty_cache();
  CHECK(memory_stats("sim:0").reserved <= reserved);
}

TEST_CASE(
    "a graph that is destroyed during another capture releases its memory after that capture") {
  const OnStream on;
  constexpr std::int64_t kElements = 16 << 20;  // a segment of its own
  const Tensor x = on_sim({1, 2});
  const auto big = [&] { return empty({kElements}, TensorOptions(x.device())); };
  std::optional<Graph> first(std::in_place);
  Tensor y;
  first->capture(on.stream, [&] { y = big().fill_(1).narrow(0, 0, 2) + x; });
  first->replay();
  Graph second;
  second.capture_begin();
  first.reset();
  const Tensor z = x * 3;
  first.emplace();  // at the address of the graph that is gone
  second.capture_end();
  second.replay();
  CHECK(values(z) == List{3, 6});
  const std::size_t segments = memory_stats("sim:0").device_allocations;
  const Tensor later = big();
  CHECK(memory_stats("sim:0").device_allocations == segments);
}

TEST_CASE("memory that a side stream uses is not reused within the capture") {
  const OnStream on;
  const Stream side = getStreamFromPool("sim:0");
  const Tensor x = on_sim(List(1000, 1));
  const Tensor sum = zeros({}, TensorOptions(x.device()));
  on.stream.synchronize();
  Graph graph;
  const void *first = nullptr, *second = nullptr;
  graph.capture(on.stream, [&] {
    {
      const Tensor shared = x * 3;
      side.wait(on.stream);
      StreamGuard guard(side);
      sum.copy_(shared.sum());
      shared.record_stream(side);
      first = shared.data_ptr();
    }
    const Tensor next = x * 5;
    second = next.data_ptr();
    on.stream.wait(side);
  });
  CHECK(first != second);
  for (int i = 0; i < 5; ++i) graph.replay();
  CHECK(values(sum) == List{3000});
}

TEST_CASE("memory that other streams used is reused after a capture") {
  const OnStream on;
  const Stream side = getStreamFromPool("sim:0");
  const Tensor x = on_sim({1});
  Tensor shared = full({3 << 20}, 1.0, TensorOptions(x.device()));  // a segment of its own
  const void* place = shared.data_ptr();
  shared.record_stream(side);
  Graph graph;
  graph.capture(on.stream, [&] {
    x.add_(1);
    shared = Tensor();
  });
  const Tensor other =
      empty({1}, TensorOptions(x.device()));  // here the allocator marks the stream
  side.synchronize();
  CHECK(empty({3 << 20}, TensorOptions(x.device())).data_ptr() == place);
}

TEST_CASE("numbers of the host are frozen: a graph uses their values at its capture") {
  const OnStream on;
  const Tensor x = on_sim({1});
  double rate = 0.5;
  const Tensor on_device = on_sim({0.5});
  Tensor y, z;
  Graph graph;
  graph.capture(on.stream, [&] {
    y = x * rate;
    z = x * on_device;
  });
  rate = 2;
  on_device.fill_(2);
  graph.replay();
  CHECK(values(y) == List{0.5f});  // like a learning rate in a C++ variable
  CHECK(values(z) == List{2});
}

TEST_CASE("each replay draws the numbers that the step would draw without a graph") {
  const OnStream on;
  const Tensor x = on_sim(List(1000, 1));
  const auto step = [&] {
    sigmoid(x * 2);  // memory that is free again when the first numbers are drawn
    const Tensor dropped = dropout(x, 0.5, true);
    return dropped + rand_like(x);
  };
  manual_seed(7);
  std::vector<List> eager;
  for (int i = 0; i < 4; ++i) eager.push_back(values(step()));
  const auto state = default_generator().get_state();

  manual_seed(7);
  Tensor y;
  Graph graph;
  graph.capture(on.stream, [&] { y = step(); });
  CHECK(default_generator().get_state().offset == 0);  // nothing was drawn
  for (int i = 0; i < 4; ++i) {
    graph.replay();
    CHECK(values(y) == eager[static_cast<std::size_t>(i)]);
  }
  CHECK(eager[0] != eager[1]);
  CHECK(default_generator().get_state().offset == state.offset);
  manual_seed(7);
  graph.replay();
  CHECK(values(y) == eager[0]);
  CHECK(test::refusal([&] {
          Graph other;
          other.capture(on.stream, [&] { rand({3}, TensorOptions(Device("sim:1"))); });
        }) ==
        "random numbers on sim:1: a graph of sim:0 is being captured, and its replays draw numbers "
        "there alone. Draw them before the capture.");
}

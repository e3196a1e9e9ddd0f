// Capture and replay on sim: nothing runs before the replay, every replay does the same work on the
// same memory, and side streams join through their events.
#include "graphs.h"
#include "sim_work.h"

using namespace td;
using test::on_sim;
using test::OnStream;
using test::values;
using List = std::vector<float>;

TEST_CASE("a capture runs nothing; each replay runs all of it, in order") {
  const OnStream on;
  const Tensor x = on_sim({1, 2, 3});
  Graph graph;
  CHECK_FALSE(is_capturing());
  graph.capture_begin();
  CHECK(is_capturing());
  x.mul_(2);
  x.add_(1);
  graph.capture_end();
  CHECK_FALSE(is_capturing());
  CHECK(graph.size() == 2);
  CHECK(graph.device() == Device("sim:0"));
  CHECK(values(x) == List{1, 2, 3});
  graph.replay();
  CHECK(values(x) == List{3, 5, 7});
  for (int i = 0; i < 3; ++i) graph.replay();
  CHECK(values(x) == List{31, 47, 63});  // ((((1 * 2 + 1) * 2 + 1) ...
}

TEST_CASE("inputs are refilled in place, results are read where the capture made them") {
  const OnStream on;
  const Tensor x = on_sim({0, 0});
  Tensor y;
  Graph graph;
  graph.capture(on.stream, [&] { y = (x * 10 + 1).relu(); });
  for (float v : {1.0f, -2.0f, 3.5f}) {
    x.copy_(tensor(List{v, 2 * v}));
    graph.replay();
    CHECK(values(y) == List{std::max(0.0f, v * 10 + 1), std::max(0.0f, v * 20 + 1)});
  }
}

TEST_CASE("copies between pinned memory and the device are part of a graph") {
  const OnStream on;
  const Tensor in = zeros({4}).pin_memory(), out = zeros({4}).pin_memory();
  const Tensor x = empty({4}, TensorOptions(Device("sim:0")));
  Graph graph;
  graph.capture(on.stream, [&] {
    x.copy_(in, /*non_blocking=*/true);
    x.mul_(x);
    out.copy_(x, /*non_blocking=*/true);
  });
  CHECK(graph.size() == 3);
  for (float v : {2.0f, 3.0f}) {
    in.fill_(v);
    graph.replay();
    on.stream.synchronize();
    CHECK(values(out) == List(4, v * v));
  }
}

TEST_CASE("a stream that waits for the captured one joins the capture, with its events") {
  const OnStream on;
  const Stream side = getStreamFromPool("sim:0"), third = getStreamFromPool("sim:0");
  const Tensor x = on_sim({1, 2}), a = on_sim({0, 0}), b = on_sim({0, 0}), sum = on_sim({0, 0});
  on.stream.synchronize();
  Graph graph;
  graph.capture(on.stream, [&] {
    x.add_(1);
    side.wait(on.stream);
    third.wait(side);
    {
      StreamGuard guard(side);
      a.copy_(x).mul_(10);
    }
    {
      StreamGuard guard(third);
      b.copy_(x).mul_(100);
      Event done(kSIM);
      done.record(third);
      done.block(side);
    }
    on.stream.wait(side);
    sum.copy_(a).add_(b);
  });
  CHECK(values(sum) == List{0, 0});
  CHECK(side.query());
  for (float i = 1; i < 50; ++i) {
    graph.replay();
    if (static_cast<int>(i) % 7 == 0) CHECK(values(sum) == List{110 * (1 + i), 110 * (2 + i)});
  }
  CHECK(values(x) == List{50, 51});
}

TEST_CASE("branches of a graph run concurrently") {
  const OnStream on;
  const Stream side = getStreamFromPool("sim:0");
  test::Gate gate;
  Graph graph;
  static std::atomic<bool> side_ran;
  side_ran = false;
  graph.capture(on.stream, [&] {
    side.wait(on.stream);
    gate.hold(on.stream);
    test::launch("side", side, [] { side_ran = true; });
    on.stream.wait(side);
  });
  graph.replay();
  while (!side_ran) std::this_thread::yield();  // would never end after the gate
  CHECK_FALSE(on.stream.query());
  gate.open();
  on.stream.synchronize();
}

TEST_CASE("a replay may go to any stream; replays come one after the other") {
  const OnStream on;
  const Tensor x = on_sim({1});
  Graph graph;
  graph.capture(on.stream, [&] { x.mul_(3).add_(1); });
  test::Gate gate;
  gate.hold(on.stream);  // the first replay comes after what the captured stream holds
  test::launch("reset", on.stream,
               [p = static_cast<float*>(sim::kernel_view(0, x.data_ptr()))] { *p = 2; });
  const Stream other = getStreamFromPool("sim:0");
  {
    StreamGuard guard(other);
    graph.replay();
  }
  graph.replay();
  {
    StreamGuard guard(getDefaultStream("sim:0"));
    graph.replay();
    gate.open();
    CHECK(values(x) == List{67});  // ((2 * 3 + 1) * 3 + 1) * 3 + 1
  }
}

TEST_CASE("an error of a replay is the stream's, and the graph can be replayed after it") {
  const OnStream on;
  static std::atomic<bool> fails, ran_behind;
  const Stream side = getStreamFromPool("sim:0");
  Graph graph;
  graph.capture(on.stream, [&] {
    side.wait(on.stream);
    test::launch("gather", side, [] {
      if (fails) throw ShapeError("index 7 is out of range for 5 rows");
    });
    on.stream.wait(side);
    test::launch("behind", on.stream, [] { ran_behind = true; });
  });
  for (bool now : {false, true, false}) {
    fails = now;
    ran_behind = false;
    graph.replay();
    if (now)
      CHECK_THROWS_WITH(on.stream.synchronize(),
                        Catch::Contains("gather failed on sim:0: index 7"));
    else
      on.stream.synchronize();
    CHECK(ran_behind == !now);
  }
}

TEST_CASE("a replay costs one launch") {
  const OnStream on;
  const Tensor x = on_sim({0});
  Graph graph;
  graph.capture(on.stream, [&] {
    for (int i = 0; i < 100; ++i) x.add_(1);
  });
  const double before = sim::launch_cost();
  sim::set_launch_cost(2000);
  const auto begin = std::chrono::steady_clock::now();
  graph.replay();
  const auto spent = std::chrono::steady_clock::now() - begin;
  sim::set_launch_cost(before);
  CHECK(spent >= std::chrono::milliseconds(2));
  CHECK(spent < std::chrono::milliseconds(150));  // a hundred launches take 200
  CHECK(values(x) == List{100});
}

TEST_CASE("a graph may be destroyed while its side streams still finish") {
  const OnStream on;
  const Stream side = getStreamFromPool("sim:0");
  static std::atomic<int> ran;
  ran = 0;
  for (int i = 0; i < 50; ++i) {
    Graph graph;
    graph.capture(on.stream, [&] {
      side.wait(on.stream);
      test::launch("side", side, [] { ++ran; });
      on.stream.wait(side);
    });
    graph.replay();
  }  // waits for the captured stream alone
  CHECK(ran == 50);
}

TEST_CASE("graphs of two devices' streams") {
  const OnStream on;
  const Stream there = getStreamFromPool("sim:1");
  const Tensor x = on_sim({1, 2}), y = zeros({2}, TensorOptions(Device("sim:1")));
  synchronize("sim:1");
  Graph graph;
  graph.capture(on.stream, [&] {
    x.add_(1);
    there.wait(on.stream);
    StreamGuard guard(there);
    y.copy_(x, true);
    y.mul_(2);
    on.stream.wait(there);
  });
  for (int i = 0; i < 3; ++i) graph.replay();
  on.stream.synchronize();
  CHECK(values(y) == List{8, 10});
}

TEST_CASE("two threads capture at the same time") {
  std::vector<std::thread> threads;
  std::vector<List> results(2);
  for (int t = 0; t < 2; ++t)
    threads.emplace_back([t, &results] {
      const OnStream on;
      const Tensor x = on_sim(List(100, static_cast<float>(t)));
      for (int round = 0; round < 20; ++round) {
        Graph graph;
        graph.capture(on.stream, [&] { x.copy_((x + 1).clone()); });
        graph.replay();
      }
      results[static_cast<std::size_t>(t)] = values(x);
    });
  for (auto& thread : threads) thread.join();
  CHECK(results[0] == List(100, 20));
  CHECK(results[1] == List(100, 21));
}

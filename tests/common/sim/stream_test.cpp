// Streams and events of sim: order, waiting, re-recording, and the ring under load.
#include <cstdint>
#include <numeric>
#include <thread>

#include "catch.h"
#include "sim_work.h"

using namespace td;
using test::DeviceArray;
using test::Gate;
using test::launch;

TEST_CASE("work of a stream runs in order, concurrently with the host") {
  const Stream stream = getStreamFromPool("sim:0");
  DeviceArray<std::int64_t> value("sim:0", 1);
  std::int64_t* v = value.kernel();
  Gate gate;
  gate.hold(stream);
  launch("set", stream, [v] { *v = 1; });
  for (int i = 0; i < 20; ++i) launch("twice plus one", stream, [v] { *v = *v * 2 + 1; });
  CHECK_FALSE(stream.query());  // the host is far ahead
  gate.open();
  stream.synchronize();
  CHECK(stream.query());
  CHECK(value.values(stream)[0] == (1 << 21) - 1);
}

TEST_CASE("after a synchronization the stream has no work that query sees") {
  const Stream stream = getStreamFromPool(Device("sim:0"));
  int still_busy = 0;
  for (int i = 0; i < 3000; ++i) {
    launch("nothing", stream, [] {});
    if (i % 2 == 0)
      stream.synchronize();
    else
      synchronize(Device("sim:0"));
    if (!stream.query()) ++still_busy;
  }
  CHECK(still_busy == 0);
}

TEST_CASE("streams run concurrently, and query sees the running record") {
  const Stream a = getStreamFromPool("sim:0"), b = getStreamFromPool("sim:0");
  Gate gate;
  gate.hold(a);
  gate.wait_until_held();
  launch("nothing", b, [] {});
  b.synchronize();
  CHECK_FALSE(a.query());  // nothing is queued any more, but the last record still runs
  gate.open();
  synchronize("sim:0");
  CHECK(a.query());
}

TEST_CASE("an event orders one stream after another, also between devices") {
  for (const char* second : {"sim:0", "sim:1"}) {
    const Stream a = getStreamFromPool("sim:0"), b = getStreamFromPool(second);
    DeviceArray<int> value("sim:0", 1);
    int* v = value.kernel();
    Gate gate;
    gate.hold(a);
    launch("write", a, [v] { *v = 42; });
    Event written(kSIM);
    written.record(a);
    written.block(b);
    int seen = 0;
    int* s = &seen;
    launch("read", b, [v, s] { *s = *v; });
    CHECK_FALSE(written.query());
    CHECK_FALSE(b.query());
    gate.open();
    b.synchronize();
    CHECK(written.query());
    CHECK(seen == 42);
  }
}

TEST_CASE("Stream::wait waits for what the other stream holds now, and no more") {
  const Stream a = getStreamFromPool("sim:0"), b = getStreamFromPool("sim:0");
  b.wait(a);
  Gate gate;
  gate.hold(a);
  b.synchronize();  // would hang if it waited for what came later
  CHECK_FALSE(a.query());
  gate.open();
  a.synchronize();
}

TEST_CASE("recording an event again does not change waits that are queued already") {
  const Stream a = getStreamFromPool("sim:0"), b = getStreamFromPool("sim:0");
  Event event(kSIM);
  event.record(a);
  event.block(b);
  Gate gate;
  gate.hold(a);
  event.record(a);
  CHECK_FALSE(event.query());
  b.synchronize();  // its wait is for the first mark
  gate.open();
  event.synchronize();
  CHECK(event.query());
  // An event that goes away does not take its mark along.
  {
    Event brief(kSIM);
    brief.record(a);
    brief.block(b);
  }
  b.synchronize();
}

TEST_CASE("elapsed_time needs events that are done") {
  const Stream stream = getStreamFromPool("sim:0");
  Event begin(kSIM, EventFlag::kTiming), end(kSIM, EventFlag::kTiming);
  begin.record(stream);
  Gate gate;
  gate.hold(stream);
  end.record(stream);
  CHECK_THROWS_WITH(begin.elapsed_time(end),
                    "elapsed_time: an event was not passed yet; call later.synchronize() first.");
  gate.open();
  end.synchronize();
  CHECK(begin.elapsed_time(end) >= 0);
}

TEST_CASE("more records than the ring holds arrive whole and in order") {
  const Stream stream = getStreamFromPool("sim:0");
  constexpr int kRecords = 20000;
  std::vector<int> order;
  order.reserve(kRecords);
  std::vector<int>* out = &order;
  struct Wide {
    std::vector<int>* out;
    int number;
    unsigned char filling[997];
    void operator()() const {
      bool whole = true;
      for (unsigned char c : filling) whole = whole && c == static_cast<unsigned char>(number);
      out->push_back(whole ? number : -1);
    }
  };
  for (int i = 0; i < kRecords; ++i) {
    if (i % 3) {
      launch("narrow", stream, [out, i] { out->push_back(i); });
    } else {
      Wide wide{out, i, {}};
      std::memset(wide.filling, i, sizeof wide.filling);
      launch("wide", stream, wide);
    }
  }
  stream.synchronize();
  std::vector<int> expected(kRecords);
  std::iota(expected.begin(), expected.end(), 0);
  CHECK(order == expected);
}

TEST_CASE("several host threads share a stream") {
  const Stream stream = getDefaultStream("sim:1");
  int count = 0;
  int* c = &count;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([c, &stream] {
      for (int i = 0; i < 1000; ++i) launch("count", stream, [c] { ++*c; });
      stream.synchronize();
    });
  for (std::thread& thread : threads) thread.join();
  CHECK(count == 4000);
}

TEST_CASE("a launch costs the host the time that is set") {
  const Stream stream = getStreamFromPool("sim:0");
  sim::set_launch_cost(2000);
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < 10; ++i) launch("nothing", stream, [] {});
  const std::chrono::duration<double, std::milli> spent = std::chrono::steady_clock::now() - begin;
  sim::set_launch_cost(0);
  CHECK(spent.count() >= 20);
}

// Streams and events as values: the pool, the current stream, and misuse. What streams do is tested
// with sim.
#include "td/device/stream.h"

#include <set>
#include <sstream>
#include <thread>

#include "catch.h"
#include "td/base/error.h"
#include "td/device/backend.h"

using namespace td;

// Whether a call compiles.
template <class B>
concept TakesHandlesSwapped = requires(B& b, NativeEvent* event, NativeStream* stream) {
  b.record(stream, 0, event);
}
|| requires(B& b, NativeEvent* event, NativeStream* stream) { b.wait(0, event, stream); }
|| requires(B& b, NativeStream* stream) { b.done(stream); };
template <class G>
concept TakesGraphsSwapped = requires(G& g, NativeGraph* graph, NativeStream* stream) {
  g.launch(stream, 0, graph);
};
static_assert(!TakesHandlesSwapped<Backend> && !TakesGraphsSwapped<GraphBackend>);

TEST_CASE("the pool returns 32 streams in turn") {
  std::set<void*> seen;
  const Stream first = getStreamFromPool("sim:1");
  seen.insert(first.native());
  for (int i = 1; i < 32; ++i) seen.insert(getStreamFromPool("sim:1").native());
  CHECK(seen.size() == 32);
  CHECK(seen.count(nullptr) == 0);
  CHECK(getStreamFromPool("sim:1") == first);
  CHECK_FALSE(getStreamFromPool("sim:1", true) == first);
  CHECK_FALSE(getStreamFromPool("sim:0") == first);
}

TEST_CASE("a stream guard sets stream and device of its thread until the scope ends") {
  const Stream side = getStreamFromPool("sim:1");
  CHECK(getCurrentStream("sim:1") == getDefaultStream("sim:1"));
  {
    const StreamGuard guard(side);
    CHECK(getCurrentStream("sim:1") == side);
    CHECK(getCurrentStream("sim") == side);
    CHECK(current_device(kSIM) == 1);
    CHECK(getCurrentStream("sim:0") == getDefaultStream("sim:0"));
    bool default_elsewhere = false;
    std::thread([&] {
      default_elsewhere = getCurrentStream("sim:1") == getDefaultStream("sim:1");
    }).join();
    CHECK(default_elsewhere);
  }
  CHECK(current_device(kSIM) == 0);
  CHECK(getCurrentStream("sim:1") == getDefaultStream("sim:1"));
  std::ostringstream out;
  out << getDefaultStream("sim:1");
  CHECK(out.str() == "stream(sim:1, default)");
}

TEST_CASE("streams of the cpu are always done") {
  const Stream stream = getCurrentStream("cpu");
  stream.synchronize();
  CHECK(stream.query());
  CHECK(getStreamFromPool("cpu") == stream);
  synchronize("cpu");
  stream.wait(getDefaultStream("sim:0"));
  const StreamGuard guard(stream);
  Event event(kCPU);
  event.record(stream);
  CHECK(event.query());
}

TEST_CASE("the error of an event says what is missing") {
  Event plain(kSIM), timed(kSIM, EventFlag::kTiming);
  CHECK(plain.query());  // never recorded: nothing to wait for
  plain.synchronize();
  plain.block(getDefaultStream("sim:0"));
  CHECK_THROWS_WITH(plain.record(getDefaultStream("cpu")),
                    "an event of sim cannot be recorded on a stream of cpu; make it with "
                    "Event(kCPU).");
  CHECK_THROWS_WITH(timed.elapsed_time(plain), Catch::Contains("made with EventFlag::kTiming") ||
                                                   Catch::Contains("keeps no time"));
  Event later(kSIM, EventFlag::kTiming);
  CHECK_THROWS_WITH(timed.elapsed_time(later),
                    "elapsed_time: an event was never recorded; call record() on both first.");
}

TEST_CASE("events move, and measure on every kind of device") {
  for (const char* device : {"cpu", "sim:1"}) {
    const Stream stream = getDefaultStream(device);
    Event begin(stream.device().type(), EventFlag::kTiming);
    Event end(stream.device().type(), EventFlag::kTiming);
    begin.record(stream);
    stream.synchronize();
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    end.record(stream);
    end.synchronize();
    Event moved(std::move(end));
    CHECK(begin.elapsed_time(moved) >= 5);
    CHECK(begin.elapsed_time(moved) < 5000);
  }
}

TEST_CASE("an event stays with the device of its first record; any device may wait for it") {
  Event event(kSIM);
  event.record(getDefaultStream("sim:0"));
  CHECK_THROWS_WITH(event.record(getDefaultStream("sim:1")),
                    "an event of sim:0 cannot be recorded on a stream of sim:1: it stays with the "
                    "device of its first record; make another Event.");
  event.block(getDefaultStream("sim:1"));
  event.record(getStreamFromPool("sim:0"));
  event.synchronize();
  CHECK(event.query());
}

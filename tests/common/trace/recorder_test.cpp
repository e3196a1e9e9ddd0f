// Which spans are kept, in which tracks, and what several threads may do at once.
#include <pthread.h>

#include <thread>

#include "catch.h"
#include "traces.h"

using namespace test;
namespace trace = td::trace;

TEST_CASE("only spans that begin and end during a recording are kept") {
  { const Span before("before"); }
  auto begun_before = std::make_unique<Span>("begun before");
  trace::start();
  CHECK(trace::is_on());
  { const Span inside("inside", Category::kOperator, 7); }
  { const Span unnamed(""); }
  begun_before.reset();
  auto open = std::make_unique<Span>("ends behind");
  const Trace seen = trace::stop();
  CHECK_FALSE(trace::is_on());
  open.reset();
  REQUIRE(seen.spans.size() == 1);
  CHECK(std::string(seen.spans[0].name) == "inside");
  CHECK(seen.spans[0].category == Category::kOperator);
  CHECK(seen.spans[0].bytes == 7);
  CHECK(seen.begin <= seen.spans[0].begin);
  CHECK(seen.spans[0].begin <= seen.spans[0].end);
  CHECK(seen.spans[0].end <= seen.end);
  CHECK(seen.dropped == 0);
}

TEST_CASE("a span that ends in a later recording is in neither") {
  trace::start();
  auto open = std::make_unique<Span>("across");
  trace::stop();
  trace::start();
  open.reset();
  CHECK(trace::stop().spans.empty());
  CHECK(trace::stop().spans.empty());  // it was not started
}

TEST_CASE("a recording within another gets its own part, and the outer one has it too") {
  trace::start();
  { const Span first("first"); }
  trace::start();
  { const Span second("second"); }
  const Trace inner = trace::stop();
  REQUIRE(inner.spans.size() == 1);
  CHECK(std::string(inner.spans[0].name) == "second");
  { const Span third("third"); }
  const Trace outer = trace::stop();
  REQUIRE(outer.spans.size() == 3);
  CHECK(std::string(outer.spans[2].name) == "third");
  CHECK_FALSE(trace::is_on());
}

TEST_CASE("spans come in order, the outer one first") {
  trace::start();
  {
    const Span outer("outer");
    { const Span first("first"); }
    const Span second("second");
  }
  const Trace seen = trace::stop();
  std::vector<std::string> names;
  for (const SpanRecord& span : seen.spans) names.push_back(span.name);
  CHECK(names == std::vector<std::string>{"outer", "first", "second"});
  CHECK(partly_overlapping(seen).empty());
  CHECK(seen.tracks.size() == 1);
  CHECK(seen.tracks[0].name == "main");
}

TEST_CASE("every thread has a track, also one that has ended") {
  trace::start();
  { const Span here("here"); }
  for (const char* name : {"first helper", "second helper"})
    std::thread([name] {
      pthread_setname_np(pthread_self(), name);
      const Span there("there");
    }).join();
  const Trace seen = trace::stop();
  const auto there = find(seen, Category::kUser, "there");
  REQUIRE(there.size() == 2);
  CHECK(track_of(seen, there[0]) == "first helper");
  CHECK(track_of(seen, there[1]) == "second helper");
  CHECK(track_of(seen, find(seen, Category::kUser, "here").at(0)) == "main");

  trace::start();  // their tracks are gone with them
  { const Span here("here"); }
  CHECK(trace::stop().tracks.size() == 1);
}

TEST_CASE("a span may be in a track that belongs to no thread") {
  const std::uint32_t track = trace::add_track({TrackKind::kStream, "sim:7", 3, "stream 3"});
  trace::start();
  { const trace::TargetSpan there({track, 42}, "there", Category::kKernel); }
  const Trace seen = trace::stop();
  REQUIRE(seen.spans.size() == 1);
  CHECK(track_of(seen, seen.spans[0]) == "sim:7 stream 3");
  CHECK(seen.spans[0].correlation == 42);
}

TEST_CASE("spans without room are counted, and there is room again afterwards") {
  constexpr int kRoom = 1 << 20;
  trace::start();
  for (int i = 0; i < kRoom + 5; ++i) const Span span("one of many");
  const Trace full = trace::stop();
  CHECK(full.spans.size() == kRoom);
  CHECK(full.dropped == 5);
  trace::start();
  { const Span span("one"); }
  const Trace next = trace::stop();
  CHECK(next.spans.size() == 1);
  CHECK(next.dropped == 0);
}

TEST_CASE("threads record while another starts and stops") {
  std::atomic<bool> done{false};
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i)
    threads.emplace_back([&] {
      while (!done) {
        const Span outer("outer");
        const Span inner("inner");
      }
    });
  std::size_t spans = 0;
  for (int round = 0; round < 100; ++round) {
    trace::start();
    std::this_thread::sleep_for(std::chrono::microseconds(200));
    const Trace seen = trace::stop();
    spans += seen.spans.size();
    const std::string fault = partly_overlapping(seen);
    if (!fault.empty()) FAIL(fault);
    for (const SpanRecord& span : seen.spans)
      if (span.begin < seen.begin || span.end < span.begin) FAIL("a span of another recording");
  }
  done = true;
  for (std::thread& thread : threads) thread.join();
  CHECK(spans > 0);
}

namespace {
std::string heard;
const trace::Listener kListener{[](const char* name) { heard += std::string("<") + name; },
                                [] { heard += '>'; }};
}  // namespace

TEST_CASE("a listener gets the host's spans, recorded or not, but not those of devices") {
  trace::set_listener(&kListener);
  {
    const Span outer("outer");
    const Span inner("inner");
    const trace::TargetSpan elsewhere({0, 5}, "elsewhere", Category::kLaunch);
  }
  CHECK(heard == "<outer<inner>>");
  trace::start();
  { const Span recorded("recorded"); }
  CHECK(trace::stop().spans.size() == 1);
  trace::set_listener(nullptr);
  { const Span after("after"); }
  CHECK(heard == "<outer<inner>><recorded>");
}

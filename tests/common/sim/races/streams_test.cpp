// Races between streams: the reports, what orders two accesses, and what does not.
#include "finding.h"

using namespace td;
using test::on;
using test::pairs;
using test::Texts;
using test::TwoStreams;

TEST_CASE("an unordered read is reported with both operations and the missing wait") {
  TwoStreams s;
  const Tensor y = on(s.two, [&] { return s.x.relu(); });
  CHECK(test::found() ==
        Texts{"race on sim:0: \"relu\" on stream N reads 4096 bytes that \"fill\" on stream N "
              "writes, and nothing orders the two. Missing: stream N must wait for stream N behind "
              "\"fill\": event.record(streamN); event.block(streamN). It begins at byte N of a "
              "block of N bytes."});
  CHECK(test::found().empty());  // taken
}

TEST_CASE("the default stream and other devices are named") {
  TwoStreams s;
  const Tensor y = s.x + 1;
  auto texts = test::found();
  REQUIRE(texts.size() == 1);
  CHECK_THAT(texts[0], Catch::Contains("\"add\" on the default stream reads 4096 bytes that"));
  CHECK_THAT(texts[0], Catch::Contains("event.record(streamN); event.block(default_stream)."));

  const Stream other = getStreamFromPool("sim:1");
  const Tensor there = on(other, [] { return ones({8}, Device("sim:1")); });
  const Tensor here = there.to("sim:0", kFloat32, /*non_blocking=*/true);
  texts = test::found();
  REQUIRE(texts.size() == 1);
  CHECK_THAT(texts[0], Catch::StartsWith("race on sim:1: \"copy\" on the default stream reads 32"));
}

TEST_CASE("a write after a read or after another write needs an order as well") {
  TwoStreams s;
  s.two.wait(s.one);
  const Tensor y = on(s.two, [&] { return s.x.relu(); });
  CHECK(pairs().empty());
  on(s.one, [&] { s.x.fill_(2); });
  CHECK(pairs() == Texts{"relu, fill"});
  on(s.two, [&] { s.x.fill_(3); });
  CHECK(pairs() == Texts{"fill, fill"});
}

TEST_CASE("whatever orders two streams is enough") {
  TwoStreams s;
  const auto produce = [&] { on(s.one, [&] { s.x.fill_(2); }); };
  const auto consume = [&] {
    const Tensor y = on(s.two, [&] { return s.x.relu(); });
    s.one.wait(s.two);
    return pairs();
  };
  Event event(kSIM);
  SECTION("an event") {
    produce();
    event.record(s.one);
    event.block(s.two);
    CHECK(consume().empty());
  }
  SECTION("a stream in between, also of another device") {
    const Stream between = getStreamFromPool("sim:1");
    produce();
    between.wait(s.one);
    s.two.wait(between);
    CHECK(consume().empty());
  }
  SECTION("the host waits for the stream") {
    produce();
    s.one.synchronize();
    CHECK(consume().empty());
  }
  SECTION("the host waits for the device") {
    produce();
    synchronize("sim:0");
    CHECK(consume().empty());
  }
  SECTION("the host waits for an event") {
    produce();
    event.record(s.one);
    event.synchronize();
    CHECK(consume().empty());
  }
  SECTION("the host sees that an event is done") {
    produce();
    event.record(s.one);
    while (!event.query()) continue;
    CHECK(consume().empty());
  }
  SECTION("the host sees that the stream is done") {
    produce();
    while (!s.one.query()) continue;
    CHECK(consume().empty());
  }
  SECTION("the host reads a value") {
    produce();
    static_cast<void>(on(s.one, [&] { return s.x[0].item<float>(); }));
    CHECK(consume().empty());
  }
}

TEST_CASE("an event or a wait at the wrong time or on another stream orders nothing") {
  TwoStreams s;
  Event event(kSIM);
  const auto produce = [&] { on(s.one, [&] { s.x.fill_(2); }); };
  const auto consume = [&] {
    const Tensor y = on(s.two, [&] { return s.x.relu(); });
    return pairs();
  };
  s.two.wait(s.one);
  SECTION("the event is recorded before the work") {
    event.record(s.one);
    produce();
    event.block(s.two);
    CHECK(consume() == Texts{"fill, relu"});
  }
  SECTION("the wait comes before the event is recorded again") {
    event.record(s.one);
    event.block(s.two);
    produce();
    event.record(s.one);
    CHECK(consume() == Texts{"fill, relu"});
  }
  SECTION("another stream waits") {
    produce();
    getStreamFromPool("sim:0").wait(s.one);
    CHECK(consume() == Texts{"fill, relu"});
  }
  SECTION("time passes") {
    produce();
    const Stream third = getStreamFromPool("sim:0");
    while (!s.one.query()) continue;  // the work is done, and then there is more
    produce();
    third.synchronize();
    CHECK(consume() == Texts{"fill, relu"});
  }
}

TEST_CASE("views conflict where they share bytes") {
  TwoStreams s;
  const Tensor front = s.x.slice(0, 0, 512), back = s.x.slice(0, 512, 1024);
  s.two.wait(s.one);
  on(s.one, [&] { front.fill_(1); });
  on(s.two, [&] { back.fill_(2); });
  CHECK(pairs().empty());
  on(s.two, [&] { s.x.slice(0, 500, 600).fill_(2); });
  CHECK(test::found().at(0).find("writes 48 bytes that") != std::string::npos);
}

TEST_CASE("a missing wait is reported once, for the last operation before it") {
  TwoStreams s;
  on(s.one, [&] { s.x.fill_(2), s.x.mul_(3); });
  for (int i = 0; i < 5; ++i) {
    const Tensor y = on(s.two, [&] { return s.x.relu() + s.x; });
    on(s.one, [&] { s.x.mul_(3); });
  }
  CHECK(pairs() == Texts{"mul, relu", "add, mul"});
}

TEST_CASE("streams that read together are no race") {
  TwoStreams s;
  const Stream three = getStreamFromPool("sim:0");
  s.two.wait(s.one);
  three.wait(s.one);
  const Tensor a = on(s.two, [&] { return s.x.relu(); });
  const Tensor b = on(three, [&] { return s.x.relu(); });
  const Tensor c = on(s.one, [&] { return s.x.relu(); });
  CHECK(pairs().empty());
  s.one.wait(s.two);
  on(s.one, [&] { s.x.fill_(0); });  // three still reads
  CHECK(pairs() == Texts{"relu, fill"});
}

TEST_CASE("copies between devices keep the order of both") {
  test::Finding finding;
  const Stream here = getStreamFromPool("sim:0"), there = getStreamFromPool("sim:1");
  const StreamGuard guard_here(here), guard_there(there);
  const Tensor x = ones({256}, Device("sim:0")), y = ones({256}, Device("sim:1"));
  for (int i = 0; i < 3; ++i) {
    y.mul_(2);
    y.copy_(x, /*non_blocking=*/true);  // after the product, and before the next one
    x.add_(y.to("sim:0", kFloat32, /*non_blocking=*/true));
  }
  CHECK(pairs().empty());
}

TEST_CASE("no races are searched for while the finder is off") {
  TwoStreams s;
  sim::find_races(false);
  const Tensor y = on(s.two, [&] { return s.x.relu(); });
  sim::find_races(true);
  CHECK(pairs().empty());
}

TEST_CASE("work that the host has seen done is forgotten") {
  test::Finding finding;
  const Stream stream = getStreamFromPool("sim:0");
  const StreamGuard guard(stream);
  // Far more ranges than the finder stores before it looks for those that it may forget.
  const Tensor many = zeros({20000, 4}, Device("sim:0"));
  for (std::int64_t i = 0; i < 20000; i += 2) {
    many[i].fill_(1);
    if (i % 500 == 0) stream.synchronize();
  }
  const Stream other = getStreamFromPool("sim:0");
  many[19998].fill_(2);
  on(other, [&] { many.fill_(3); });
  CHECK(pairs() == Texts{"fill, fill"});
}

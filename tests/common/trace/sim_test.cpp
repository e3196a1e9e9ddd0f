// What sim writes into traces: launches and what they lead to, copies with their engines, waits.
#include "catch.h"
#include "sim_work.h"
#include "td/td.h"
#include "traces.h"

using namespace test;
using td::Stream;
namespace trace = td::trace;

namespace {

constexpr const char* kPinnedUp = "Memcpy HtoD (Pinned -> Device)";
constexpr const char* kPageableUp = "Memcpy HtoD (Pageable -> Device)";

/// 1 ms of work.
void launch_work(const char* name, const Stream& stream) {
  launch(name, stream, [] { std::this_thread::sleep_for(std::chrono::milliseconds(1)); });
}

td::Tensor pinned(std::int64_t elements) {
  return td::ones({elements}, td::TensorOptions().pinned_memory(true));
}

}  // namespace

TEST_CASE("stop waits for queued work, and each piece refers to its launch") {
  const Stream first = td::getStreamFromPool("sim:0"), second = td::getStreamFromPool("sim:1");
  trace::start();
  for (int i = 0; i < 3; ++i) {
    launch_work("work of sim:0", first);
    launch_work("work of sim:1", second);
  }
  const Trace seen = trace::stop();
  for (const std::string device : {"sim:0", "sim:1"}) {
    const auto launches = find(seen, Category::kLaunch, "work of " + device);
    const auto kernels = find(seen, Category::kKernel, "work of " + device);
    REQUIRE(launches.size() == 3);
    REQUIRE(kernels.size() == 3);
    for (std::size_t i = 0; i < 3; ++i) {
      CHECK(launches[i].correlation != 0);
      CHECK(launches[i].correlation == kernels[i].correlation);
      CHECK(launches[i].begin <= kernels[i].begin);
      CHECK(kernels[i].end - kernels[i].begin >= 1'000'000);
      CHECK(track_of(seen, launches[i]) == "main");
      CHECK_THAT(track_of(seen, kernels[i]), Catch::StartsWith(device + " stream "));
    }
    CHECK(kernels[0].track == kernels[2].track);
  }
  CHECK(partly_overlapping(seen).empty());
}

TEST_CASE("copies have their direction, their bytes, and a track of the engine") {
  const td::Tensor source = pinned(1000), back = pinned(1000), large = td::ones({1 << 20});
  trace::start();
  const td::Tensor there = source.to("sim:0", td::kFloat, true);
  back.copy_(there, true);
  const td::Tensor pageable = large.to("sim:0");
  const td::Tensor home = pageable.cpu();
  const td::Tensor peer = there.to("sim:1");
  const Trace seen = trace::stop();

  for (const char* name :
       {kPinnedUp, "Memcpy DtoH (Device -> Pinned)", "Memcpy PtoP (Device -> Device)"}) {
    INFO(name);
    const auto copies = find(seen, Category::kCopy, name);
    const auto engine = find(seen, Category::kEngine, name);
    REQUIRE(copies.size() == 1);
    REQUIRE(engine.size() == 1);
    CHECK(copies[0].bytes == 4000);
    CHECK(engine[0].bytes == 4000);
    CHECK(copies[0].correlation == find(seen, Category::kLaunch, name).at(0).correlation);
    CHECK_THAT(track_of(seen, engine[0]), Catch::StartsWith("sim:0 copy engine "));
    CHECK_THAT(track_of(seen, engine[0]), Catch::EndsWith(std::string(name).substr(7, 4)));
    CHECK_THAT(track_of(seen, copies[0]), Catch::StartsWith("sim:0 stream "));
  }
  for (const char* name : {kPageableUp, "Memcpy DtoH (Device -> Pageable)"}) {
    std::uint64_t bytes = 0;
    for (const SpanRecord& span : find(seen, Category::kCopy, name)) bytes += span.bytes;
    CHECK(bytes == 4 << 20);
  }
  CHECK(!find(seen, Category::kWait, "Stream Synchronize").empty());  // cpu() waited
}

TEST_CASE("a copy within a device takes no engine") {
  const DeviceArray<char> a("sim:0", 5000), b("sim:0", 5000);
  const Stream stream = td::getCurrentStream("sim:0");
  trace::start();
  td::backend(td::kSIM).copy(a.data(), "sim:0", b.data(), "sim:0", 5000, 0, stream.native());
  const Trace seen = trace::stop();
  CHECK(find(seen, Category::kCopy, "Memcpy DtoD (Device -> Device)").at(0).bytes == 5000);
  CHECK(find(seen, Category::kEngine).empty());
}

TEST_CASE("an engine does one copy after another, whatever stream it is for") {
  const Stream streams[] = {td::getStreamFromPool("sim:0"), td::getStreamFromPool("sim:0")};
  const td::Tensor source = pinned(100'000);
  std::vector<td::Tensor> landed;
  trace::start();
  for (int i = 0; i < 6; ++i) {
    const td::StreamGuard guard(streams[i % 2]);
    landed.push_back(source.to("sim:0", td::kFloat, true));
  }
  const Trace seen = trace::stop();
  const auto copies = find(seen, Category::kEngine);
  REQUIRE(copies.size() == 6);
  for (std::size_t i = 0; i < 6; ++i) CHECK(copies[i].track == copies[0].track);
  for (std::size_t i = 1; i < 6; ++i) CHECK(copies[i - 1].end <= copies[i].begin);
  CHECK(partly_overlapping(seen).empty());
}

TEST_CASE("a stream that waits for another has a span for it") {
  const Stream first = td::getStreamFromPool("sim:0"), second = td::getStreamFromPool("sim:0");
  Gate gate;
  gate.hold(first);
  gate.wait_until_held();
  trace::start();
  second.wait(first);
  launch_work("behind", second);
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  gate.open();
  const Trace seen = trace::stop();
  const auto waits = find(seen, Category::kWait, "Stream Wait Event");
  REQUIRE(waits.size() == 1);
  const auto behind = find(seen, Category::kKernel, "behind");
  REQUIRE(behind.size() == 1);
  CHECK(waits[0].track == behind[0].track);
  CHECK(waits[0].end <= behind[0].begin);
  CHECK(find(seen, Category::kKernel, "gate").empty());  // it had begun before
}

TEST_CASE("work that fails is in the trace; work that it prevents is not") {
  const Stream stream = td::getStreamFromPool("sim:0");
  trace::start();
  launch("fails", stream, [] { throw std::runtime_error("on purpose"); });
  launch_work("never runs", stream);
  const Trace seen = trace::stop();
  CHECK(find(seen, Category::kKernel, "fails").size() == 1);
  CHECK(find(seen, Category::kKernel, "never runs").empty());
  CHECK(find(seen, Category::kLaunch, "never runs").size() == 1);
  CHECK_THROWS_AS(stream.synchronize(), td::AsyncError);  // stop left it there
}

TEST_CASE("copies concurrent with kernels: the overlap is that of a real run") {
  const Stream copies = td::getStreamFromPool("sim:0"), kernels = td::getStreamFromPool("sim:0");
  const td::sim::Link before = td::sim::link();
  // Hardly anything but latency, and so much of it that what a busy machine adds is little.
  td::sim::set_link({100, 25000});
  const td::Tensor source = pinned(10);
  const auto work = [] { std::this_thread::sleep_for(std::chrono::milliseconds(25)); };
  std::vector<td::Tensor> landed;
  const auto copy = [&](const Stream& stream) {
    const td::StreamGuard guard(stream);
    landed.push_back(source.to("sim:0", td::kFloat, true));
  };
  const auto efficiency = [&](const Stream& of_copies) {
    trace::start();
    for (int i = 0; i < 8; ++i) copy(of_copies), launch("work", kernels, work);
    return trace::overlap_times(trace::stop()).efficiency();
  };
  CHECK(efficiency(copies) > 0.5);   // nearly 1 on a quiet machine
  CHECK(efficiency(kernels) < 0.1);  // one stream: never at the same time
  td::sim::set_link(before);
}

TEST_CASE("the work of a graph refers to the replay, which is one launch") {
  const Stream stream = td::getStreamFromPool("sim:0");
  const td::StreamGuard guard(stream);
  const td::Tensor x = td::zeros({8}, td::TensorOptions(td::Device("sim:0")));
  td::Graph graph;
  graph.capture(stream, [&] { x.add_(1).mul_(2); });
  stream.synchronize();  // the zeros are none of the graph's
  trace::start();
  graph.replay();
  graph.replay();
  const Trace seen = trace::stop();
  const auto launches = find(seen, Category::kLaunch, "graph");
  REQUIRE(launches.size() == 2);
  const auto kernels = find(seen, Category::kKernel);
  REQUIRE(kernels.size() == 4);
  for (std::size_t i = 0; i < 4; ++i) CHECK(kernels[i].correlation == launches[i / 2].correlation);
}

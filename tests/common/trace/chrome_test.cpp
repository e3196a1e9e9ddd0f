// The JSON that viewers read: every required field, times to the last digit, arrows with both ends,
// names that could break it.
#include <chrono>
#include <cmath>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <thread>

#include "catch.h"
#include "td/td.h"
#include "traces.h"

using namespace test;
namespace trace = td::trace;
using nlohmann::json;

namespace {

using Track = std::pair<std::int64_t, std::int64_t>;  // pid, tid

Track track_of(const json& event) {
  return {event.at("pid").get<std::int64_t>(), event.at("tid").get<std::int64_t>()};
}

/// Microseconds of an event's field as whole nanoseconds.
std::int64_t nanoseconds(const json& event, const char* field) {
  return std::llround(event.at(field).get<double>() * 1e3);
}

std::vector<json> events_of(const json& whole, const std::string& phase) {
  std::vector<json> found;
  for (const json& event : whole.at("traceEvents"))
    if (event.at("ph") == phase) found.push_back(event);
  return found;
}

/// What the format requires of every event, and that spans of a track nest.
void check_schema(const json& whole) {
  CHECK(whole.at("schemaVersion") == 1);
  CHECK(whole.at("displayTimeUnit") == "ms");
  CHECK(whole.at("baseTimeNanoseconds").is_number_integer());
  std::map<Track, std::vector<std::pair<std::int64_t, std::int64_t>>> open;
  std::set<Track> named;
  for (const json& event : whole.at("traceEvents")) {
    INFO(event.dump());
    CHECK(event.at("name").is_string());
    CHECK(event.at("ts").is_number());
    CHECK(event.at("pid").is_number_integer());
    CHECK(event.at("tid").is_number_integer());
    const std::string phase = event.at("ph");
    if (phase == "M") {
      CHECK(event.at("args").is_object());
      if (event.at("name") == "thread_name") named.insert(track_of(event));
      continue;
    }
    if (phase == "i") continue;
    CHECK(event.at("cat").is_string());
    CHECK(named.count(track_of(event)));
    if (phase != "X") continue;
    const std::int64_t begin = nanoseconds(event, "ts");
    const std::int64_t end = begin + nanoseconds(event, "dur");
    CHECK(begin >= 0);
    CHECK(end >= begin);
    auto& stack = open[track_of(event)];
    while (!stack.empty() && stack.back().second <= begin) stack.pop_back();
    if (!stack.empty()) CHECK(end <= stack.back().second);
    stack.push_back({begin, end});
  }
}

/// Every arrow begins once and ends once, each time within a span of its track.
std::size_t check_arrows(const json& whole) {
  const auto spans = events_of(whole, "X"), starts = events_of(whole, "s");
  const auto ends = events_of(whole, "f");
  const auto bound = [&](const json& arrow) {
    const std::int64_t at = nanoseconds(arrow, "ts");
    return std::any_of(spans.begin(), spans.end(), [&](const json& span) {
      const std::int64_t begin = nanoseconds(span, "ts");
      return track_of(span) == track_of(arrow) && begin <= at &&
             at <= begin + nanoseconds(span, "dur");
    });
  };
  std::map<std::int64_t, const json*> started;
  for (const json& arrow : starts) {
    CHECK(arrow.at("cat") == "ac2g");
    CHECK(bound(arrow));
    CHECK(started.emplace(arrow.at("id").get<std::int64_t>(), &arrow).second);
  }
  CHECK(starts.size() == ends.size());
  for (const json& arrow : ends) {
    CHECK(arrow.at("bp") == "e");
    CHECK(bound(arrow));
    const auto start = started.find(arrow.at("id").get<std::int64_t>());
    REQUIRE(start != started.end());
    CHECK(nanoseconds(*start->second, "ts") <= nanoseconds(arrow, "ts"));
    started.erase(start);
  }
  return ends.size();
}

json event_named(const json& whole, const std::string& name, const std::string& phase = "X",
                 const std::string& category = "") {
  for (const json& event : events_of(whole, phase))
    if (event.at("name") == name && (category.empty() || event.at("cat") == category)) return event;
  FAIL("no event is called " << name);
  return {};
}

}  // namespace

TEST_CASE("a run on two devices and two threads is valid, track by track") {
  trace::start();
  const auto train = [](const char* device) {
    const Span phase("phase");
    const td::Tensor x = td::ones({100, 100}, td::TensorOptions().pinned_memory(true));
    td::Tensor there = x.to(device, td::kFloat, true);
    there.requires_grad_(true);
    there.tanh().sum().backward();
    static_cast<void>(there.grad().cpu());
  };
  std::thread other([&] { train("sim:1"); });
  train("sim:0");
  other.join();
  const Trace seen = trace::stop();
  const json whole = json::parse(trace::chrome_json(seen));
  check_schema(whole);
  CHECK(check_arrows(whole) >= 10);
  CHECK(events_of(whole, "X").size() == seen.spans.size());

  std::map<std::int64_t, std::string> processes;
  for (const json& event : events_of(whole, "M"))
    if (event.at("name") == "process_name")
      processes[event.at("pid")] = event.at("args").at("name");
  REQUIRE(processes.size() == 3);
  CHECK(processes.at(getpid()) == "host");
  CHECK(processes.at(5'000'000) == "sim:0");
  CHECK(processes.at(5'000'001) == "sim:1");
  CHECK(whole.at("deviceProperties").size() == 2);
  CHECK(event_named(whole, "Record Window End", "i").at("s") == "g");

  const json copy = event_named(whole, "Memcpy HtoD (Pinned -> Device)", "X", "gpu_memcpy");
  CHECK(copy.at("args").at("bytes") == 40000);
  const double rate = copy.at("args").at("memory bandwidth (GB/s)");
  CHECK(rate == Approx(40.0 / copy.at("dur").get<double>()).margin(6e-4));
  CHECK(event_named(whole, "phase").at("cat") == "user_annotation");
}

TEST_CASE("times are relative, exact, and begin now") {
  HandMade made;
  const auto track = made.track(TrackKind::kThread, "", 1, "main");
  made.trace.spans.push_back(
      {"a", 1'000'000'000'000'001, 1'000'000'012'345'678, 0, track, 0, Category::kUser});
  made.trace.begin = 999'999'999'999'000;
  made.trace.end = 1'000'000'100'000'000;
  const std::string text = trace::chrome_json(made.trace);
  CHECK_THAT(text, Catch::Contains("\"ts\": 1.001, \"dur\": 12345.677"));
  check_schema(json::parse(text));
  CHECK_THAT(text, !Catch::Contains("distributedInfo"));

  trace::start();
  const json whole = json::parse(trace::chrome_json(trace::stop()));
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  const auto since = now - std::chrono::nanoseconds(whole.at("baseTimeNanoseconds").get<long>());
  CHECK(std::chrono::abs(since) < std::chrono::minutes(1));
}

TEST_CASE("special characters in names do not break the file") {
  HandMade made;
  const char* name = "a \"quoted\" \\ name\nof two lines\t\x01";
  const auto track = made.track(TrackKind::kThread, "", 1, "loader \"0\"\n");
  made.span(track, Category::kUser, name, 0, 1);
  const json whole = json::parse(trace::chrome_json(made.trace));
  check_schema(whole);
  CHECK(event_named(whole, "a \"quoted\" \\ name of two lines  ").at("dur") == 1000);
  CHECK(event_named(whole, "thread_name", "M").at("args").at("name") == "thread 1 (loader \"0\" )");
}

TEST_CASE("an arrow needs both ends, and a rank has a name") {
  HandMade made;
  const auto host = made.track(TrackKind::kThread, "", 1, "main");
  const auto stream = made.track(TrackKind::kStream, "sim:0", 2, "stream 2");
  made.span(host, Category::kLaunch, "both", 0, 1, 1);
  made.span(stream, Category::kKernel, "both", 2, 3, 1);
  made.span(stream, Category::kKernel, "launched before", 4, 5, 2);
  made.span(host, Category::kLaunch, "never run", 6, 7, 3);
  made.trace.rank = 3;
  const json whole = json::parse(trace::chrome_json(made.trace));
  check_schema(whole);
  CHECK(check_arrows(whole) == 1);
  CHECK(whole.at("distributedInfo").at("rank") == 3);
  CHECK(event_named(whole, "both").at("args").at("correlation") == 1);
  const json kernel = event_named(whole, "launched before");
  CHECK(kernel.at("tid") == 2);
  CHECK(kernel.at("args").at("device") == "sim:0");
}

TEST_CASE("a file is written completely, or the error names it") {
  const std::string path = "chrome_test.json";
  trace::start();
  { const Span span("written"); }
  trace::write_chrome_json(trace::stop(), path);
  std::ifstream file(path);
  const json whole = json::parse(file);
  CHECK(event_named(whole, "written").at("ph") == "X");
  std::remove(path.c_str());
  CHECK_THROWS_WITH(
      trace::write_chrome_json(Trace(), "no/such/folder/trace.json"),
      Catch::Contains("no/such/folder/trace.json") && Catch::Contains("make the folder first"));
}

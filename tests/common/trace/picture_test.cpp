// Figures of traces whose times are known: the positions and the names in them.
#include "catch.h"
#include "traces.h"

using namespace test;
using td::trace::PictureOptions;
using td::trace::svg_timeline;
using td::trace::text_timeline;

namespace {

/// One step: a copy and two phases, on one device.
struct Step : HandMade {
  std::uint32_t host = track(TrackKind::kThread, "", 9, "main");
  std::uint32_t other = track(TrackKind::kThread, "", 10, "replica 1");
  std::uint32_t stream = track(TrackKind::kStream, "sim:0", 0, "stream 0");

  Step() {
    span(host, Category::kUser, "forward", 0, 10);
    span(host, Category::kUser, "backward", 10, 20);
    work(host, "Memcpy HtoD (Pinned -> Device)", Category::kCopy, 1, 1, 0, 20);
    work(host, "mm", Category::kKernel, 2, 2, 20, 40);
    work(host, "mm", Category::kKernel, 3, 12, 60, 100);
  }
  void work(std::uint32_t thread, const char* name, Category category, std::uint32_t correlation,
            std::int64_t asked, std::int64_t begin, std::int64_t end) {
    span(thread, Category::kLaunch, name, asked, asked, correlation);
    span(stream, category, name, begin, end, correlation);
  }
};

}  // namespace

TEST_CASE("a letter stands for the phase in which the work was launched") {
  CHECK(text_timeline(Step().trace, PictureOptions().width(10)) ==
        "f forward, b backward, c copy, . waits\n"
        " sim:0 |ccff..bbbb|\n"
        "        0  100.0 ms\n");
}

TEST_CASE("work of a thread without phases belongs to the thread that has phases") {
  Step step;
  step.work(step.other, "add", Category::kKernel, 4, 5, 40, 50);
  step.work(step.other, "sum", Category::kKernel, 5, 30, 50, 60);  // after all phases
  CHECK(text_timeline(step.trace, PictureOptions().width(10)) ==
        "f forward, k kernel, b backward, c copy, . waits\n"
        " sim:0 |ccfffkbbbb|\n"
        "        0  100.0 ms\n");
}

TEST_CASE("the inner phase counts, and names that begin alike get letters of their own") {
  Step step;
  step.span(step.host, Category::kUser, "convolve", 2, 3);
  step.span(step.host, Category::kUser, "fold", 12, 13);
  CHECK(text_timeline(step.trace, PictureOptions().width(10)) ==
        "o convolve, f fold, c copy, . waits\n"
        " sim:0 |ccoo..ffff|\n"
        "        0  100.0 ms\n");
}

TEST_CASE("streams, engines and the host each have a line on request") {
  Step step;
  const auto second = step.track(TrackKind::kStream, "sim:0", 1, "stream 1");
  const auto engine = step.track(TrackKind::kEngine, "sim:0", 0, "copy engine HtoD");
  step.span(second, Category::kWait, "Stream Wait Event", 0, 40);
  step.span(second, Category::kKernel, "add", 40, 60);
  step.span(engine, Category::kEngine, "Memcpy HtoD (Pinned -> Device)", 0, 20);
  const auto options = PictureOptions().width(10).host(true).engines(true);
  CHECK(text_timeline(step.trace, options) ==
        "f forward, b backward, k kernel, c copy, . waits\n"
        "                   main |fb........|\n"
        "         sim:0 stream 0 |ccff..bbbb|\n"
        "         sim:0 stream 1 |....kk....|\n"
        " sim:0 copy engine HtoD |cc........|\n"
        "                         0  100.0 ms\n");
}

TEST_CASE("a collective that runs on a device has its own name") {
  Step step;
  const auto lane = step.track(TrackKind::kStream, "sim:0", 1, "stream 1, collectives");
  step.span(step.host, Category::kLaunch, "all_reduce", 11, 11, 4);
  step.span(lane, Category::kCollective, "all_reduce", 40, 60, 4);
  CHECK(text_timeline(step.trace, PictureOptions().width(10)) ==
        "f forward, a all_reduce, b backward, c copy, . waits\n"
        "              sim:0 stream 0 |ccff..bbbb|\n"
        " sim:0 stream 1, collectives |....aa....|\n"
        "                              0  100.0 ms\n");
}

TEST_CASE("a picture has every span with its name and its time") {
  Step step;
  step.work(step.host, "less<int> & \"more\"", Category::kKernel, 4, 13, 40, 50);
  const std::string svg = svg_timeline(step.trace);
  CHECK_THAT(svg, Catch::StartsWith("<svg xmlns=\"http://www.w3.org/2000/svg\"") &&
                      Catch::EndsWith("</svg>\n"));
  CHECK_THAT(svg, Catch::Contains("@media (prefers-color-scheme: dark)") &&
                      !Catch::Contains("fill=\"white\""));
  CHECK_THAT(svg, Catch::Contains("<title>mm, 40 ms</title>") &&
                      Catch::Contains("less&lt;int&gt; &amp; \"more\", 10 ms") &&
                      Catch::Contains(">backward</text>") && Catch::Contains(">100.0 ms</text>"));
}

TEST_CASE("a trace without work gives an empty picture") {
  CHECK(text_timeline(Trace()) == ". waits\n        0" + std::string(66, ' ') + "0.0 ms\n");
  CHECK_THAT(svg_timeline(Trace()), Catch::EndsWith("</svg>\n"));
}

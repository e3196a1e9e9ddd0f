// The table at every width, the JSON file read back, the page's escapes, and gnuplot's output
// adapted.
#include <sstream>

#include "app/terminal.h"
#include "catch.h"
#include "report/gnuplot_script.h"
#include "report/html.h"
#include "report/json_file.h"
#include "report/protocol.h"
#include "report/table.h"
#include "report/text.h"
#include "results.h"

namespace report {
namespace {

Report sample_report() {
  Result sim = make_result(make_case("lenet/sim", "sim", 1, 1), {0.024, 0.025, 0.0235});
  sim.parts = Parts{0.024, 0.02, 0.001, 0.001, 0.001, 0.001};
  sim.samples[1].loss.reset();
  Result pytorch = make_result(make_case("lenet/cpu", "cpu"), {0.018});
  pytorch.framework = "PyTorch 2.6";
  Result failed = make_result(make_case("lenet/sim:2/ddp", "sim", 2), {});
  failed.error = "no <memory> & no \"time\"";
  Report report =
      make_report({make_result(make_case("lenet/cpu", "cpu"), {0.012}), pytorch, sim, failed});
  report.notes = {"a note"};
  return report;
}

TEST_CASE("a report that is written is read again as the same report") {
  const Report before = sample_report();
  Report after = from_json(to_json(before), "time.json");
  REQUIRE(after.results.size() == before.results.size());
  for (std::size_t i = 0; i < before.results.size(); ++i) {
    REQUIRE(after.results[i].samples.size() == before.results[i].samples.size());
    for (std::size_t j = 0; j < before.results[i].samples.size(); ++j) {
      const Sample &a = after.results[i].samples[j], &b = before.results[i].samples[j];
      CHECK(a.with_transfers == Approx(b.with_transfers));
      CHECK(a.step == Approx(b.step));
      CHECK(a.cpu == Approx(b.cpu));
    }
    // Nanoseconds are rounded; everything else is the same.
    for (std::size_t j = 0; j < before.results[i].samples.size(); ++j) {
      after.results[i].samples[j].with_transfers = before.results[i].samples[j].with_transfers;
      after.results[i].samples[j].step = before.results[i].samples[j].step;
      after.results[i].samples[j].cpu = before.results[i].samples[j].cpu;
    }
  }
  CHECK(after == before);
}

TEST_CASE("a case that was never reached has no entry of zero seconds") {
  Report report = sample_report();
  report.results[3].error.clear();
  CHECK(from_json(to_json(report), "time.json").results.size() == 3);
}

TEST_CASE("a file that is no report is refused with its name") {
  for (const char* text :
       {"", "[]", "{}", R"({"context": {"machines": []}, "benchmarks": [{"run_name": "x"}]})"})
    CHECK_THROWS_WITH(from_json(text, "old.json"),
                      Catch::Contains("old.json is not a report of ./course time") &&
                          Catch::Contains("--json FILE writes one"));
}

TEST_CASE("an answer that lacks a field, is no JSON or holds no time fails its case") {
  CHECK(parse_sample(R"({"steps": 2, "seconds_per_step": 1, "with_transfers": 2, "loss": null})")
            .steps == 2);
  CHECK_THROWS_WITH(parse_sample(R"({"error": "no memory"})"), "no memory");
  CHECK_THROWS_WITH(parse_sample("Hello"),
                    Catch::Contains("was not understood") && Catch::Contains("Hello"));
  CHECK_THROWS_WITH(parse_sample(R"({"steps": 2})"), Catch::Contains("seconds_per_step"));
  CHECK_THROWS_WITH(parse_sample(R"({"steps": 2, "seconds_per_step": 0, "with_transfers": 0})"),
                    Catch::Contains("not positive"));
}

Table sample_table() {
  Table table({{"", false, 0},
               {"step", true, 1},
               {"empty", true, 0},
               {"speed-up", true, 0},
               {"bar", false, 2}});
  table.row({{"2 × sim"}, {"12.3 ms"}, {""}, {"1.50", "32"}, {"██████"}});
  table.row({{"sim"}, {"24 ms"}, {""}, {"1"}, {"███"}});
  return table;
}

TEST_CASE("columns are dropped by their rank, and then rows become lines") {
  const Table table = sample_table();
  CHECK(table.text(80, false) ==
        "              step  speed-up  bar\n  2 × sim  12.3 ms      1.50  ██████\n"
        "  sim        24 ms         1  ███\n");
  CHECK(
      table.text(30, false) ==
      "              step  speed-up\n  2 × sim  12.3 ms      1.50\n  sim        24 ms         1\n");
  CHECK(table.text(20, false) == "           speed-up\n  2 × sim      1.50\n  sim             1\n");
  CHECK(table.text(18, false).find("  2 × sim\n") == 0);
  for (std::size_t width = 20; width < 60; ++width) {
    std::istringstream lines(table.text(width, false));
    for (std::string line; std::getline(lines, line);) CHECK(app::columns(line) <= width);
  }
}

TEST_CASE("colors are around padded cells, and only if they are requested") {
  CHECK(sample_table().text(80, true).find("\x1b[32m    1.50\x1b[0m") != std::string::npos);
  CHECK(sample_table().text(80, false).find('\x1b') == std::string::npos);
}

TEST_CASE("the page escapes what comes from outside") {
  CHECK(escaped("<a href=\"x\">&'") == "&lt;a href=&quot;x&quot;&gt;&amp;&#39;");
  const std::string page = to_html(sample_report(), nullptr, {});
  CHECK(page.find("A &lt;b&gt;processor&lt;/b&gt;") != std::string::npos);
  CHECK(page.find("no &lt;memory&gt; &amp; no") != std::string::npos);
  CHECK(page.find("<memory>") == std::string::npos);
}

TEST_CASE("a picture has a bar for each case with a base, and none without data") {
  const Report report = sample_report();
  const std::string script = speed_up_script(report, "x.svg");
  CHECK(script.find("\"sim\" 1 0.5 ") != std::string::npos);
  CHECK(script.find("LeNet, training step") != std::string::npos);
  CHECK(parts_script(report, "x.svg").find("\"sim\" 1 83.3333 87.5 91.6667 95.8333 100") !=
        std::string::npos);
  CHECK(parts_script(make_report({report.results[0]}), "x.svg").empty());
  CHECK(speed_up_script(make_report({}), "x.svg").empty());
}

TEST_CASE("a picture follows the reader's colors, and has no identifiers") {
  const Picture picture{"x.svg", "Speed-up", "Bars.", ""};
  const std::string svg = adapted(
      "<?xml version=\"1.0\"?>\n<svg><title>Gnuplot</title><desc>Produced by "
      "GNUPLOT</desc><defs><path "
      "id='gpPt0'/></defs><g id=\"plot\" color=\"black\" stroke='rgb( 31,  35,  40)'></g></svg>",
      picture);
  CHECK(svg ==
        "<svg><title>Speed-up</title><desc>Bars.</desc>\n<style>svg { color: #1f2328 } @media "
        "(prefers-color-scheme: dark) { svg { color: #e6edf3 } }</style><g "
        "stroke='currentColor'></g></svg>");
}

}  // namespace
}  // namespace report

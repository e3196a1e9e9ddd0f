// Sections in the order of a reader's questions: on which machine, how fast, why, compared with
// what, what is missing.
#include "terminal_report.h"

#include <algorithm>
#include <cmath>

#include "baseline.h"
#include "plan.h"
#include "statistics.h"
#include "table.h"
#include "text.h"

namespace report {
namespace {

constexpr const char* kGood = "32";
constexpr const char* kBad = "31";
constexpr const char* kStrong = "1";

/// The terminal, and the signs it can show.
struct Page {
  const app::Terminal& terminal;
  std::string text = "";

  std::string times() const { return terminal.utf8 ? "×" : "x"; }
  std::string plus_minus() const { return terminal.utf8 ? "±" : "+-"; }
  void heading(const std::string& title) {
    text += "\n" + colored(app::wrap(title, terminal.width), kStrong, terminal.color) + "\n";
  }
  /// A paragraph; its further lines are indented by `further` columns.
  void line(const std::string& words, std::size_t indent = 2, std::size_t further = 4) {
    // The first line is shorter by its own indentation, which wrap() does not know.
    std::string lines =
        app::wrap(std::string(indent, '.') + tied(words, "\x1f"), terminal.width, further);
    lines.replace(0, indent, indent, ' ');
    std::replace(lines.begin(), lines.end(), '\x1f', ' ');
    text += lines + "\n";
  }
  void table(const Table& table) { text += table.text(terminal.width, terminal.color); }
  std::string bar(double value, double most) const {
    const std::string sign = terminal.utf8 ? "█" : "#";
    std::string all;
    const long length = most > 0 ? std::lround(30 * value / most) : 0;
    for (long i = 0; i < length; ++i) all += sign;
    return all;
  }
};

const char* color_of_speed_up(double value) {
  if (value > 1.05) return kGood;
  return value < 0.95 ? kBad : "";
}

double largest_speed_up(const Report& report, const Group& group) {
  double largest = 0;
  for (const Result* result : group.results)
    if (const Result* base = measured(*result) ? base_of(report, *result) : nullptr)
      largest = std::max(largest, speed_up(*result, *base));
  return largest;
}

std::vector<Cell> row_of(const Report& report, const Result& result, double most,
                         const Page& page) {
  const Spread time = time_with_transfers(result);
  std::vector<Cell> cells = {
      {label(result.what, page.times())},
      {report.machines.size() > 1 ? result.machine : ""},
      {time_text(step_time(result).median)},
      {time_text(time.median)},
      {result.samples.size() > 1 ? page.plus_minus() + percent_text(time.relative()) : ""},
      {rate_text(per_second(result), result.what.unit)}};
  const Result* base = base_of(report, result);
  const double value = base ? speed_up(result, *base) : 0;
  const bool is_base = base == &result;
  cells.push_back(base ? Cell{number_text(value), color_of_speed_up(value)} : Cell{""});
  cells.push_back({base && result.what.devices > 1 ? percent_text(efficiency(result, *base)) : ""});
  cells.push_back({is_base ? "base" : base ? label(base->what, page.times()) : ""});
  cells.push_back({base ? page.bar(value, most) : "", color_of_speed_up(value)});
  return cells;
}

void add_group(const Report& report, const Group& group, Page& page) {
  const Case& any = group.results.front()->what;
  page.heading(group.title + (any.batch > 0 ? ", batch " + std::to_string(any.batch) : ""));
  Table table({{"", false, 0},
               {"machine", false, 0},
               {"step", true, 1},
               {"with transfers", true, 0},
               {"spread", true, 4},
               {"per second", true, 3},
               {"speed-up", true, 0},
               {"efficiency", true, 1},
               {"against", false, 5},
               {"", false, 6}});
  const double most = largest_speed_up(report, group);
  for (const Result* result : group.results) table.row(row_of(report, *result, most, page));
  page.table(table);
}

void add_machines(const Report& report, Page& page) {
  for (const Machine& machine : report.machines) {
    page.line(machine.name + ": " + machine_in_words(machine), 0);
    page.line(machine.date + ", " + rounds_text(machine.rounds, machine.seconds));
  }
}

void add_headlines(const Report& report, Page& page) {
  const std::vector<Headline> all = headlines(report);
  if (!all.empty()) page.heading("Speed-up and efficiency");
  for (const Headline& headline : all) {
    const bool several = report.machines.size() > 1;
    page.line((several ? headline.result->machine + ": " : "") + sentence(headline, page.times()));
  }
}

void add_definitions(const std::string& noise, Page& page) {
  page.text += "\n";
  page.line(
      "All numbers are medians. \"step\": the batch is on the device already. \"with transfers\": "
      "the batch comes from host memory and the loss goes back. \"spread\": half of the range that "
      "holds the middle 80 % of the samples. The speed-up compares throughputs with transfers: of "
      "one device with the cpu with all its threads in float32, of several devices with one of "
      "them. Efficiency is that speed-up / number of devices.",
      2, 2);
  if (!noise.empty()) page.line(noise, 2, 2);
}

void add_reasons(const Report& report, Page& page) {
  bool first = true;
  for (const Group& group : grouped(report, measured)) {
    for (const Result* result : group.results) {
      const std::string why = why_not_faster(report, *result, page.times());
      if (why.empty()) continue;
      if (first) page.heading("Why it is not faster");
      if (first) page.line(kFromTrace);
      first = false;
      page.line(group.title + ", " + (report.machines.size() > 1 ? result->machine + ", " : "") +
                why);
    }
  }
}

void add_pairs(const Report& report, Page& page) {
  const std::vector<Pair> all = pairs(report);
  if (all.empty()) return;
  page.heading("todevice against " + all.front().theirs->framework);
  Table table({{"", false, 0},
               {"todevice", true, 1},
               {"PyTorch", true, 1},
               {"ratio", true, 0},
               {"losses", false, 2}});
  for (const Pair& pair : all) {
    const std::string losses = !pair.loss_difference ? ""
                               : pair.losses_agree()
                                   ? "agree"
                                   : "DIFFER by " + percent_text(*pair.loss_difference);
    table.row({{pair.ours->what.workload + ", " + label(pair.ours->what, page.times())},
               {time_text(time_with_transfers(*pair.ours).median)},
               {time_text(time_with_transfers(*pair.theirs).median)},
               {number_text(pair.ratio), color_of_speed_up(pair.ratio)},
               {losses, pair.losses_agree() ? "" : kBad}});
  }
  page.table(table);
  page.line(
      "The ratio is PyTorch's time / todevice's time, with transfers: above 1 todevice is faster.");
}

void add_changes(const Report& before, const Report& now, Page& page) {
  page.heading("Compared with the older report");
  const std::vector<Change> all = changes(before, now);
  if (all.empty()) page.line("The two reports have no case in common.");
  if (!before.machines.empty() && !now.machines.empty() &&
      before.machines.front().processor != now.machines.front().processor)
    page.line("The processors differ: " + before.machines.front().processor + " then, " +
              now.machines.front().processor + " now.");
  Table table({{"", false, 0},
               {"before", true, 1},
               {"now", true, 1},
               {"time", true, 0},
               {"verdict", false, 0}});
  for (const Change& change : all) {
    const bool same = change.verdict == Verdict::same;
    const char* color = same ? "" : change.verdict == Verdict::faster ? kGood : kBad;
    table.row({{change.now->what.workload + ", " + label(change.now->what, page.times()) +
                (change.now->ours() ? "" : ", " + change.now->framework)},
               {time_text(time_with_transfers(*change.before).median)},
               {time_text(time_with_transfers(*change.now).median)},
               {change_text(change.difference)},
               {word(change.verdict), color}});
  }
  if (!all.empty()) page.table(table);
}

void add_missing(const Report& report, Page& page) {
  bool first = true;
  const auto say = [&](const std::string& words) {
    if (first) page.heading("Not measured");
    first = false;
    page.line(words);
  };
  for (const Result& result : report.results)
    if (!result.error.empty())
      say(result.what.name + (result.ours() ? "" : ", " + result.framework) + ": " + result.error +
          (measured(result) ? " (after " + std::to_string(result.samples.size()) + " samples)"
                            : ""));
  for (const Machine& machine : report.machines)
    for (const NotHere& one : machine.not_here) say(one.what + ": " + one.why);
  if (!report.notes.empty()) page.heading("Notes");
  for (const std::string& note : report.notes) page.line(note);
}

}  // namespace

std::string machine_in_words(const Machine& machine) {
  std::string text = machine.processor.empty() ? "unknown processor" : machine.processor;
  text += ", " + std::to_string(machine.cores) + (machine.cores == 1 ? " core" : " cores");
  for (const std::string& gpu : machine.gpus) text += ", " + gpu;
  if (machine.gpus.empty()) text += ", no GPU";
  const char* sign = "; ";
  for (const auto& library : machine.libraries) {
    text += sign + library.first + " " + library.second;
    sign = ", ";
  }
  return text;
}

std::string terminal_report(const Report& report, const Report* before,
                            const app::Terminal& terminal) {
  Page page{terminal};
  add_machines(report, page);
  add_headlines(report, page);
  const auto shown = [](const Result& result) { return measured(result) && result.ours(); };
  const std::vector<Group> groups = grouped(report, shown);
  for (const Group& group : groups) add_group(report, group, page);
  if (!groups.empty()) add_definitions(noise_warning(report), page);
  add_reasons(report, page);
  add_pairs(report, page);
  if (before) add_changes(*before, report, page);
  add_missing(report, page);
  return page.text;
}

std::string terminal_list(const Machine& machine, const std::vector<Case>& cases, double seconds,
                          const app::Terminal& terminal) {
  Page page{terminal};
  page.line(machine_in_words(machine), 0);
  Report report;
  for (const Case& what : cases) report.results.push_back({"", "todevice", what, {}, {}, ""});
  for (const Group& group : grouped(report, [](const Result&) { return true; })) {
    page.heading(group.workload + ": " + group.title);
    Table table({{"case", false, 0}, {"what", false, 0}, {"per sample", true, 1}});
    for (const Result* result : group.results)
      table.row({{result->what.name},
                 {label(result->what, page.times())},
                 {time_text(expected_seconds(result->what, seconds))}});
    page.table(table);
  }
  if (!machine.not_here.empty()) page.heading("Not here");
  for (const NotHere& one : machine.not_here) page.line(one.what + ": " + one.why);
  return page.text;
}

}  // namespace report

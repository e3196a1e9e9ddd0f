// Sections as on the terminal; the numbers come from the same functions.
#include "html.h"

#include <algorithm>

#include "baseline.h"
#include "compare.h"
#include "html_style.h"
#include "statistics.h"
#include "terminal_report.h"
#include "text.h"

namespace report {
namespace {

/// One cell of a table; `words` aligns it to the left.
struct HtmlCell {
  std::string html;
  std::string kind = "";
};

std::string row(const std::vector<std::string>& titles, const std::vector<HtmlCell>& cells) {
  std::string text = "<tr>";
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const std::string kind = cells[i].kind.empty() ? "" : " class=\"" + cells[i].kind + "\"";
    const std::string title =
        i == 0 || titles[i].empty() ? "" : " data-title=\"" + titles[i] + "\"";
    text += "<td" + kind + title + ">" + cells[i].html + "</td>";
  }
  return text + "</tr>\n";
}

std::string table(const std::vector<std::string>& titles,
                  const std::vector<std::vector<HtmlCell>>& rows) {
  std::string text = "<table>\n<thead><tr>";
  for (std::size_t i = 0; i < titles.size(); ++i) {
    // A title is aligned like the cells below it.
    const bool words = !rows.empty() && rows.front()[i].kind.rfind("words", 0) == 0;
    text += (words ? "<th class=\"words\">" : "<th>") + titles[i] + "</th>";
  }
  text += "</tr></thead>\n<tbody>\n";
  for (const auto& cells : rows) text += row(titles, cells);
  return text + "</tbody>\n</table>\n";
}

std::string in_words(const std::string& text) { return tied(escaped(text), "\u00a0"); }

std::string paragraph(const std::string& text) { return "<p>" + in_words(text) + "</p>\n"; }

std::string items(const std::vector<std::string>& sentences) {
  std::string text = "<ul>\n";
  for (const std::string& sentence : sentences) text += "<li>" + in_words(sentence) + "</li>\n";
  return text + "</ul>\n";
}

std::string section(const std::string& title, const std::string& body) {
  return body.empty() ? "" : "<section>\n<h2>" + escaped(title) + "</h2>\n" + body + "</section>\n";
}

std::string kind_of(double ratio) { return ratio > 1.05 ? "good" : ratio < 0.95 ? "bad" : ""; }

std::string machine_prefix(const Report& report, const Result& result) {
  return report.machines.size() > 1 ? result.machine + ": " : "";
}

std::string cards(const Report& report) {
  std::string text;
  for (const Headline& headline : headlines(report)) {
    const bool same = within_spread(*headline.result, *headline.base);
    const double value = same ? 1 : speed_up(*headline.result, *headline.base);
    text += "<div class=\"card\"><b class=\"" + kind_of(value) + "\">" +
            (same ? "≈ 1" : number_text(value)) + " ×</b>" +
            paragraph(machine_prefix(report, *headline.result) + sentence(headline, "×")) +
            "</div>\n";
  }
  return text.empty() ? "" : "<div class=\"cards\">\n" + text + "</div>\n";
}

std::string figures(const std::vector<Picture>& pictures) {
  std::string text;
  for (const Picture& picture : pictures)
    text += "<figure>\n<h3>" + escaped(picture.title) + "</h3>\n" + picture.svg + "<figcaption>" +
            escaped(picture.shows) + "</figcaption>\n</figure>\n";
  return text.empty() ? "" : "<div class=\"pictures\">\n" + text + "</div>\n";
}

std::vector<HtmlCell> cells_of(const Report& report, const Result& result, double most) {
  const Spread time = time_with_transfers(result);
  const Result* base = base_of(report, result);
  const double value = base ? speed_up(result, *base) : 0;
  const int bar = base && most > 0 ? static_cast<int>(100 * value / most) : 0;
  return {
      {escaped(machine_prefix(report, result) + label(result.what))},
      {time_text(step_time(result).median)},
      {time_text(time.median)},
      {result.samples.size() > 1 ? "±" + percent_text(time.relative()) : ""},
      {rate_text(per_second(result), result.what.unit)},
      {base ? number_text(value) : "", base ? kind_of(value) : ""},
      {base && result.what.devices > 1 ? percent_text(efficiency(result, *base)) : ""},
      {base == &result ? "base"
       : base          ? escaped(label(base->what))
                       : "",
       "words"},
      {bar > 0 ? "<span class=\"bar\" style=\"width:" + std::to_string(bar) + "%\"></span>" : "",
       "bars"}};
}

std::string workloads(const Report& report) {
  std::string text;
  const auto shown = [](const Result& result) { return measured(result) && result.ours(); };
  for (const Group& group : grouped(report, shown)) {
    double most = 0;
    for (const Result* result : group.results)
      if (const Result* base = base_of(report, *result))
        most = std::max(most, speed_up(*result, *base));
    std::vector<std::vector<HtmlCell>> rows;
    for (const Result* result : group.results) rows.push_back(cells_of(report, *result, most));
    const int batch = group.results.front()->what.batch;
    text += "<h3>" + escaped(group.title) +
            (batch > 0 ? ", batch " + std::to_string(batch) : std::string()) + "</h3>\n" +
            table({"case", "step", "with transfers", "spread", "per second", "speed-up",
                   "efficiency", "against", ""},
                  rows);
  }
  if (!text.empty())
    text += paragraph(
        "All numbers are medians. Step: the batch is on the device already. With transfers: the "
        "batch comes from host memory and the loss goes back. Spread: half of the range that holds "
        "the middle 80 % of the samples. The speed-up compares throughputs with transfers: of one "
        "device with the cpu with all its threads in float32, of several devices with one of them. "
        "Efficiency is that speed-up divided by the number of devices.");
  if (const std::string noise = noise_warning(report); !noise.empty()) text += paragraph(noise);
  return text;
}

std::string reasons(const Report& report) {
  std::vector<std::string> sentences;
  for (const Group& group : grouped(report, measured))
    for (const Result* result : group.results)
      if (const std::string why = why_not_faster(report, *result, "×"); !why.empty())
        sentences.push_back(machine_prefix(report, *result) + group.title + ", " + why);
  return sentences.empty() ? "" : paragraph(kFromTrace) + items(sentences);
}

std::string against(const Report& report) {
  std::vector<std::vector<HtmlCell>> rows;
  for (const Pair& pair : pairs(report)) {
    const std::string losses = !pair.loss_difference ? ""
                               : pair.losses_agree()
                                   ? "agree"
                                   : "differ by " + percent_text(*pair.loss_difference);
    rows.push_back({{escaped(pair.ours->what.workload + ", " + label(pair.ours->what))},
                    {time_text(time_with_transfers(*pair.ours).median)},
                    {time_text(time_with_transfers(*pair.theirs).median)},
                    {number_text(pair.ratio), kind_of(pair.ratio)},
                    {losses, pair.losses_agree() ? "words" : "words bad"}});
  }
  if (rows.empty()) return "";
  return table({"case", "todevice", "PyTorch", "ratio", "losses"}, rows) +
         paragraph(
             "The ratio is PyTorch's time divided by todevice's time, with transfers: above 1 "
             "todevice is faster.");
}

std::string compared(const Report& before, const Report& now) {
  std::vector<std::vector<HtmlCell>> rows;
  for (const Change& change : changes(before, now)) {
    const char* kind = change.verdict == Verdict::same     ? "words"
                       : change.verdict == Verdict::faster ? "words good"
                                                           : "words bad";
    rows.push_back({{escaped(change.now->what.workload + ", " + label(change.now->what) +
                             (change.now->ours() ? "" : ", " + change.now->framework))},
                    {time_text(time_with_transfers(*change.before).median)},
                    {time_text(time_with_transfers(*change.now).median)},
                    {change_text(change.difference)},
                    {word(change.verdict), kind}});
  }
  return rows.empty() ? paragraph("The two reports have no case in common.")
                      : table({"case", "before", "now", "time", "verdict"}, rows);
}

std::string missing(const Report& report) {
  std::vector<std::string> sentences;
  for (const Result& result : report.results)
    if (!result.error.empty()) sentences.push_back(result.what.name + ": " + result.error);
  for (const Machine& machine : report.machines)
    for (const NotHere& one : machine.not_here) sentences.push_back(one.what + ": " + one.why);
  for (const std::string& note : report.notes) sentences.push_back(note);
  return sentences.empty() ? "" : items(sentences);
}

std::string machines(const Report& report) {
  std::string text;
  for (const Machine& machine : report.machines)
    text += "<dl><dt>" + escaped(machine.name) + "</dt><dd>" + escaped(machine_in_words(machine)) +
            "</dd><dt>date</dt><dd>" + escaped(machine.date) + "</dd><dt>command</dt><dd><code>" +
            escaped(machine.command) + "</code></dd><dt>samples</dt><dd>" +
            rounds_text(machine.rounds, machine.seconds) +
            "; the rounds are interleaved</dd></dl>\n";
  return text;
}

}  // namespace

std::string escaped(const std::string& text) {
  std::string safe;
  for (const char c : text) {
    if (c == '&')
      safe += "&amp;";
    else if (c == '<')
      safe += "&lt;";
    else if (c == '>')
      safe += "&gt;";
    else if (c == '"')
      safe += "&quot;";
    else if (c == '\'')
      safe += "&#39;";
    else
      safe += c;
  }
  return safe;
}

std::string to_html(const Report& report, const Report* before,
                    const std::vector<Picture>& pictures) {
  return std::string(
             "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
             "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
             "<title>Timing report of todevice</title>\n<style>") +
         kStyle + "</style>\n</head>\n<body>\n<main>\n<h1>How fast are these devices?</h1>\n" +
         "<p class=\"soft\">A timing report of the course todevice.</p>\n" + machines(report) +
         section("Speed-up and efficiency", cards(report)) +
         section("Pictures", figures(pictures)) + section("Why it is not faster", reasons(report)) +
         section("todevice against PyTorch", against(report)) +
         (before ? section("Compared with the older report", compared(*before, report)) : "") +
         section("All cases", workloads(report)) +
         section("Not measured, and notes", missing(report)) + "</main>\n</body>\n</html>\n";
}

}  // namespace report

// See picture.h. First the spans become bars with a meaning each ("forward", "copy"), then both
// kinds of picture draw the same bars.
#include "trace/picture.h"

#include <algorithm>
#include <iomanip>
#include <limits>
#include <map>
#include <sstream>
#include <unordered_map>

#include "td/base/file.h"

namespace td::trace {
namespace {

/// A span as it is drawn.
struct Bar {
  std::size_t line;
  const SpanRecord* span;
  std::string meaning;
};

struct Meaning {
  char letter;
  std::string colour;
};

struct Picture {
  std::vector<std::string> labels;       // of the lines
  std::vector<Bar> bars;                 // inner ones behind outer ones
  std::vector<std::string> meanings;     // in the order in which they come
  std::map<std::string, Meaning> looks;  // of the meanings
  std::int64_t begin = 0, end = 1;

  double milliseconds() const { return 1e3 * Trace::seconds(begin, end); }
  /// Where a time lies, from 0 to 1.
  double place(std::int64_t time) const {
    return static_cast<double>(time - begin) / static_cast<double>(end - begin);
  }
};

bool contains(const SpanRecord& outer, std::int64_t time) {
  return outer.begin <= time && time <= outer.end;
}

/// The phase in which each launch was made: the innermost of its own thread or, where that has
/// none, of another, as the threads of replicas work for the one that has phases.
std::unordered_map<std::uint32_t, std::string> phases_of_launches(const Trace& trace) {
  std::unordered_map<std::uint32_t, std::string> phases;
  std::map<std::uint32_t, std::vector<const SpanRecord*>> open;  // by row, the innermost last
  for (const SpanRecord& span : trace.spans) {
    if (span.category == Category::kUser) open[span.row].push_back(&span);
    if (span.category != Category::kLaunch) continue;
    const SpanRecord* found = nullptr;
    for (auto& [row, stack] : open) {
      while (!stack.empty() && !contains(*stack.back(), span.begin)) stack.pop_back();
      if (stack.empty()) continue;
      const bool nearer = !found || stack.back()->begin > found->begin;
      if (row == span.row || (nearer && (!found || found->row != span.row))) found = stack.back();
    }
    if (found) phases[span.correlation] = found->name;
  }
  return phases;
}

bool is_drawn(const SpanRecord& span, const Row& row, const PictureOptions& options) {
  switch (row.kind) {
    case RowKind::kStream:
      return span.category != Category::kWait;
    case RowKind::kEngine:
      return options.engines();
    case RowKind::kLane:
      return options.host();
    case RowKind::kThread:
      return options.host() &&
             (span.category == Category::kUser || span.category == Category::kLoader ||
              span.category == Category::kCollective);
  }
  return false;
}

/// "sim:0" where one row of the device is drawn, else "sim:0 stream 1".
std::vector<std::string> labels_of(const std::vector<const Row*>& rows) {
  std::vector<std::string> labels;
  for (const Row* row : rows) {
    const auto same = std::count_if(rows.begin(), rows.end(),
                                    [&](const Row* other) { return other->device == row->device; });
    labels.push_back(row->device.empty() ? row->name
                     : same == 1         ? row->device
                                         : row->device + ' ' + row->name);
  }
  return labels;
}

/// Letters that say something: the first one of the name that is free.
char letter_for(const std::string& name, const std::map<std::string, Meaning>& taken) {
  const auto is_free = [&](char letter) {
    return std::none_of(taken.begin(), taken.end(),
                        [&](const auto& entry) { return entry.second.letter == letter; });
  };
  for (const char letter : name + "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ")
    if (std::isalnum(static_cast<unsigned char>(letter)) && is_free(letter)) return letter;
  return '#';
}

void choose_looks(Picture& picture) {
  static constexpr const char* kColours[] = {"#1f77b4", "#9467bd", "#2ca02c", "#ff7f0e", "#8c564b",
                                             "#e377c2", "#bcbd22", "#17becf", "#7f7f7f"};
  picture.looks = {{"copy", {'c', "#d62728"}}, {"kernel", {'k', "#7f7f7f"}}};
  std::size_t used = 0;
  for (const Bar& bar : picture.bars) {
    auto& order = picture.meanings;
    if (std::find(order.begin(), order.end(), bar.meaning) != order.end()) continue;
    order.push_back(bar.meaning);
    if (picture.looks.count(bar.meaning)) continue;
    const char letter = letter_for(bar.meaning, picture.looks);
    picture.looks[bar.meaning] = {letter, kColours[used++ % std::size(kColours)]};
  }
  // Copies are in every picture: they come last, where one looks for what is not a phase.
  std::stable_partition(picture.meanings.begin(), picture.meanings.end(),
                        [](const std::string& name) { return name != "copy"; });
}

Picture lay_out(const Trace& trace, const PictureOptions& options) {
  Picture picture;
  const auto phases = phases_of_launches(trace);
  std::vector<const Row*> rows;
  std::map<std::uint32_t, std::size_t> lines;
  for (const SpanRecord& span : trace.spans)
    if (is_drawn(span, trace.rows[span.row], options)) lines.emplace(span.row, 0);
  for (auto& [row, line] : lines) {
    line = rows.size();
    rows.push_back(&trace.rows[row]);
  }
  picture.labels = labels_of(rows);
  std::int64_t begin = std::numeric_limits<std::int64_t>::max(), end = 0;
  for (const SpanRecord& span : trace.spans) {
    const Row& row = trace.rows[span.row];
    if (!is_drawn(span, row, options)) continue;
    std::string meaning = span.name;
    if (!row.device.empty() && span.category != Category::kCollective) {
      const auto phase = phases.find(span.correlation);
      meaning = span.category != Category::kKernel ? "copy"
                : phase == phases.end()            ? "kernel"
                                                   : phase->second;
    }
    picture.bars.push_back({lines[span.row], &span, std::move(meaning)});
    begin = std::min(begin, span.begin);
    end = std::max(end, span.end);
  }
  if (begin < end) picture.begin = begin, picture.end = end;
  choose_looks(picture);
  return picture;
}

std::string scale(const Picture& picture) {
  std::ostringstream text;
  text << std::fixed << std::setprecision(1) << picture.milliseconds() << " ms";
  return text.str();
}

/// Names in a picture: what XML takes for its own is written otherwise.
std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '&')
      out += "&amp;";
    else
      out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  }
  return out;
}

}  // namespace

std::string text_timeline(const Trace& trace, const PictureOptions& options) {
  const Picture picture = lay_out(trace, options);
  const std::size_t width = options.width();
  std::vector<std::string> lines(picture.labels.size(), std::string(width, '.'));
  const auto column = [&](std::int64_t time) {
    return std::min(
        width, static_cast<std::size_t>(picture.place(time) * static_cast<double>(width) + 0.5));
  };
  for (const Bar& bar : picture.bars)
    for (std::size_t x = column(bar.span->begin); x < column(bar.span->end); ++x)
      lines[bar.line][x] = picture.looks.at(bar.meaning).letter;
  std::ostringstream out;
  for (const std::string& name : picture.meanings)
    out << picture.looks.at(name).letter << ' ' << name << ", ";
  out << ". waits\n";
  std::size_t label_width = 6;
  for (const std::string& label : picture.labels)
    label_width = std::max(label_width, label.size() + 1);
  for (std::size_t i = 0; i < lines.size(); ++i)
    out << std::setw(static_cast<int>(label_width)) << picture.labels[i] << " |" << lines[i]
        << "|\n";
  out << std::string(label_width + 2, ' ') << '0' << std::setw(static_cast<int>(width))
      << scale(picture) << '\n';
  return out.str();
}

std::string svg_timeline(const Trace& trace, const PictureOptions& options) {
  const Picture picture = lay_out(trace, options);
  std::size_t longest = 5;
  for (const std::string& label : picture.labels) longest = std::max(longest, label.size());
  const double left = 20 + 8 * static_cast<double>(longest), width = 890 - left;
  const std::size_t height = 40 * picture.labels.size() + 50;
  std::ostringstream out;
  out << "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 900 " << height
      << "\" font-family=\"sans-serif\" font-size=\"13\">\n<rect width=\"900\" height=\"" << height
      << "\" fill=\"white\"/>\n";
  for (std::size_t i = 0; i < picture.labels.size(); ++i)
    out << "<text x=\"8\" y=\"" << 40 * i + 28 << "\">" << escaped(picture.labels[i])
        << "</text>\n";
  for (const Bar& bar : picture.bars) {
    const double from = left + width * picture.place(bar.span->begin);
    const double to = left + width * picture.place(bar.span->end);
    out << "<rect x=\"" << from << "\" y=\"" << 40 * bar.line + 8 << "\" width=\""
        << std::max(0.3, to - from) << "\" height=\"30\" fill=\""
        << picture.looks.at(bar.meaning).colour << "\"><title>" << escaped(bar.span->name) << ", "
        << 1e3 * Trace::seconds(bar.span->begin, bar.span->end) << " ms</title></rect>\n";
  }
  double x = left;
  for (const std::string& name : picture.meanings) {
    out << "<rect x=\"" << x << "\" y=\"" << height - 34 << "\" width=\"12\" height=\"12\" fill=\""
        << picture.looks.at(name).colour << "\"/><text x=\"" << x + 17 << "\" y=\"" << height - 23
        << "\">" << escaped(name) << "</text>\n";
    x += 40 + 8 * static_cast<double>(name.size());
  }
  out << "<text x=\"890\" y=\"" << height - 23 << "\" text-anchor=\"end\">" << scale(picture)
      << "</text>\n</svg>\n";
  return out.str();
}

void write_svg(const Trace& trace, const std::string& path, const PictureOptions& options) {
  const std::string text = svg_timeline(trace, options);
  write_file(path, text.data(), text.size());
}

}  // namespace td::trace

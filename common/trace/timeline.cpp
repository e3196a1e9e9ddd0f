// Draws a trace as text and as SVG. Each span becomes a bar with a meaning ("forward", "copy");
// both drawings show the same bars. Invariant: times are drawn as they were measured.
#include <algorithm>
#include <iomanip>
#include <limits>
#include <map>
#include <sstream>
#include <unordered_map>

#include "os/file.h"
#include "trace/svg.h"
#include "trace/trace.h"

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
  std::string color;
};

struct Figure {
  std::vector<std::string> labels;       // of the lines
  std::vector<Bar> bars;                 // inner ones after outer ones
  std::vector<std::string> meanings;     // in order of appearance
  std::map<std::string, Meaning> looks;  // of the meanings
  std::int64_t begin = 0, end = 1;

  double milliseconds() const { return 1e3 * Trace::seconds(begin, end); }
  /// The position of a time, from 0 to 1.
  double position(std::int64_t time) const {
    return static_cast<double>(time - begin) / static_cast<double>(end - begin);
  }
};

bool contains(const SpanRecord& outer, std::int64_t time) {
  return outer.begin <= time && time <= outer.end;
}

/// Returns the phase of each launch: the innermost open one of its own thread or, where that thread
/// has none, of another one, because the threads of replicas work for the thread that names the
/// phases.
std::unordered_map<std::uint32_t, std::string> phases_of_launches(const Trace& trace) {
  std::unordered_map<std::uint32_t, std::string> phases;
  std::map<std::uint32_t, std::vector<const SpanRecord*>> open;  // by track, the innermost last
  for (const SpanRecord& span : trace.spans) {
    if (span.category == Category::kUser) open[span.track].push_back(&span);
    if (span.category != Category::kLaunch) continue;
    const SpanRecord* found = nullptr;
    for (auto& [track, stack] : open) {
      while (!stack.empty() && !contains(*stack.back(), span.begin)) stack.pop_back();
      if (stack.empty()) continue;
      const bool nearer = !found || stack.back()->begin > found->begin;
      if (track == span.track || (nearer && (!found || found->track != span.track)))
        found = stack.back();
    }
    if (found) phases[span.correlation] = found->name;
  }
  return phases;
}

bool is_drawn(const SpanRecord& span, const Track& track, const PictureOptions& options) {
  if (track.kind == TrackKind::kStream) return span.category != Category::kWait;
  if (track.kind == TrackKind::kEngine) return options.engines();
  if (track.kind == TrackKind::kQueue) return options.host();
  return options.host() &&
         (span.category == Category::kUser || span.category == Category::kLoader ||
          span.category == Category::kCollective);
}

/// "sim:0" where one track of the device is drawn, else "sim:0 stream 1".
std::vector<std::string> labels_of(const std::vector<const Track*>& tracks) {
  std::vector<std::string> labels;
  for (const Track* track : tracks) {
    const auto same = std::count_if(tracks.begin(), tracks.end(), [&](const Track* other) {
      return other->device == track->device;
    });
    labels.push_back(track->device.empty() ? track->name
                     : same == 1           ? track->device
                                           : track->device + ' ' + track->name);
  }
  return labels;
}

/// Returns the first letter of the name that no other meaning has.
char letter_for(const std::string& name, const std::map<std::string, Meaning>& taken) {
  const auto is_free = [&](char letter) {
    return std::none_of(taken.begin(), taken.end(),
                        [&](const auto& entry) { return entry.second.letter == letter; });
  };
  for (const char letter : name + "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ")
    if (std::isalnum(static_cast<unsigned char>(letter)) && is_free(letter)) return letter;
  return '#';
}

void choose_looks(Figure& figure) {
  static constexpr const char* kColors[] = {"#1f77b4", "#9467bd", "#2ca02c", "#ff7f0e", "#8c564b",
                                            "#e377c2", "#bcbd22", "#17becf", "#7f7f7f"};
  figure.looks = {{"copy", {'c', "#d62728"}}, {"kernel", {'k', "#7f7f7f"}}};
  std::size_t used = 0;
  for (const Bar& bar : figure.bars) {
    auto& order = figure.meanings;
    if (std::find(order.begin(), order.end(), bar.meaning) != order.end()) continue;
    order.push_back(bar.meaning);
    if (figure.looks.count(bar.meaning)) continue;
    const char letter = letter_for(bar.meaning, figure.looks);
    figure.looks[bar.meaning] = {letter, kColors[used++ % std::size(kColors)]};
  }
  // Copies are in every figure; the legend lists them after the phases.
  std::stable_partition(figure.meanings.begin(), figure.meanings.end(),
                        [](const std::string& name) { return name != "copy"; });
}

Figure lay_out(const Trace& trace, const PictureOptions& options) {
  Figure figure;
  const auto phases = phases_of_launches(trace);
  std::vector<const Track*> tracks;
  std::map<std::uint32_t, std::size_t> lines;
  for (const SpanRecord& span : trace.spans)
    if (is_drawn(span, trace.tracks[span.track], options)) lines.emplace(span.track, 0);
  for (auto& [track, line] : lines) {
    line = tracks.size();
    tracks.push_back(&trace.tracks[track]);
  }
  figure.labels = labels_of(tracks);
  std::int64_t begin = std::numeric_limits<std::int64_t>::max(), end = 0;
  for (const SpanRecord& span : trace.spans) {
    const Track& track = trace.tracks[span.track];
    if (!is_drawn(span, track, options)) continue;
    std::string meaning = span.name;
    if (!track.device.empty() && span.category != Category::kCollective) {
      const auto phase = phases.find(span.correlation);
      meaning = span.category != Category::kKernel ? "copy"
                : phase == phases.end()            ? "kernel"
                                                   : phase->second;
    }
    figure.bars.push_back({lines[span.track], &span, std::move(meaning)});
    begin = std::min(begin, span.begin);
    end = std::max(end, span.end);
  }
  if (begin < end) figure.begin = begin, figure.end = end;
  choose_looks(figure);
  return figure;
}

std::string scale(const Figure& figure) {
  std::ostringstream text;
  text << std::fixed << std::setprecision(1) << figure.milliseconds() << " ms";
  return text.str();
}

constexpr std::size_t kMargin = 8, kTrackWidth = kPictureWidth - 2 * kMargin, kTrackHeight = 48;

void draw_bar(std::ostream& out, const Figure& figure, const Bar& bar) {
  const double from = figure.position(bar.span->begin) * kTrackWidth;
  const double to = figure.position(bar.span->end) * kTrackWidth;
  out << "<rect x=\"" << kMargin + from << "\" y=\"" << kTrackHeight * bar.line + 22
      << "\" width=\"" << std::max(0.3, to - from) << "\" height=\"24\" fill=\""
      << figure.looks.at(bar.meaning).color << "\"><title>" << escaped(bar.span->name) << ", "
      << 1e3 * Trace::seconds(bar.span->begin, bar.span->end) << " ms</title></rect>\n";
}

/// Draws the meanings of the colors from `top` down, in as many lines as needed. Returns its end.
std::size_t draw_legend(std::ostream& out, const Figure& figure, std::size_t top) {
  std::size_t x = kMargin;
  for (const std::string& name : figure.meanings) {
    const std::size_t width = 32 + 8 * name.size();
    if (x > kMargin && x + width > kMargin + kTrackWidth) x = kMargin, top += 20;
    out << "<rect x=\"" << x << "\" y=\"" << top << "\" width=\"12\" height=\"12\" fill=\""
        << figure.looks.at(name).color << "\"/><text x=\"" << x + 17 << "\" y=\"" << top + 11
        << "\">" << escaped(name) << "</text>\n";
    x += width;
  }
  return top + 22;
}

}  // namespace

std::string text_timeline(const Trace& trace, const PictureOptions& options) {
  const Figure figure = lay_out(trace, options);
  const std::size_t width = options.width();
  std::vector<std::string> lines(figure.labels.size(), std::string(width, '.'));
  const auto column = [&](std::int64_t time) {
    return std::min(
        width, static_cast<std::size_t>(figure.position(time) * static_cast<double>(width) + 0.5));
  };
  for (const Bar& bar : figure.bars)
    for (std::size_t x = column(bar.span->begin); x < column(bar.span->end); ++x)
      lines[bar.line][x] = figure.looks.at(bar.meaning).letter;
  std::ostringstream out;
  for (const std::string& name : figure.meanings)
    out << figure.looks.at(name).letter << ' ' << name << ", ";
  out << ". waits\n";
  std::size_t label_width = 6;
  for (const std::string& label : figure.labels)
    label_width = std::max(label_width, label.size() + 1);
  for (std::size_t i = 0; i < lines.size(); ++i)
    out << std::setw(static_cast<int>(label_width)) << figure.labels[i] << " |" << lines[i]
        << "|\n";
  out << std::string(label_width + 2, ' ') << '0' << std::setw(static_cast<int>(width))
      << scale(figure) << '\n';
  return out.str();
}

std::string svg_timeline(const Trace& trace, const PictureOptions& options) {
  const Figure figure = lay_out(trace, options);
  std::ostringstream body;
  for (std::size_t i = 0; i < figure.labels.size(); ++i) {
    const std::size_t top = kTrackHeight * i;
    body << "<text x=\"" << kMargin << "\" y=\"" << top + 16 << "\">" << escaped(figure.labels[i])
         << "</text>\n<path class=\"grid\" d=\"M" << kMargin << ' ' << top + 46 << "H"
         << kMargin + kTrackWidth << "\"/>\n";
  }
  for (const Bar& bar : figure.bars) draw_bar(body, figure, bar);
  const std::size_t bottom = kTrackHeight * figure.labels.size() + 14;
  body << "<text x=\"" << kMargin << "\" y=\"" << bottom << "\">0</text><text x=\""
       << kMargin + kTrackWidth << "\" y=\"" << bottom << "\" text-anchor=\"end\">" << scale(figure)
       << "</text>\n";
  const std::size_t height = draw_legend(body, figure, bottom + 14);
  return open_svg(static_cast<int>(height)) + body.str() + "</svg>\n";
}

void write_svg(const Trace& trace, const std::string& path, const PictureOptions& options) {
  const std::string text = svg_timeline(trace, options);
  write_file(path, text.data(), text.size());
}

}  // namespace td::trace

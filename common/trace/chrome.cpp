// A trace as JSON, written by hand because a trace may have a million spans. Only names come from
// outside and are escaped. Invariant: an arrow is written only when both of its ends are in the
// trace.

#include <unistd.h>

#include <cstdio>
#include <unordered_map>

#include "td/base/file.h"
#include "trace/trace.h"

namespace td::trace {
namespace {

// Numbers that Linux gives to no process and no thread.
constexpr int kFirstDevice = 5'000'000, kFirstQueue = 5'000'000;
constexpr int kFirstEngine = 1'000'000;  // after the streams of a device

const char* category_name(Category category) {
  switch (category) {
    case Category::kUser:
      return "user_annotation";
    case Category::kOperator:
    case Category::kBackward:
    case Category::kLoader:
      return "cpu_op";
    case Category::kLaunch:
      return "cuda_runtime";
    case Category::kWait:
      return "cuda_sync";
    case Category::kCollective:
      return "collective_comm";
    case Category::kKernel:
      return "kernel";
    case Category::kCopy:
      return "gpu_memcpy";
    case Category::kEngine:
      return "copy_engine";
  }
  return "";
}

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    // Viewers show a name in one line.
    out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  }
  return out += '"';
}

/// Nanoseconds as microseconds, exactly: a double does not hold every digit.
std::string microseconds(std::int64_t nanoseconds) {
  char text[32];
  std::snprintf(text, sizeof text, "%lld.%03lld", static_cast<long long>(nanoseconds / 1000),
                static_cast<long long>(nanoseconds % 1000));
  return text;
}

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3f", value);
  return text;
}

class ChromeWriter {
 public:
  explicit ChromeWriter(const Trace& trace) : trace_(trace) {
    number_tracks();
    head();
    for (std::size_t i = 0; i < trace.tracks.size(); ++i) describe_track(i);
    for (const SpanRecord& span : trace.spans)
      if (span.category == Category::kLaunch) launches_.emplace(span.correlation, &span);
    for (const SpanRecord& span : trace.spans) write_span(span);
    event("i", "Record Window End", "", {getpid(), getpid()}, trace.end);
    out_ += ", \"s\": \"g\"}\n]}\n";
  }
  std::string take() { return std::move(out_); }

 private:
  struct TrackId {
    int process, thread;
  };

  /// Numbers the devices in the order of the trace's tracks, which are sorted by device.
  void number_tracks() {
    for (const Track& track : trace_.tracks) {
      if (!track.device.empty() && (devices_.empty() || devices_.back() != track.device))
        devices_.push_back(track.device);
      const int device = kFirstDevice + static_cast<int>(devices_.size()) - 1;
      switch (track.kind) {
        case TrackKind::kThread:
          track_ids_.push_back({getpid(), track.number});
          break;
        case TrackKind::kQueue:
          track_ids_.push_back({getpid(), kFirstQueue + track.number});
          break;
        case TrackKind::kStream:
          track_ids_.push_back({device, track.number});
          break;
        case TrackKind::kEngine:
          track_ids_.push_back({device, kFirstEngine + track.number});
          break;
      }
    }
  }

  void head() {
    out_ = "{\n\"schemaVersion\": 1,\n\"traceName\": \"todevice\",\n\"displayTimeUnit\": \"ms\",\n";
    out_ += "\"baseTimeNanoseconds\": " + std::to_string(trace_.unix_begin) + ",\n";
    if (trace_.rank >= 0)
      out_ += "\"distributedInfo\": {\"rank\": " + std::to_string(trace_.rank) + "},\n";
    out_ += "\"deviceProperties\": [";
    for (std::size_t i = 0; i < devices_.size(); ++i)
      out_ += (i ? ", " : "") + ("{\"id\": " + std::to_string(i)) +
              ", \"name\": " + quoted(devices_[i]) + "}";
    out_ += "],\n\"traceEvents\": [\n";
    describe_process(getpid(), "host", "CPU", 0);
    for (std::size_t i = 0; i < devices_.size(); ++i)  // below the host
      describe_process(kFirstDevice + static_cast<int>(i), devices_[i], devices_[i],
                       kFirstDevice + static_cast<int>(i));
  }

  void describe_process(int process, const std::string& name, const std::string& label,
                        int sort_index) {
    const TrackId id{process, 0};
    metadata("process_name", id, "{\"name\": " + quoted(name) + "}");
    metadata("process_labels", id, "{\"labels\": " + quoted(label) + "}");
    metadata("process_sort_index", id, "{\"sort_index\": " + std::to_string(sort_index) + "}");
  }

  void describe_track(std::size_t i) {
    const Track& track = trace_.tracks[i];
    const std::string name =
        track.kind == TrackKind::kThread
            ? "thread " + std::to_string(track.number) + " (" + track.name + ")"
            : track.name;
    metadata("thread_name", track_ids_[i], "{\"name\": " + quoted(name) + "}");
    metadata("thread_sort_index", track_ids_[i], "{\"sort_index\": " + std::to_string(i) + "}");
  }

  void metadata(const char* name, TrackId id, const std::string& arguments) {
    event("M", name, "", id, trace_.begin);
    out_ += ", \"args\": " + arguments + "},\n";
  }

  /// Writes the fields that all events have; the caller closes the brace.
  void event(const char* phase, const char* name, const char* category, TrackId id,
             std::int64_t time) {
    out_ += "{\"ph\": \"" + std::string(phase) + "\", \"name\": " + quoted(name);
    if (*category) out_ += ", \"cat\": \"" + std::string(category) + "\"";
    out_ += ", \"pid\": " + std::to_string(id.process) + ", \"tid\": " + std::to_string(id.thread) +
            ", \"ts\": " + microseconds(time - trace_.begin);
  }

  void write_span(const SpanRecord& span) {
    const TrackId id = track_ids_[span.track];
    event("X", span.name, category_name(span.category), id, span.begin);
    out_ += ", \"dur\": " + microseconds(span.end - span.begin) + arguments_of(span) + "},\n";
    if (span.correlation == 0 || trace_.tracks[span.track].kind != TrackKind::kStream) return;
    const auto launch = launches_.find(span.correlation);
    if (launch == launches_.end()) return;  // it was before the trace
    arrow("s", span.correlation, track_ids_[launch->second->track], launch->second->begin, "");
    arrow("f", span.correlation, id, span.begin, ", \"bp\": \"e\"");
    launches_.erase(launch);  // an arrow has one end
  }

  void arrow(const char* phase, std::uint32_t correlation, TrackId id, std::int64_t time,
             const char* binding) {
    event(phase, "ac2g", "ac2g", id, time);
    out_ += ", \"id\": " + std::to_string(correlation) + binding + "},\n";
  }

  std::string arguments_of(const SpanRecord& span) const {
    const Track& track = trace_.tracks[span.track];
    std::string list;
    const auto add = [&](const char* name, const std::string& value) {
      list += std::string(list.empty() ? "" : ", ") + '"' + name + "\": " + value;
    };
    if (track.kind == TrackKind::kStream) {
      add("device", quoted(track.device));
      add("stream", std::to_string(track.number));
    }
    if (span.correlation != 0) add("correlation", std::to_string(span.correlation));
    if (span.bytes != 0) {
      add("bytes", std::to_string(span.bytes));
      const auto nanoseconds = static_cast<double>(span.end - span.begin);
      if (nanoseconds > 0)
        add("memory bandwidth (GB/s)", number(static_cast<double>(span.bytes) / nanoseconds));
    }
    return list.empty() ? "" : ", \"args\": {" + list + "}";
  }

  const Trace& trace_;
  std::vector<std::string> devices_;
  std::vector<TrackId> track_ids_;  // of the tracks
  std::unordered_map<std::uint32_t, const SpanRecord*> launches_;
  std::string out_;
};

}  // namespace

std::string chrome_json(const Trace& trace) { return ChromeWriter(trace).take(); }

void write_chrome_json(const Trace& trace, const std::string& path) {
  const std::string text = chrome_json(trace);
  write_file(path, text.data(), text.size());
}

}  // namespace td::trace

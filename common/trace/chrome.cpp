// A trace as JSON, written by hand because a trace may have a million spans. Only names come from
// outside and are escaped. Invariant: an arrow is written only when both of its ends are in the
// trace.

#include <unistd.h>

#include <iomanip>
#include <sstream>
#include <unordered_map>
#include <utility>

#include "os/file.h"
#include "trace/trace.h"

namespace td::trace {
namespace {

constexpr int kFirstDevice = 5'000'000;  // Linux gives such numbers to no process and no thread
/// The offset that is added to the number of a track, by TrackKind: streams first, then engines.
constexpr int kFirstNumber[] = {0, 5'000'000, 0, 1'000'000};

/// The names of PyTorch's profiler, by Category.
constexpr const char* kCategoryNames[] = {
    "user_annotation", "cpu_op",          "cpu_op", "cuda_runtime", "cuda_sync",
    "cpu_op",          "collective_comm", "kernel", "gpu_memcpy",   "copy_engine"};

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    // Viewers show a name in one line.
    out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  }
  return out += '"';
}

class ChromeWriter {
 public:
  explicit ChromeWriter(const Trace& trace) : trace_(trace) {
    out_ << std::fixed << std::setprecision(3) << std::setfill('0');
    number_tracks();
    head();
    for (std::size_t i = 0; i < trace.tracks.size(); ++i) describe_track(i);
    for (const SpanRecord& span : trace.spans)
      if (span.category == Category::kLaunch) launches_.emplace(span.correlation, &span);
    for (const SpanRecord& span : trace.spans) write_span(span);
    event("i", "Record Window End", "", {getpid(), getpid()}, trace.end);
    out_ << ", \"s\": \"g\"}\n]}\n";
  }
  std::string text() const { return out_.str(); }

 private:
  struct TrackId {
    int process, thread;
  };

  /// Numbers the devices in the order of the trace's tracks, which are sorted by device.
  void number_tracks() {
    for (const Track& track : trace_.tracks) {
      const bool on_host = track.device.empty();
      if (!on_host && (devices_.empty() || devices_.back() != track.device))
        devices_.push_back(track.device);
      const int device = kFirstDevice + static_cast<int>(devices_.size()) - 1;
      track_ids_.push_back(
          {on_host ? getpid() : device, kFirstNumber[static_cast<int>(track.kind)] + track.number});
    }
  }

  void head() {
    out_ << "{\n\"schemaVersion\": 1,\n\"traceName\": \"todevice\",\n\"displayTimeUnit\": \"ms\",\n"
         << "\"baseTimeNanoseconds\": " << trace_.unix_begin << ",\n";
    if (trace_.rank >= 0) out_ << "\"distributedInfo\": {\"rank\": " << trace_.rank << "},\n";
    out_ << "\"deviceProperties\": [";
    for (std::size_t i = 0; i < devices_.size(); ++i)
      out_ << (i ? ", " : "") << "{\"id\": " << i << ", \"name\": " << quoted(devices_[i]) << '}';
    out_ << "],\n\"traceEvents\": [\n";
    describe_process(getpid(), "host", "CPU", 0);
    int device = kFirstDevice;
    for (const std::string& name : devices_) {
      describe_process(device, name, name, device);  // below the host
      ++device;
    }
  }

  void describe_process(int process, const std::string& name, const std::string& label,
                        int sort_index) {
    const TrackId id{process, 0};
    metadata(id, "process_name", "name", quoted(name));
    metadata(id, "process_labels", "labels", quoted(label));
    metadata(id, "process_sort_index", "sort_index", std::to_string(sort_index));
  }

  void describe_track(std::size_t i) {
    const Track& track = trace_.tracks[i];
    const std::string name =
        track.kind == TrackKind::kThread
            ? "thread " + std::to_string(track.number) + " (" + track.name + ")"
            : track.name;
    metadata(track_ids_[i], "thread_name", "name", quoted(name));
    metadata(track_ids_[i], "thread_sort_index", "sort_index", std::to_string(i));
  }

  void metadata(TrackId id, const char* name, const char* key, const std::string& value) {
    event("M", name, "", id, trace_.begin);
    out_ << ", \"args\": {\"" << key << "\": " << value << "}},\n";
  }

  /// Writes the fields that all events have; the caller closes the brace.
  void event(const char* phase, const char* name, const char* category, TrackId id,
             std::int64_t time) {
    out_ << "{\"ph\": \"" << phase << "\", \"name\": " << quoted(name);
    if (*category) out_ << ", \"cat\": \"" << category << '"';
    out_ << ", \"pid\": " << id.process << ", \"tid\": " << id.thread << ", \"ts\": ";
    microseconds(time - trace_.begin);
  }

  /// Writes nanoseconds as microseconds, exactly: a double does not hold every digit.
  void microseconds(std::int64_t nanoseconds) {
    out_ << nanoseconds / 1000 << '.' << std::setw(3) << nanoseconds % 1000;
  }

  void write_span(const SpanRecord& span) {
    const TrackId id = track_ids_[span.track];
    event("X", span.name, kCategoryNames[static_cast<int>(span.category)], id, span.begin);
    out_ << ", \"dur\": ";
    microseconds(span.end - span.begin);
    arguments(span);
    out_ << "},\n";
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
    out_ << ", \"id\": " << correlation << binding << "},\n";
  }

  void arguments(const SpanRecord& span) {
    const Track& track = trace_.tracks[span.track];
    const char* separator = "";
    const auto add = [&](const char* name, const auto& value) {
      out_ << std::exchange(separator, ", ") << '"' << name << "\": " << value;
    };
    out_ << ", \"args\": {";
    if (track.kind == TrackKind::kStream) {
      add("device", quoted(track.device));
      add("stream", track.number);
    }
    if (span.correlation != 0) add("correlation", span.correlation);
    const auto nanoseconds = static_cast<double>(span.end - span.begin);
    if (span.bytes != 0) add("bytes", span.bytes);
    if (span.bytes != 0 && nanoseconds > 0)
      add("memory bandwidth (GB/s)", static_cast<double>(span.bytes) / nanoseconds);
    out_ << '}';
  }

  const Trace& trace_;
  std::vector<std::string> devices_;
  std::vector<TrackId> track_ids_;  // of the tracks
  std::unordered_map<std::uint32_t, const SpanRecord*> launches_;
  std::ostringstream out_;
};

}  // namespace

std::string chrome_json(const Trace& trace) { return ChromeWriter(trace).text(); }

void write_chrome_json(const Trace& trace, const std::string& path) {
  const std::string text = chrome_json(trace);
  write_file(path, text.data(), text.size());
}

}  // namespace td::trace

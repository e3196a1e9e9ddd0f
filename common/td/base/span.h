// One span: what was done, where, from when to when. The library puts spans around launches,
// copies, waits, gradients and batches; programs put them around their own phases. The core does
// not store spans: common/trace records them. Invariant: while no sink wants spans, a span costs a
// comparison.
#pragma once

#include <atomic>
#include <cstdint>

namespace td::trace {

/// What kind of work a span stands for.
enum class Category : std::uint8_t {
  kUser,        ///< a phase that the program names: "forward"
  kOperator,    ///< work that the host does itself: an operation on cpu, a step of an optimizer
  kBackward,    ///< the gradient of one operation, in the thread that runs backward
  kLaunch,      ///< the host enqueues work on a stream
  kWait,        ///< the host, or a stream, waits for another
  kLoader,      ///< a batch is loaded
  kCollective,  ///< a collective of a process group
  kKernel,      ///< a device runs a kernel
  kCopy,        ///< a copy on a stream
  kEngine       ///< the same copy, in the track of its copy engine
};

/// A span as it is stored. Trivially copyable; `name` lives as long as the process.
struct SpanRecord {
  const char* name;           ///< "mm", "Memcpy HtoD (Pinned -> Device)", "forward"
  std::int64_t begin, end;    ///< nanoseconds of the steady clock
  std::uint64_t bytes;        ///< copied or sent; 0 for other work
  std::uint32_t track;        ///< where it is drawn: in a Trace, an index into Trace::tracks
  std::uint32_t correlation;  ///< shared by a launch and its work; 0: none
  Category category;          ///< what kind of work
};

/// Takes the spans of this process. It lives as long as the process.
class SpanSink {
 public:
  explicit SpanSink(bool is_recorder) : records(is_recorder) {}
  virtual ~SpanSink() = default;
  /// Called in the thread whose span it is, when it begins and when it ends. The sink sets the
  /// times.
  ///@{
  virtual void open(SpanRecord& span) = 0;
  virtual void close(SpanRecord& span) = 0;
  ///@}
  const bool records;  ///< else it only listens: for example to draw a profiler's ranges
};

/// The sink that wants spans now, or null.
inline std::atomic<SpanSink*> span_sink{nullptr};

/// True during a recording.
inline bool is_on() {
  const SpanSink* const sink = span_sink.load(std::memory_order_acquire);
  return sink && sink->records;
}

/// Lasts from its construction to the end of its scope, in the track of its thread.
///
/// Names are not copied: give a literal, or a string that lives as long as the process. A span
/// without a name ("") is not stored.
class Span {
 public:
  /// @param bytes the size of a copy or message.
  explicit Span(const char* name, Category category = Category::kUser, std::uint64_t bytes = 0) {
    if (SpanSink* const sink = span_sink.load(std::memory_order_acquire)) [[unlikely]]
      open(*sink, name, category, bytes);
  }
  ~Span() {
    if (opened_by_) [[unlikely]]
      opened_by_->close(record_);
  }
  Span(const Span&) = delete;
  Span& operator=(const Span&) = delete;

 private:
  [[gnu::cold, gnu::noinline]] void open(SpanSink& sink, const char* name, Category category,
                                         std::uint64_t bytes) {
    if (!*name) return;
    record_ = {name, 0, 0, bytes, 0, 0, category};
    opened_by_ = &sink;
    sink.open(record_);
  }

  SpanRecord record_;  // filled in by open
  SpanSink* opened_by_ = nullptr;
};

}  // namespace td::trace

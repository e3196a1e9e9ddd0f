// One span: what was done, where, from when to when. The library puts spans around launches,
// copies, waits, gradients and batches; programs put them around their own phases.
// span_recorder.cpp stores them. Invariant: without a recording, a span costs one comparison.
// During a recording it takes no lock and allocates nothing, except for the first span of a thread.
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

/// The track of a span that is not shown in the track of the calling thread.
struct SpanTarget {
  std::uint32_t track = 0;        ///< from add_track; 0: the calling thread's
  std::uint32_t correlation = 0;  ///< see SpanRecord
};

namespace detail {
enum : unsigned { kRecording = 1, kListening = 2 };
extern std::atomic<unsigned> state;  // 0: spans do nothing
}  // namespace detail

/// True during a recording.
inline bool is_on() {
  return (detail::state.load(std::memory_order_relaxed) & detail::kRecording) != 0;
}

/// Lasts from its construction to the end of its scope.
///
/// Names are not copied: give a literal, or a string that lives as long as the process. A span
/// without a name ("") is not stored.
class Span {
 public:
  /// In this thread's track. @param bytes the size of a copy or message.
  explicit Span(const char* name, Category category = Category::kUser, std::uint64_t bytes = 0) {
    if (detail::state.load(std::memory_order_relaxed)) [[unlikely]]
      open({}, name, category, bytes);
  }
  /// In the track of `target`.
  Span(SpanTarget target, const char* name, Category category, std::uint64_t bytes = 0) {
    if (is_on()) [[unlikely]]
      open(target, name, category, bytes);
  }
  ~Span() {
    if (opened_) [[unlikely]]
      close();
  }
  Span(const Span&) = delete;
  Span& operator=(const Span&) = delete;

 private:
  void open(SpanTarget target, const char* name, Category category, std::uint64_t bytes);
  void close();

  SpanRecord record_;  // filled in by open
  unsigned opened_ = 0;
};

}  // namespace td::trace

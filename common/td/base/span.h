// One span: what was done, where, from when to when. The core puts spans around launches, copies,
// waits, gradients and batches; programs put them around their own phases. recorder.cpp keeps them.
// Invariant: while nobody records, a span costs one comparison; while somebody does, it takes no
// lock and asks for no memory, the first span of a thread apart.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

namespace td::trace {

/// What kind of work a span stands for.
enum class Category : std::uint8_t {
  kUser,        ///< a phase that the program names: "forward"
  kOperator,    ///< work that the host does itself: an operation on cpu, a step of an optimizer
  kBackward,    ///< the gradient of one operation, in the thread that runs backward
  kLaunch,      ///< the host puts work into a stream
  kWait,        ///< the host, or a stream, waits for another
  kLoader,      ///< a batch is loaded
  kCollective,  ///< a call of a process group
  kKernel,      ///< a device computes
  kCopy,        ///< a stream copies
  kEngine       ///< the same copy, in the row of the copy engine that does it
};

/// A span as it is kept. Trivially copyable; `name` lives as long as the process.
struct SpanRecord {
  const char* name;           ///< "mm", "Memcpy HtoD (Pinned -> Device)", "forward"
  std::int64_t begin, end;    ///< nanoseconds of the steady clock
  std::uint64_t bytes;        ///< copied or sent; 0 where that means nothing
  std::uint32_t row;          ///< where it is drawn: in a Trace, an index of Trace::rows
  std::uint32_t correlation;  ///< the launch and the work it led to have the same; 0: none
  Category category;          ///< what kind of work
};

/// What a row stands for.
enum class RowKind : std::uint8_t { kThread, kLane, kStream, kEngine };

/// A line of the timeline: one thing that does one piece of work after another.
struct Row {
  RowKind kind = RowKind::kThread;  ///< what it stands for
  std::string device;               ///< "sim:0"; empty for threads and lanes, which are the host's
  int number = 0;                   ///< of the thread (as the system counts), stream or engine
  std::string name;                 ///< "main", "loader 1", "stream 2", "copy engine HtoD"
};

/// Adds a row, for as long as the process runs, and returns its number.
std::uint32_t add_row(Row row);

/// Where a span goes when that is not the row of the calling thread.
struct Place {
  std::uint32_t row = 0;          ///< from add_row; 0: the calling thread's
  std::uint32_t correlation = 0;  ///< see SpanRecord
};

/// Something else that wants to know of this process's spans, such as a profiler's ranges.
struct Listener {
  void (*begin)(const char* name);  ///< in the thread whose span it is
  void (*end)();                    ///< likewise; the one begun last
};
/// From now on `listener` hears of every span that has no Place. Call before threads start.
void set_listener(const Listener* listener);

namespace detail {
enum : unsigned { kRecording = 1, kListening = 2 };
extern std::atomic<unsigned> state;  // 0: spans do nothing
}  // namespace detail

/// True while spans are kept.
inline bool is_on() {
  return (detail::state.load(std::memory_order_relaxed) & detail::kRecording) != 0;
}
/// A number that joins a launch with what it leads to; never 0.
std::uint32_t next_correlation();
/// Nanoseconds of the clock that all spans use.
std::int64_t now();
/// Keeps a span that is over. For work that tells its times only later.
void keep(const SpanRecord& span);

/// Lasts from its construction to the end of the scope.
///
/// Names are not copied: give a literal, or a string that lives as long as the process. A span
/// without a name ("") is not kept.
class Span {
 public:
  /// In this thread's row. @param bytes what is copied or sent, where that is the work.
  explicit Span(const char* name, Category category = Category::kUser, std::uint64_t bytes = 0) {
    if (detail::state.load(std::memory_order_relaxed)) [[unlikely]]
      open({}, name, category, bytes);
  }
  /// In the row of `place`.
  Span(Place place, const char* name, Category category, std::uint64_t bytes = 0) {
    if (is_on()) [[unlikely]]
      open(place, name, category, bytes);
  }
  ~Span() {
    if (opened_) [[unlikely]]
      close();
  }
  Span(const Span&) = delete;
  Span& operator=(const Span&) = delete;

 private:
  void open(Place place, const char* name, Category category, std::uint64_t bytes);
  void close();

  SpanRecord record_;  // filled in by open
  unsigned opened_ = 0;
};

}  // namespace td::trace

// `--trace FILE`: records during a program's body and writes the trace.
#include "app/command.h"

#include <cstdlib>
#include <exception>
#include <filesystem>
#include <iostream>
#include <utility>

#include "td/base/error.h"
#include "td/base/file.h"
#include "trace/trace.h"

namespace app {
namespace {

namespace fs = std::filesystem;

/// Ranks of one job are started with the same FILE: "step.json" becomes "step.rank1.json".
std::string path_of_rank(const std::string& path, int rank) {
  if (rank < 0) return path;
  fs::path file(path);
  file.replace_extension(".rank" + std::to_string(rank) + file.extension().string());
  return file.string();
}

/// The trace of this process. Never destroyed: a rank that spawn() started ends by exit().
struct TraceFile {
  std::string path;
  bool written = true;

  void open(const std::string& wanted) {
    path = wanted;
    if (fs::is_directory(path))
      td::fail<td::IoError>("cannot write ", path, ": it is a folder; name a file in it");
    const td::AtomicFile probe(path);  // leaves nothing behind
    written = false;
    td::trace::start();
  }

  void write() {
    if (std::exchange(written, true)) return;
    const td::trace::Trace trace = td::trace::stop();
    const std::string file = path_of_rank(path, trace.rank);
    td::trace::write_chrome_json(trace, file);
    std::cout << "trace: " << trace.spans.size() << " spans in " << file;
    if (trace.dropped > 0) std::cout << " (there was no room for " << trace.dropped << " more)";
    std::cout << "; open it at https://ui.perfetto.dev\n" << std::flush;
  }

  /// For a process that ends with another error, or by exit(): prints its own error and returns.
  void write_anyway() noexcept {
    try {
      write();
    } catch (const std::exception& error) {
      std::cerr << "trace: " << error.what() << '\n';
    }
  }
};

TraceFile& trace_file() {
  static auto& file = *new TraceFile;
  return file;
}

}  // namespace

void run_with_trace(const std::string& path, const std::function<void()>& body) {
  if (path.empty()) return body();
  TraceFile& file = trace_file();
  file.open(path);
  std::atexit([] { trace_file().write_anyway(); });
  try {
    body();
  } catch (...) {
    file.write_anyway();
    throw;
  }
  file.write();
}

}  // namespace app

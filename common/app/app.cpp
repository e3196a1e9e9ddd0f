// Implements the shared options (`--mine`, `--trace FILE`, the choice of a device), Ctrl-C, the
// progress line on a terminal, and the exit code of each exception. Invariant: the device is always
// printed, because a silent fallback would look like a GPU.
#include "app/app.h"

#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <utility>

#include "os/file.h"
#include "td/base/error.h"
#include "td/exercise.h"
#include "trace/trace.h"

namespace app {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSwitched = "TD_MINE";

/// Replaces the process by the same program with the learner's exercises. The dynamic linker
/// searches LD_LIBRARY_PATH before the directory recorded in the program, and reads the variable
/// only when a process starts; therefore exec is needed. Returns if it already is that program.
/// @throws std::runtime_error when no exercise of the learner is built.
void switch_to_mine(const std::string& program, char** argv) {
  const fs::path self = fs::read_symlink("/proc/self/exe");
  const fs::path folder = self.parent_path().parent_path() / "exercises" / "mine";
  const std::string start = "lib" + program.substr(0, 4) + "_";  // of this chapter's libraries
  int count = 0;
  std::error_code missing;
  for (const auto& entry : fs::directory_iterator(folder, missing))
    count += entry.path().filename().string().starts_with(start);
  if (count == 0)
    throw std::runtime_error("none of your exercises is built; ./course run " +
                             std::to_string(std::atoi(program.substr(2, 2).c_str())) +
                             " --mine builds them and runs this program.");
  if (std::getenv(kSwitched)) {
    std::cout << "exercises: " << count << " of yours\n";
    return;
  }
  const char* before = std::getenv("LD_LIBRARY_PATH");
  const std::string path = before && *before ? folder.string() + ":" + before : folder.string();
  setenv("LD_LIBRARY_PATH", path.c_str(), 1);
  setenv(kSwitched, "1", 1);
  execv(self.c_str(), argv);
  throw std::runtime_error("cannot start " + self.string() + ": " + std::strerror(errno));
}

/// The trace of this process. Never destroyed, because a rank of spawn() ends with exit().
struct TraceFile {
  std::string path;
  bool written = true;

  /// @throws td::IoError when the file cannot be written.
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
    fs::path file(path);
    // Ranks of one job are started with the same FILE: "step.json" becomes "step.rank1.json".
    if (trace.rank >= 0)
      file.replace_extension(".rank" + std::to_string(trace.rank) + file.extension().string());
    td::trace::write_chrome_json(trace, file.string());
    std::cout << "trace: " << trace.spans.size() << " spans in " << file.string();
    if (trace.dropped > 0) std::cout << " (there was no room for " << trace.dropped << " more)";
    std::cout << "; open it at https://ui.perfetto.dev\n" << std::flush;
  }

  /// For a process that ends with another error or with exit(): prints its own error and returns.
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

/// Calls `body`. With a path, it records a trace meanwhile, writes it however the body ends, and
/// prints one line. A killed process writes nothing.
/// @throws td::IoError before the body begins when the file cannot be written, and its errors.
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

td::Device automatic() {
  if (td::device_count(td::kCUDA) > 0) {
    std::cout << "device: cuda:0 (" << td::device_name(td::Device(td::kCUDA, 0)) << ")\n";
    return td::Device(td::kCUDA, 0);
  }
  std::cout << "device: sim:0 (no GPU here; the software accelerator takes its place)\n";
  return td::check_device(td::Device(td::kSIM, 0));
}

/// @throws OptionError when a text does not name a device. Whether this machine has it is another
/// question: choose_device() answers it.
void check_names(const Options& options) {
  const auto check = [](const char* option, const std::string& text) {
    try {
      static_cast<void>(td::Device(text));
    } catch (const td::DeviceError& error) {
      throw OptionError(std::string(option) + ": " + error.what());
    }
  };
  if (options.device != "auto") check("--device", options.device);
  for (const auto& text : options.devices) check("--devices", text);
}

td::Device named(const std::string& text) {
  const td::Device device = td::check_device(td::Device(text));
  std::cout << "device: " << device << '\n';
  return device;
}

std::atomic<bool> stop{false};
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler may only touch such");

void on_interrupt(int) {
  stop = true;
  // A second Ctrl-C ends the process, because a step may hang.
  std::signal(SIGINT, SIG_DFL);
}

int complain(const std::string& message, int code) {
  // Flushed so that a log has the output before the error.
  std::cout << std::flush;
  std::cerr << message << '\n';
  return code;
}

}  // namespace

td::Device choose_device(const Options& options) {
  return options.device == "auto" ? automatic() : named(options.device);
}

std::vector<td::Device> choose_devices(const Options& options) {
  if (options.devices.empty()) return {choose_device(options)};
  std::vector<td::Device> devices;
  for (const auto& text : options.devices) devices.push_back(named(text));
  return devices;
}

std::vector<td::Device> choose_accelerators(int needed) {
  const int gpus = td::device_count(td::kCUDA);
  const td::DeviceType kind = gpus >= needed ? td::kCUDA : td::kSIM;
  std::vector<td::Device> devices;
  std::cout << "devices:";
  for (int i = 0; i < td::device_count(kind); ++i) {
    devices.emplace_back(kind, i);
    std::cout << ' ' << devices.back();
  }
  if (gpus > 0 && gpus < needed)
    std::cout << " (this machine has " << gpus << " GPU" << (gpus > 1 ? "s" : "") << ", and "
              << needed << " are needed; the software accelerator takes its place)";
  std::cout << '\n';
  return devices;
}

bool stop_requested() {
  static const auto installed = std::signal(SIGINT, on_interrupt);
  static_cast<void>(installed);
  return stop;
}

ProgressLine::ProgressLine() : terminal_(isatty(STDOUT_FILENO) == 1) {}

void ProgressLine::show(const std::string& text) {
  const auto now = std::chrono::steady_clock::now();
  if (!terminal_ || now - shown_at_ < std::chrono::milliseconds(100)) return;
  shown_at_ = now;
  const std::size_t before = width_;
  width_ = text.size();
  std::cout << '\r' << text << std::string(before > width_ ? before - width_ : 0, ' ')
            << std::flush;
}

void ProgressLine::clear() {
  if (width_ == 0) return;
  std::cout << '\r' << std::string(width_, ' ') << '\r' << std::flush;
  width_ = 0;
}

/// What was typed to start this program: course-tool tells it, "./course run 2".
static std::string typed_name(const std::string& name) {
  const char* typed = std::getenv("COURSE_TYPED");
  return typed && *typed ? typed : name;
}

Command::Command(std::string name, std::string summary)
    : OptionParser(typed_name(name), summary), name_(std::move(name)), typed_(typed_name(name_)) {
  option("--device", options.device, "auto, cpu, sim, sim:1, cuda, cuda:0 ...", "DEVICE");
  option("--trace", options.trace, "write what the devices did to this file", "FILE");
  flag("--mine", options.mine, "use your exercises instead of the course's own");
}

Command& Command::takes(const std::vector<std::string>& names) {
  for (const auto& name : names) {
    const std::string dashed = "--" + name;
    if (name == "devices")
      texts(dashed, options.devices, "several, with commas: sim:0,sim:1", "DEVICES");
    else if (name == "epochs")
      option(dashed, options.epochs, "passes over the data", 1);
    else if (name == "batch-size")
      option(dashed, options.batch_size, "samples per step", 1);
    else if (name == "seed")
      option(dashed, options.seed, "of all random numbers");
    else if (name == "data")
      option(dashed, options.data, "folder of the data files", "FOLDER");
    else
      throw std::logic_error("there is no shared option " + dashed);
  }
  return *this;
}

Command& Command::without_device(const std::string& why) {
  remove("--device").remove("--trace");
  // Not in --help: a user who passes a device to every program learns why this one has none.
  option("--device", options.device, "").hide("--device");
  why_no_device_ = why;
  return *this;
}

int Command::run(int argc, char** argv, const std::function<void(const Options&)>& body) {
  // Line-buffered, so that a reader of a pipe sees progress.
  setvbuf(stdout, nullptr, _IOLBF, 1 << 12);
  try {
    if (!parse(argc, argv)) return 0;
    if (!why_no_device_.empty() && options.device != "auto")
      throw CannotRunHere(typed_ + ": there is no --device here: " + why_no_device_);
    check_names(options);
    // Within the try, so that a missing library is reported like any other error.
    if (options.mine) switch_to_mine(name_, argv);
    run_with_trace(options.trace, [&] { body(options); });
    std::cout << std::flush;
    return 0;
  } catch (const OptionError& error) {
    return complain(typed_ + ": " + error.what(), 2);
  } catch (const Stopped& stop) {
    return complain(std::string("Stopped by Ctrl-C after ") + stop.what() + ".", 130);
  } catch (const CannotRunHere& error) {
    return complain(error.what(), 77);
  } catch (const td::NotDoneYet& stub) {
    return complain(std::string(stub.what()) + ". ./course check tells more.", 1);
  } catch (const std::exception& error) {
    return complain(typed_ + ": " + error.what(), 1);
  }
}

/// Instead of abort(): what main() of a short program does not catch.
[[noreturn]] static void end_with_message() {
  try {
    if (std::current_exception()) std::rethrow_exception(std::current_exception());
  } catch (const std::exception& error) {
    complain(typed_name("error") + ": " + error.what(), 1);
  } catch (...) {
  }
  std::_Exit(1);
}

/// Parses the command line and calls `body`. Ends the process after --help and after an error.
static void start_command(Command& command, int argc, char** argv,
                          const std::function<void(const Options&)>& body) {
  std::set_terminate(end_with_message);
  bool help = true;
  const int code = command.run(argc, argv, [&](const Options& options) {
    help = false;
    body(options);
  });
  if (help || code != 0) std::exit(code);
}

td::Device start(int argc, char** argv, const std::string& summary,
                 const std::function<td::Device(const Options&)>& choose) {
  const std::string name = fs::path(argv[0]).filename();
  Command command(name, summary);
  command.remove("--trace").remove("--mine");
  td::Device device("cpu");
  start_command(command, argc, argv, [&](const Options& options) { device = choose(options); });
  return device;
}

void start_without_device(int argc, char** argv, const std::string& summary, const std::string& why,
                          const std::function<void()>& body) {
  const std::string name = fs::path(argv[0]).filename();
  Command command(name, summary);
  command.without_device(why).remove("--mine");
  start_command(command, argc, argv, [&](const Options&) { body(); });
}

}  // namespace app

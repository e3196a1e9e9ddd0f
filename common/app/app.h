// What the chapters' programs share: options, the choice of a device, Ctrl-C, and a main that turns
// an error into one message and an exit code. Included by every chapters/*/main.cpp.
// Exit codes: 0 done, 1 an error with its message, 2 wrong usage, 70 host read of device memory
// (the sim's own report), 77 cannot run on this machine, 130 stopped by Ctrl-C.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "app/option_parser.h"
#include "td/device/device.h"

namespace app {

/// The options that all programs share. A program sets its own defaults before run().
struct Options {
  std::string device = "auto";       ///< `--device auto|cpu|sim[:i]|cuda[:i]`
  std::vector<std::string> devices;  ///< `--devices sim:0,sim:1`
  std::int64_t epochs = 1;           ///< `--epochs`
  std::int64_t batch_size = 32;      ///< `--batch-size`, samples per step
  std::uint64_t seed = 1;            ///< `--seed`
  std::string data;                  ///< `--data DIR`; empty: the program makes its own data
  std::string trace;                 ///< `--trace FILE`; empty: none is written
  bool mine = false;                 ///< `--mine`: the learner's exercises, not the course's own
};

/// Thrown to end a program that this machine cannot run; exit code 77.
struct CannotRunHere : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Thrown after Ctrl-C, once the current step is finished; exit code 130. The message says what was
/// done: "epoch 2, step 17".
struct Stopped : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// One program: its options and its main. Declare the program's own options as with any parser:
/// `command.option("--lr", lr, "learning rate")`. Each variable holds the default.
class Command : public OptionParser {
 public:
  /// @param name the target, "ch05_data_parallel".
  /// @param summary one sentence for `--help`.
  Command(std::string name, std::string summary);
  Command(const Command&) = delete;
  Command& operator=(const Command&) = delete;

  /// Defaults of this program; change them before run().
  Options options;

  /// Takes these shared options besides `--device`, `--trace` and `--mine`, which all programs
  /// take. An option that a program would ignore is rejected instead. @param names without dashes:
  /// {"epochs", "data"}.
  Command& takes(const std::vector<std::string>& names);
  /// For a program whose devices are not td's: `--trace` is rejected, and `--device` leads to exit
  /// code 77. @param why completes "there is no --device here: ".
  Command& without_device(const std::string& why);

  /// Parses, runs `body`, and returns the program's exit code. Errors become one message on stderr.
  int run(int argc, char** argv, const std::function<void(const Options&)>& body);

 private:
  std::string name_;
  std::string typed_;          // what messages call it: "./course run 5" where that started it
  std::string why_no_device_;  // empty: there is one
};

/// Returns the device that `--device` names. `auto` is cuda:0 where there is a GPU, else sim:0; one
/// line on stdout tells which it is. @throws td::DeviceError when the device does not exist.
td::Device choose_device(const Options& options);

/// The whole frame of a chapter's main program: takes `--device` and `--help`, prints the device
/// and returns it. An error that main() does not catch becomes its message and exit code 1.
/// @param summary one sentence for `--help`.
/// @param choose for a program of several ranks: device_of_rank (app/rank.h).
td::Device start(int argc, char** argv, const std::string& summary,
                 const std::function<td::Device(const Options&)>& choose = choose_device);
/// The same for a program that has no device of td: takes `--help` and calls `body`.
/// @param why as of Command::without_device.
void start_without_device(int argc, char** argv, const std::string& summary, const std::string& why,
                          const std::function<void()>& body);

/// The devices of `--devices`, or the one of `--device`. @throws td::DeviceError likewise.
std::vector<td::Device> choose_devices(const Options& options);

/// All GPUs where there are at least `needed` of them, else all sim devices; for `--device auto` of
/// a program that uses several devices. One line on stdout tells which they are, and whether there
/// are GPUs but too few.
std::vector<td::Device> choose_accelerators(int needed);

/// Whether Ctrl-C was pressed. After the first call Ctrl-C no longer ends the process: finish the
/// step, then `throw app::Stopped("epoch 2, step 17")`. A second Ctrl-C ends it immediately.
bool stop_requested();

/// A progress line on a terminal. Elsewhere it prints nothing, because a log needs plain lines.
class ProgressLine {
 public:
  ProgressLine();
  ~ProgressLine() { clear(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  /// Shows `text` instead of what was there, at most ten times a second.
  void show(const std::string& text);
  /// Removes the line, so that something can be printed.
  void clear();

 private:
  bool terminal_;
  std::size_t width_ = 0;
  std::chrono::steady_clock::time_point shown_at_;
};

}  // namespace app

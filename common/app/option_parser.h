// Options and words of a command line, and the messages about wrong ones. Used by the chapters'
// programs (app::Command) and by the tool (course::Syntax), so both use the same words.
// Invariant: CLI11 stays in option_parser.cpp, because it is slow to compile; and every message
// names the option, what was given, what is expected, and what to type.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace app {

/// An error in the words that were typed; exit code 2.
struct OptionError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Declares what a program takes, then parses. Each variable holds the default and gets the value.
/// `names` are as typed: "--seed", or "-n,--nproc-per-node".
class OptionParser {
 public:
  /// @param program what people type: "./course", "ch05_data_parallel".
  OptionParser(const std::string& program, const std::string& summary);

  /// Any text. @param type what stands for the value in help: "FILE".
  OptionParser& option(const std::string& names, std::string& value, const std::string& help,
                       const std::string& type = "TEXT");
  /// Several texts, with commas between them. @param allowed what each may be; empty: anything.
  OptionParser& texts(const std::string& names, std::vector<std::string>& value,
                      const std::string& help, const std::string& type = "TEXT,...",
                      const std::vector<std::string>& allowed = {});
  /// A decimal integer within bounds. A default outside them means that the option was left out.
  OptionParser& option(const std::string& names, std::int64_t& value, const std::string& help,
                       std::int64_t least = std::numeric_limits<std::int64_t>::min(),
                       std::int64_t most = std::numeric_limits<std::int64_t>::max());
  /// A decimal integer, 0 or more.
  OptionParser& option(const std::string& names, std::uint64_t& value, const std::string& help);
  /// A finite number, within bounds where there are two. A default outside them means that the
  /// option was left out.
  OptionParser& option(const std::string& names, double& value, const std::string& help,
                       double least = -std::numeric_limits<double>::infinity(),
                       double most = std::numeric_limits<double>::infinity());
  /// One of `allowed`, which the help lists.
  OptionParser& choice(const std::string& names, std::string& value,
                       const std::vector<std::string>& allowed, const std::string& help);
  /// True when the flag is given, also when it is given twice.
  OptionParser& flag(const std::string& names, bool& value, const std::string& help);
  /// A positional word, which may be left out.
  OptionParser& word(const std::string& name, std::string& value, const std::string& help);
  /// All words that are not options, in order.
  OptionParser& words(const std::string& name, std::vector<std::string>& value,
                      const std::string& help);
  /// Everything from the first word on that is not declared; with `help_too` also --help.
  OptionParser& rest(std::vector<std::string>& words, bool help_too);

  /// What follows the program's name in the help's line "Usage", instead of what is declared.
  OptionParser& usage(const std::string& words);
  /// Removes an option. @param name with dashes.
  OptionParser& remove(const std::string& name);
  /// Leaves an option out of the help.
  OptionParser& hide(const std::string& name);
  /// Adds a line to type, as the last line of the help.
  OptionParser& example(const std::string& line);

  /// A command of this program. Its parser must not outlive this one.
  OptionParser command(const std::string& name, const std::string& help);
  /// The command that was typed; empty before parse().
  std::string chosen() const;
  /// Names that are commands elsewhere: a mistyped word may have meant one of them.
  OptionParser& also_known(const std::vector<std::string>& commands);

  /// The text of a command's --help, no wider than `width` columns except for a longer word.
  std::string help_of(const std::string& command, std::size_t width) const;
  /// Sets the variables. @return false when help was requested; it has then been printed.
  /// @throws OptionError
  bool parse(int argc, char** argv);

 private:
  OptionParser(CLI::App* command, const OptionParser& parent);

  std::shared_ptr<CLI::App> owner_;  // null for a command
  CLI::App* app_;
  std::vector<std::string> also_known_;
  std::shared_ptr<std::map<const CLI::App*, std::string>> usages_;  // shared with the commands
};

/// The one of `candidates` that the mistyped `word` most likely means: few letters differ, or it
/// begins with `word`. Empty when none is near. Leading dashes do not count.
std::string nearest(const std::string& word, const std::vector<std::string>& candidates);

}  // namespace app

// A command of the tool: its name, its words, its work. Each has its own file and is in the list in
// main.cpp. Invariant: commands use the parser only through Syntax, so a command depends on its
// words alone.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "course.h"

namespace app {
class OptionParser;
}

namespace course {

/// The parts of the command line that concern all commands.
struct Session {
  fs::path root;
  fs::path build;
  std::vector<std::string> typed;  ///< The words after the command's name.

  /// Reads the course; only commands that need it pay for it. @throws std::runtime_error
  Course course() const { return load_course(root, build); }
};

/// Declares what a command takes. The variables hold the defaults and get the values.
class Syntax {
 public:
  explicit Syntax(app::OptionParser& parser) : parser_(parser) {}
  /// A positional word, which may be left out.
  Syntax& word(const char* name, std::string& value, const char* help);
  /// `-o,--output FILE`. @param type what stands for the value in help: "FILE".
  Syntax& option(const char* names, std::string& value, const char* help,
                 const char* type = "TEXT");
  /// `--level N`, an integer within bounds.
  Syntax& integer(const char* names, std::int64_t& value, const char* help, std::int64_t least,
                  std::int64_t most);
  /// `--all`
  Syntax& flag(const char* name, bool& value, const char* help);
  /// What follows the command's name in the first line of its help, instead of the usual.
  Syntax& usage(const char* words);
  /// The program to start and all that follows it; the tool's own options come before it.
  Syntax& program(std::vector<std::string>& words);
  /// Everything from the first word on that is not declared, also `--help`.
  Syntax& rest(std::vector<std::string>& words);

 private:
  app::OptionParser& parser_;
};

/// Thrown by work() of a command that takes --help as one of its words: prints the command's help.
struct HelpWanted {};

/// One command.
class Command {
 public:
  virtual ~Command() = default;
  virtual const char* name() const = 0;
  virtual const char* help() const = 0;
  /// A line to type, the last one of `--help`.
  virtual const char* example() const = 0;
  virtual void syntax(Syntax& syntax) = 0;
  /// Runs; returns the exit code. @throws UsageError (exit code 2), std::exception (exit code 1)
  virtual int work(const Session& session) = 0;
};

using Commands = std::vector<std::unique_ptr<Command>>;

/// Parses the command line, executes the chosen command and returns the exit code.
int run_command_line(int argc, char** argv, Session& session, const Commands& commands);

}  // namespace course

// What a command of the tool is: its name, the words it takes, its work. One file each, found by
// the list in main.cpp. Invariant: the parser stays behind Syntax, so a command depends on its
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

/// What the command line says about all commands.
struct Session {
  fs::path root;
  fs::path build;

  /// Reads the course; only commands that need it pay for it. @throws std::runtime_error
  Course course() const { return load_course(root, build); }
};

/// Declares what a command takes. The variables hold the defaults and get the values.
class Syntax {
 public:
  explicit Syntax(app::OptionParser& parser) : parser_(parser) {}
  /// A word by its place, which may be left out.
  Syntax& word(const char* name, std::string& value, const char* help);
  /// `-o,--output FILE`. @param type what stands for the value in help: "FILE".
  Syntax& option(const char* names, std::string& value, const char* help,
                 const char* type = "TEXT");
  /// `--level N`, an integer within bounds.
  Syntax& integer(const char* names, std::int64_t& value, const char* help, std::int64_t least,
                  std::int64_t most);
  /// `--all`
  Syntax& flag(const char* name, bool& value, const char* help);
  /// The program to start and all that follows it; our own options stand before it.
  Syntax& program(std::vector<std::string>& words);
  /// Everything after the first thing that is not declared, `--help` too.
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
  /// A line to type, the last of `--help`.
  virtual const char* example() const = 0;
  virtual void syntax(Syntax& syntax) = 0;
  /// Does it; returns the exit code. @throws UsageError (exit code 2), std::exception (exit code 1)
  virtual int work(const Session& session) = 0;
};

using Commands = std::vector<std::unique_ptr<Command>>;

/// Parses the command line, lets the chosen command work and returns the exit code.
int run_command_line(int argc, char** argv, Session& session, const Commands& commands);

}  // namespace course

// The command line of the tool, built on the parser that the chapters' programs also use.
#include <unistd.h>

#include <algorithm>
#include <iostream>

#include "app/option_parser.h"
#include "command.h"
#include "terminal.h"

namespace course {

Syntax& Syntax::word(const char* name, std::string& value, const char* help) {
  parser_.word(name, value, help);
  return *this;
}

Syntax& Syntax::option(const char* names, std::string& value, const char* help, const char* type) {
  parser_.option(names, value, help, type);
  return *this;
}

Syntax& Syntax::integer(const char* names, std::int64_t& value, const char* help,
                        std::int64_t least, std::int64_t most) {
  parser_.option(names, value, help, least, most);
  return *this;
}

Syntax& Syntax::flag(const char* name, bool& value, const char* help) {
  parser_.flag(name, value, help);
  return *this;
}

Syntax& Syntax::usage(const char* words) {
  parser_.usage(words);
  return *this;
}

Syntax& Syntax::rest(std::vector<std::string>& words) {
  parser_.rest(words, true);
  return *this;
}

Syntax& Syntax::program(std::vector<std::string>& words) {
  parser_.rest(words, false);
  return *this;
}

namespace {

bool is_exercise_command(const std::string& word) {
  for (const char* name : {"check", "debug", "hint", "watch", "solution", "reset", "prove"})
    if (word == name) return true;
  return false;
}

/// What "check 1 first_device" meant; empty for other command lines.
std::string in_one_word(const std::vector<std::string>& words) {
  for (std::size_t i = 0; i + 2 < words.size(); ++i)
    if (is_exercise_command(words[i]) &&
        words[i + 1].find_first_not_of("0123456789") == std::string::npos &&
        words[i + 2].find_first_of("-./0123456789") != 0)
      return "The number and the name are one word: ./course " + words[i] + " " + words[i + 1] +
             "." + words[i + 2];
  return "";
}

}  // namespace

int run_command_line(int argc, char** argv, Session& session, const Commands& commands) {
  app::OptionParser parser("./course", "todevice: what happens behind .to(device)");
  // The commands of tools/shell; ./course starts this program for all other words.
  parser.also_known({"docs", "doctor", "help", "setup", "test"});
  std::string root = session.root, build = session.build;
  parser.option("--root", root, "the course's folder", "FOLDER").hide("--root");
  parser.option("--build", build, "the build's folder", "FOLDER").hide("--build");
  for (const auto& command : commands) {
    app::OptionParser sub = parser.command(command->name(), command->help());
    sub.example(command->example());
    Syntax syntax(sub);
    command->syntax(syntax);
  }
  try {
    if (!parser.parse(argc, argv)) return 0;
  } catch (const app::OptionError& error) {
    const std::string meant = in_one_word({argv + 1, argv + argc});
    throw UsageError(meant.empty() ? error.what() : meant);
  }
  session.root = root;
  session.build = build;
  session.typed.assign(std::find(argv, argv + argc, parser.chosen()) + 1, argv + argc);
  for (const auto& command : commands)
    if (command->name() == parser.chosen()) try {
        return command->work(session);
      } catch (const HelpWanted&) {
        std::cout << parser.help_of(command->name(), terminal_of(STDOUT_FILENO).width);
        return 0;
      }
  throw std::logic_error("no command was chosen");
}

}  // namespace course

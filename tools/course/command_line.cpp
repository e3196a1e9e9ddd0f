// The command line by CLI11, and the words for what is wrong with it.
#include <CLI/CLI.hpp>
#include <functional>
#include <iostream>

#include "command.h"

namespace course {
namespace {

/// CLI11 says the same for no command and for an unknown one; a person wants to know which it was.
std::string explain(const CLI::ParseError& error, int argc, char** argv) {
  const bool no_command = dynamic_cast<const CLI::RequiredError*>(&error) != nullptr;
  const bool unknown = no_command && argc > 1 && argv[1][0] != '-';
  const std::string what =
      unknown ? "There is no command \"" + std::string(argv[1]) + "\"." : error.what();
  return what + "\n./course --help shows the commands.";
}

}  // namespace

Syntax& Syntax::word(const char* name, std::string& value, const char* help) {
  app_.add_option(name, value, help);
  return *this;
}

Syntax& Syntax::option(const char* names, std::string& value, const char* help) {
  app_.add_option(names, value, help);
  return *this;
}

Syntax& Syntax::flag(const char* name, bool& value, const char* help) {
  app_.add_flag(name, value, help);
  return *this;
}

Syntax& Syntax::rest(std::vector<std::string>& words) {
  app_.set_help_flag();
  return program(words);
}

Syntax& Syntax::program(std::vector<std::string>& words) {
  app_.prefix_command();
  app_.parse_complete_callback([this_app = &app_, &words] { words = this_app->remaining(); });
  return *this;
}

int run_command_line(int argc, char** argv, Session& session, const Commands& commands) {
  CLI::App app{"todevice: what happens behind .to(device)", "./course"};
  app.set_help_flag("-h,--help", "this text");
  app.require_subcommand(1);
  app.add_option("--root", session.root, "the course's folder")->group("");
  app.add_option("--build", session.build, "the build's folder")->group("");
  Command* chosen = nullptr;
  for (const auto& command : commands) {
    CLI::App* sub = app.add_subcommand(command->name(), command->help());
    sub->footer(std::string("Example: ") + command->example());
    Syntax syntax(*sub);
    command->syntax(syntax);
    sub->callback([&chosen, &command] { chosen = command.get(); });
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp& help) {
    return app.exit(help);
  } catch (const CLI::ParseError& error) {
    throw UsageError(explain(error, argc, argv));
  }
  return chosen->work(session);
}

}  // namespace course

// course-tool: the program behind ./course. It reads the command line, lets the chosen command work
// and turns what went wrong into one message and an exit code (1 error, 2 usage).
#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <iostream>

#include "commands.h"

namespace {

void add_commands(CLI::App& app, course::Session& session) {
  course::add_list(app, session);
  course::add_run(app, session);
  course::add_check(app, session);
  course::add_hint(app, session);
  course::add_reset(app, session);
  course::add_solution(app, session);
  course::add_prove(app, session);
  course::add_cut(app, session);
}

/// CLI11 says the same for no command and for an unknown one; a person wants to know which it was.
std::string explain(const CLI::ParseError& error, int argc, char** argv) {
  const bool no_command = dynamic_cast<const CLI::RequiredError*>(&error) != nullptr;
  const bool unknown = no_command && argc > 1 && argv[1][0] != '-';
  const std::string what =
      unknown ? "There is no command \"" + std::string(argv[1]) + "\"." : error.what();
  return what + "\n./course --help shows the commands.";
}

int usage_error(const std::string& message) {
  std::cerr << message << '\n';
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  setvbuf(stdout, nullptr, _IOLBF, 1 << 12);
  course::Session session;
  session.root = COURSE_ROOT;
  session.build = COURSE_BUILD;
  CLI::App app{"todevice: what happens behind .to(device)", "./course"};
  app.set_help_flag("-h,--help", "this text");
  app.require_subcommand(1);
  app.add_option("--root", session.root, "the course's folder")->group("");
  app.add_option("--build", session.build, "the build's folder")->group("");
  add_commands(app, session);
  try {
    app.parse(argc, argv);
    return session.work();
  } catch (const CLI::CallForHelp& help) {
    return app.exit(help);
  } catch (const CLI::ParseError& error) {
    return usage_error(explain(error, argc, argv));
  } catch (const course::UsageError& error) {
    return usage_error(error.what());
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
}

// course-tool: the program behind ./course. This file has the list of its commands, and turns
// errors into one message and an exit code (1 error, 2 usage).
// To add a command: write its file, declare its make_ function here, put it into the list.
#include <cstdio>
#include <exception>
#include <iostream>

#include "command.h"

namespace course {

std::unique_ptr<Command> make_list();
std::unique_ptr<Command> make_run();
std::unique_ptr<Command> make_launch();
std::unique_ptr<Command> make_check();
std::unique_ptr<Command> make_hint();
std::unique_ptr<Command> make_reset();
std::unique_ptr<Command> make_solution();
std::unique_ptr<Command> make_data();
std::unique_ptr<Command> make_prove();
std::unique_ptr<Command> make_cut();
std::unique_ptr<Command> make_new_exercise();
std::unique_ptr<Command> make_time();
std::unique_ptr<Command> make_watch();
std::unique_ptr<Command> make_debug();
std::unique_ptr<Command> make_cuda();

namespace {

Commands all_commands() {
  Commands commands;
  for (const auto make : {make_list, make_run, make_launch, make_check, make_hint, make_reset,
                          make_solution, make_watch, make_debug, make_cuda, make_time, make_data,
                          make_prove, make_cut, make_new_exercise})
    commands.push_back(make());
  return commands;
}

int complain(const std::exception& error, int exit_code) {
  std::cout << std::flush;
  std::cerr << error.what() << '\n';
  return exit_code;
}

}  // namespace
}  // namespace course

int main(int argc, char** argv) {
  // Whole lines at once, so that a log shows progress while long commands work.
  setvbuf(stdout, nullptr, _IOLBF, 1 << 12);
  course::Session session;
  session.root = COURSE_ROOT;
  session.build = COURSE_BUILD;
  try {
    return course::run_command_line(argc, argv, session, course::all_commands());
  } catch (const course::UsageError& error) {
    return course::complain(error, 2);
  } catch (const std::exception& error) {
    return course::complain(error, 1);
  }
}

// The commands of course-tool, one file each. main.cpp calls every add_ function once.
// To add a command: write its file, declare its add_ function here, call it in main.cpp.
#pragma once

#include <functional>
#include <string>

#include "course.h"

namespace CLI {
class App;
}

namespace course {

/// What the command line says about all commands, and the chosen command's work.
struct Session {
  fs::path root;
  fs::path build;
  std::function<int()> work;  ///< Set by the command that was chosen; returns the exit code.

  /// Reads the course; only commands that need it pay for it. @throws std::runtime_error
  Course course() const { return load_course(root, build); }
};

void add_list(CLI::App& app, Session& session);
void add_run(CLI::App& app, Session& session);
void add_check(CLI::App& app, Session& session);
void add_hint(CLI::App& app, Session& session);
void add_reset(CLI::App& app, Session& session);
void add_solution(CLI::App& app, Session& session);
void add_prove(CLI::App& app, Session& session);
void add_cut(CLI::App& app, Session& session);

}  // namespace course

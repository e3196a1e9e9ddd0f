// What Command::run does around a program's body: `--mine` and `--trace FILE`. Called by
// command.cpp only.
#pragma once

#include <functional>
#include <string>

namespace app {

/// Replaces the process by the same program with the learner's exercises, whose libraries the
/// dynamic linker then finds first. Returns when it is that program already.
/// @throws std::runtime_error when no exercise of the learner is built.
void switch_to_mine(const std::string& program, char** argv);

/// Calls `body`. With a path, records meanwhile and writes the trace however the body ends, and
/// prints one line; a killed process writes nothing.
/// @param path `--trace`; empty: nothing is recorded. A rank of a process group inserts its number:
/// "step.rank1.json".
/// @throws td::IoError before the body begins when the file cannot be written, and what it throws.
void run_with_trace(const std::string& path, const std::function<void()>& body);

}  // namespace app

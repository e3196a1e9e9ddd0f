// `--trace FILE`: records while a program's body works and writes what its devices did. Called by
// command.cpp. Invariant: the file is written however the body ends, a killed process apart.
#pragma once

#include <functional>
#include <string>

namespace app {

/// Calls `body`; with a file to write, records meanwhile. One line on stdout tells what came out.
/// @param path `--trace`; empty: nothing is recorded. A rank of a process group puts its number in
/// front of the ending: "step.rank1.json".
/// @throws td::IoError before the body begins when the file cannot be written, and what it throws.
void run_with_trace(const std::string& path, const std::function<void()>& body);

}  // namespace app

// Lends the terminal to another program, as a shell does. Used by watch_screen.cpp for the
// chapters' programs. Invariant: when it returns, the program has ended and the terminal belongs to
// this process again.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace course {

/// Runs a program in the foreground of the terminal: keys, Ctrl-C and Ctrl-Z are its own. Ctrl-Z
/// stops this process too, until `fg`.
/// @param is_ending is called after each signal; true ends the program.
/// @return its exit code, or 128 and the number of the signal that ended it.
/// @throws td::Error when it cannot be started.
int run_in_foreground(const std::vector<std::string>& words,
                      const std::function<bool()>& is_ending);

}  // namespace course

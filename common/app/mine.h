// `--mine`: the program starts itself again with the learner's libraries found first.
// Called by Command::run only.
#pragma once

#include <string>

namespace app {

/// Replaces the process by the same program with the learner's exercises, or returns when it is
/// that program already. @throws std::runtime_error when none of them is built.
void switch_to_mine(const std::string& program, char** argv);

}  // namespace app

// `./course watch` on a terminal. Used by watch.cpp.
#pragma once

#include "command.h"
#include "screen.h"

namespace course {

/// Watches until q, Ctrl-C or another signal ends it. @return the exit code: 0, 130 after Ctrl-C.
/// @param poll see WatchedFiles. @throws std::runtime_error when progress cannot be saved.
int watch_on_screen(const Session& session, const Course& course, const Exercise& first, bool poll,
                    std::unique_ptr<Screen> screen);

}  // namespace course

// Cuts the stub that a learner gets out of a solution. Used by `cut`, `reset`, `solution`, `prove`
// and the build. Invariant: the cut depends on the solution's text and name alone, so stubs cannot
// diverge from it.
#pragma once

#include <string>

namespace course {

/// The stub of a solution.
///
/// Marks in the solution, each on a line of its own:
///   - `// blank: <hint>` ... `// end` becomes `// Your code here: <hint>` and a `not_done_yet`
///   call;
///   - `// solution only` ... `// end` is left out;
///   - inside these two, a line `//= <code>` becomes that code: for exercises that are to be
///   repaired;
///   - a comment that starts with `//!` is left out, alone on its line or after code.
/// @param solution the text of the file.
/// @param exercise the exercise's name, which the stub reports.
/// @throws std::runtime_error naming the line when marks are missing, nested or not ended.
std::string cut(const std::string& solution, const std::string& exercise);

/// A solution for readers: without the marks, and without the code of `//=` lines, which belongs to
/// the stub. A line "// Your code here: ..." that `mine` has stays in its place, so that a
/// comparison with `mine` shows only code.
std::string without_marks(const std::string& solution, const std::string& mine);

}  // namespace course

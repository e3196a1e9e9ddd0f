// The texts that `new-exercise` edits: a template, chapters/course.toml, a chapter's README.
// Invariant: pure functions of texts; new_exercise.cpp alone reads and writes files.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "course.h"

namespace course {

/// Why `name` cannot be an exercise's name; empty when it can. A name is a C++ function, a file and
/// a test tag, so it has lower-case letters, digits and underscores, and is not a keyword.
std::string fault_of_name(const std::string& name);

/// Whether a header already declares this name: "name" as a whole word before "(".
bool declares(const std::string& header, const std::string& name);

/// `text` with the first string of each pair replaced by the second.
std::string filled(std::string text,
                   const std::vector<std::pair<std::string, std::string>>& values);

/// course.toml with `entry` as the last exercise of a chapter.
/// @throws std::runtime_error when the chapter's folder is not in it.
std::string with_entry(const std::string& toml, const Chapter& chapter, const std::string& entry);

/// A chapter's README with a row for `e` at the end of the table under "## Exercises".
/// @return empty when there is no such table.
std::string with_row(const std::string& readme, const Exercise& e);

}  // namespace course

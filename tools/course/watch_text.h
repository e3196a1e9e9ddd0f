// Makes text fit: cuts it, folds it and removes control characters. Used by watch_view.cpp.
// Invariant: a column is a code point of UTF-8.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace course {

/// At most `columns` columns of the text; a mark at its end shows that there is more.
std::string clipped(const std::string& text, std::size_t columns, bool utf8);

/// The end of a path, which is more informative than its beginning, with a mark before it.
std::string clipped_path(const std::string& path, std::size_t columns, bool utf8);

/// Lines of at most `columns` columns. A line keeps its indent where it is broken.
std::vector<std::string> fold(const std::string& text, std::size_t columns);

/// `text` without control characters, and in ASCII where there is no UTF-8.
std::string printable(const std::string& text, bool utf8);

}  // namespace course

// The tokens of preprocessed C++: enough to find the ends of expressions. Used by
// translate_cuda.cpp. Invariant: comments, strings, characters and raw strings are never mistaken
// for other tokens.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace course {

struct Token {
  enum class Kind { kName, kNumber, kText, kSymbol };  ///< kText: a string or a character
  Kind kind;
  std::string_view text;  ///< of a symbol: one character, or `<<<`, `::`, `->`
  std::size_t begin;      ///< in the whole text
  std::size_t end() const { return begin + text.size(); }
  bool is(std::string_view other) const { return text == other; }
};

/// A place in the file that the learner wrote, from the preprocessor's marks.
struct SourceLine {
  std::string file;
  int line = 0;
};

/// The tokens of the learner's files, without those of system headers.
std::vector<Token> tokens_of(std::string_view preprocessed);
/// The line that the preprocessor's marks give the character at `at`.
SourceLine line_of(std::string_view preprocessed, std::size_t at);

}  // namespace course

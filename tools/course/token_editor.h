// Text with its tokens, of which some are replaced: the base of the translator in
// translate_cuda.cpp. Invariant: replacements refer to the original text, and none overlaps
// another.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "cpp_tokens.h"

namespace course {

/// What the translator does not understand, with its file and line.
struct TranslationError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class TokenEditor {
 public:
  using Index = std::size_t;  ///< of a token

  explicit TokenEditor(std::string_view text) : text_(text), tokens_(tokens_of(text)) {}

  /// False past the end.
  bool is(Index i, std::string_view text) const {
    return i < tokens_.size() && tokens_[i].is(text);
  }
  bool is_name(Index i) const {
    return i < tokens_.size() && tokens_[i].kind == Token::Kind::kName;
  }
  /// The bracket that closes the one at `open`, or opens the one at `close`.
  /// @throws TranslationError where there is none
  ///@{
  Index close_of(Index open) const;
  Index open_of(Index close) const;
  ///@}
  /// The `<` of the template arguments that end with the `>` at `close`.
  /// @throws TranslationError
  Index angle_of(Index close) const;
  /// The text from one token to before another, in one line.
  std::string one_line(Index begin, Index end) const;
  /// @throws TranslationError, always, with the place of the token
  [[noreturn]] void fail(Index at, const std::string& why) const;

  /// Puts `text` in the place of the characters from `begin` to before `end`.
  void replace(std::size_t begin, std::size_t end, std::string text) {
    edits_.push_back({begin, end, std::move(text)});
  }
  /// The text with all replacements.
  std::string edited();

 protected:
  const std::string_view text_;
  const std::vector<Token> tokens_;

 private:
  struct Edit {
    std::size_t begin, end;
    std::string text;
  };
  std::vector<Edit> edits_;
};

}  // namespace course

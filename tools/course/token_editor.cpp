#include "token_editor.h"

#include <algorithm>

namespace course {

void TokenEditor::fail(Index at, const std::string& why) const {
  const SourceLine place = line_of(text_, tokens_[at].begin);
  throw TranslationError(place.file + ":" + std::to_string(place.line) + ": " + why);
}

TokenEditor::Index TokenEditor::close_of(Index open) const {
  int depth = 0;
  for (Index i = open; i < tokens_.size(); ++i) {
    const std::string_view text = tokens_[i].text;
    if (tokens_[i].kind != Token::Kind::kSymbol) continue;
    if (text == "(" || text == "[" || text == "{") ++depth;
    if (text == ")" || text == "]" || text == "}") --depth;
    if (depth == 0) return i;
  }
  fail(open, "this bracket has no end");
}

TokenEditor::Index TokenEditor::open_of(Index close) const {
  int depth = 0;
  for (Index i = close + 1; i-- > 0;) {
    const std::string_view text = tokens_[i].text;
    if (tokens_[i].kind != Token::Kind::kSymbol) continue;
    if (text == ")" || text == "]" || text == "}") ++depth;
    if (text == "(" || text == "[" || text == "{") --depth;
    if (depth == 0) return i;
  }
  fail(close, "this bracket has no beginning");
}

TokenEditor::Index TokenEditor::angle_of(Index close) const {
  int depth = 0;
  for (Index i = close + 1; i-- > 0;) {
    if (is(i, ")") || is(i, "]") || is(i, "}")) {
      i = open_of(i);
      continue;
    }
    if (is(i, ">")) ++depth;
    if (is(i, "<") && --depth == 0) return i;
    if (is(i, ";")) break;
  }
  fail(close, "these template arguments have no beginning");
}

std::string TokenEditor::one_line(Index begin, Index end) const {
  std::string text;
  for (Index i = begin; i < end; ++i) {
    if (i > begin && tokens_[i].begin > tokens_[i - 1].end()) text += ' ';
    text += tokens_[i].text;
  }
  return text;
}

std::string TokenEditor::edited() {
  // What is put in without replacing anything comes first.
  std::stable_sort(edits_.begin(), edits_.end(), [](const Edit& a, const Edit& b) {
    return a.begin != b.begin ? a.begin < b.begin : a.end < b.end;
  });
  std::string result;
  std::size_t at = 0;
  for (const Edit& edit : edits_) {
    result += text_.substr(at, edit.begin - at);
    result += edit.text;
    at = edit.end;
  }
  result += text_.substr(at);
  return result;
}

}  // namespace course

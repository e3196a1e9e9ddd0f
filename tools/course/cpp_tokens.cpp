// Reads tokens; cpp_tokens.h describes them. A mark of a line is `# 31 "vecadd.cu" 1 3`, where 3
// means a system header.
#include "cpp_tokens.h"

#include <cctype>
#include <charconv>

namespace course {
namespace {

bool is_name_character(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '$' || (c & 0x80);
}

struct Mark {
  int line = 0;
  std::string_view file;
  bool is_system = false;
};

/// The mark in this line of text; its line is 0 where it is none.
Mark mark_of(std::string_view text) {
  Mark mark;
  if (text.substr(0, 2) != "# ") return mark;
  text.remove_prefix(2);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), mark.line);
  const std::size_t open = text.find('"'), close = text.rfind('"');
  if (error != std::errc() || open == text.npos || close <= open) return Mark();
  mark.file = text.substr(open + 1, close - open - 1);
  mark.is_system = text.find(" 3", close) != text.npos;
  return mark;
}

std::string_view line_at(std::string_view text, std::size_t at) {
  return text.substr(at, text.find('\n', at) - at);
}

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  std::vector<Token> read() {
    while (at_ < text_.size()) {
      const bool begins_line = at_ == 0 || text_[at_ - 1] == '\n';
      if (begins_line && skip_line()) continue;
      if (std::isspace(static_cast<unsigned char>(text_[at_]))) {
        ++at_;
      } else {
        const Token::Kind kind = kind_here();
        const std::size_t begin = at_;
        at_ = end_of(kind);
        tokens_.push_back({kind, text_.substr(begin, at_ - begin), begin});
      }
    }
    return std::move(tokens_);
  }

 private:
  /// Lines of the preprocessor, and those of system headers.
  bool skip_line() {
    const std::string_view line = line_at(text_, at_);
    const std::size_t first = line.find_first_not_of(" \t");
    const bool is_directive = first != line.npos && line[first] == '#';
    if (const Mark mark = mark_of(line); mark.line > 0) is_system_ = mark.is_system;
    if (!is_directive && !is_system_) return false;
    at_ += line.size() + 1;
    return true;
  }

  Token::Kind kind_here() const {
    const char c = text_[at_], next = at_ + 1 < text_.size() ? text_[at_ + 1] : 0;
    if (std::isdigit(static_cast<unsigned char>(c)) ||
        (c == '.' && std::isdigit(static_cast<unsigned char>(next))))
      return Token::Kind::kNumber;
    if (c == '"' || c == '\'') return Token::Kind::kText;
    return is_name_character(c) ? prefix() : Token::Kind::kSymbol;
  }
  /// A name, or the prefix of a string as in u8R"(…)".
  Token::Kind prefix() const {
    for (const char* start : {"R\"", "L\"", "u\"", "U\"", "u8\"", "LR\"", "uR\"", "UR\"", "u8R\"",
                              "L'", "u'", "U'", "u8'"})
      if (text_.substr(at_).starts_with(start)) return Token::Kind::kText;
    return Token::Kind::kName;
  }

  std::size_t end_of(Token::Kind kind) const {
    std::size_t end = at_ + 1;
    switch (kind) {
      case Token::Kind::kName:
        while (end < text_.size() && is_name_character(text_[end])) ++end;
        return end;
      case Token::Kind::kNumber:
        return end_of_number();
      case Token::Kind::kText:
        return end_of_text();
      case Token::Kind::kSymbol:
        break;
    }
    for (const std::string_view symbol : {"<<<", "::", "->"})
      if (text_.substr(at_).starts_with(symbol)) return at_ + symbol.size();
    return end;
  }
  std::size_t end_of_number() const {
    std::size_t end = at_ + 1;
    for (; end < text_.size(); ++end) {
      const char c = text_[end], before = text_[end - 1];
      const bool is_exponent =
          (c == '+' || c == '-') && std::string_view("eEpP").find(before) != std::string_view::npos;
      const bool is_separator =
          c == '\'' && end + 1 < text_.size() && is_name_character(text_[end + 1]);
      if (!is_name_character(c) && c != '.' && !is_exponent && !is_separator) break;
    }
    return end;
  }
  std::size_t end_of_text() const {
    std::size_t open = at_;
    while (text_[open] != '"' && text_[open] != '\'') ++open;
    if (open > at_ && text_[open - 1] == 'R') {
      const std::size_t round = text_.find('(', open);
      const std::string close = ")" + std::string(text_.substr(open + 1, round - open - 1)) + "\"";
      const std::size_t end = text_.find(close, round);
      return end == text_.npos ? text_.size() : end + close.size();
    }
    std::size_t end = open + 1;
    while (end < text_.size() && text_[end] != text_[open]) end += text_[end] == '\\' ? 2 : 1;
    return std::min(end + 1, text_.size());
  }

  const std::string_view text_;
  std::size_t at_ = 0;
  bool is_system_ = false;
  std::vector<Token> tokens_;
};

}  // namespace

std::vector<Token> tokens_of(std::string_view preprocessed) { return Reader(preprocessed).read(); }

SourceLine line_of(std::string_view preprocessed, std::size_t at) {
  SourceLine place;
  for (std::size_t begin = 0; begin <= at && begin < preprocessed.size();) {
    const std::string_view line = line_at(preprocessed, begin);
    if (const Mark mark = mark_of(line); mark.line > 0)
      place = {std::string(mark.file), mark.line};
    else if (begin + line.size() < at)
      ++place.line;
    begin += line.size() + 1;
  }
  return place;
}

}  // namespace course

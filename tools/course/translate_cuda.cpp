// Finds launches and addresses of kernels among the tokens, and writes them in C++. The parts of a
// launch stay in their order, so that each keeps its line.
#include "translate_cuda.h"

#include <algorithm>
#include <set>

#include "ptx.h"
#include "token_editor.h"

namespace course {
namespace {

using Index = TokenEditor::Index;
constexpr Index kNone = ~Index{0};

class Translator : private TokenEditor {
 public:
  Translator(std::string_view text, Hooks hooks)
      : TokenEditor(text), device_has_hooks_(hooks == Hooks::kEverywhere || has_volatile()) {}

  std::string translate() {
    collect_kernels();
    for (Index i = 0; i < tokens_.size(); ++i) {
      if (tokens_[i].is("td_device") || tokens_[i].is("td_global")) device_function(i);
      if (tokens_[i].is("alignas")) alignment(i);
      if (tokens_[i].is("<<<")) launch(i);
      if (tokens_[i].is("(")) address(i);
      if (tokens_[i].is("reinterpret_cast")) address_by_name(i);
      if (tokens_[i].is("\"td_constant\"")) constant(i);
      if (tokens_[i].is("asm") || tokens_[i].is("__asm__")) ptx(i);
    }
    return edited();
  }

 private:
  /// Whether a kernel may wait for a variable that is volatile: the hook of such a read lets other
  /// threads run. `volatile signed char : 0` is in vector_types.h.
  bool has_volatile() const {
    for (Index i = 1; i < tokens_.size(); ++i)
      if (is(i, "volatile") && !is(i - 1, "asm") && !is(i - 1, "__asm__") &&
          !(is(i + 1, "signed") && is(i + 2, "char") && is(i + 3, ":")))
        return true;
    return false;
  }

  /// The names of kernels: what is before the parameters of a __global__ function.
  void collect_kernels() {
    for (Index i = 0; i < tokens_.size(); ++i) {
      if (!tokens_[i].is("td_global")) continue;  // as cuda_runtime.h defines __global__
      for (Index j = i + 1; j < tokens_.size() && !tokens_[j].is(";") && !tokens_[j].is("{"); ++j) {
        if (is(j, "(") && is_name(j - 1) && !tokens_[j - 1].is("__attribute__")) {
          kernels_.insert(tokens_[j - 1].text);
          break;
        }
        if (is(j, "(")) j = close_of(j);
      }
    }
  }

  bool is_keyword(Index i) const {
    for (const char* word : {"if", "while", "for", "switch", "return", "else", "do", "case"})
      if (is(i, word)) return true;
    return false;
  }
  /// Whether what follows the token may call it: it is no condition, for instance.
  bool ends_operand(Index i) const {
    if (is_name(i)) return !is_keyword(i);
    if (is(i, ")")) {
      const Index open = open_of(i);
      return open == 0 || !is_keyword(open - 1);
    }
    return is(i, "]") || is(i, ">");
  }

  /// The first token of the kernel's name, or of an expression for it, before the `<<<`.
  Index begin_of_kernel(Index launch) const {
    Index i = launch;
    for (;;) {
      if (i == 0) fail(launch, "<<< has no kernel before it");
      --i;
      if (is(i, ">")) i = angle_of(i) - 1;
      while (is(i, ")") || is(i, "]")) {
        const Index open = open_of(i);
        if (open == 0 || !ends_operand(open - 1)) return open;
        i = open - 1;
      }
      if (!is_name(i)) fail(launch, "<<< has no kernel before it");
      if (i > 0 && is(i - 1, "template")) --i;
      if (i == 0 || !(is(i - 1, "::") || is(i - 1, ".") || is(i - 1, "->"))) return i;
      --i;
      if (is(i, "::") && (i == 0 || !(is_name(i - 1) || is(i - 1, ">")) || is_keyword(i - 1)))
        return i;
    }
  }

  /// The first of the three `>` that end the configuration.
  Index end_of_config(Index launch) const {
    for (Index i = launch + 1; i + 3 < tokens_.size(); ++i) {
      if (is(i, "(") || is(i, "[") || is(i, "{")) i = close_of(i);
      if (is(i, ";")) break;
      if (is(i, ">") && is(i + 1, ">") && is(i + 2, ">") && is(i + 3, "(")) return i;
    }
    fail(launch, "<<< has no >>> with the arguments of the kernel after it");
  }

  static std::string quoted(const std::string& text) {
    std::string result = "\"";
    for (const char c : text) {
      if (c == '"' || c == '\\') result += '\\';
      result += c;
    }
    return result + '"';
  }

  void launch(Index at) {
    const Index begin = begin_of_kernel(at), close = end_of_config(at);
    const Index open = close + 3;
    const std::string kernel = one_line(begin, at);
    replace(tokens_[begin].begin, tokens_[begin].begin,
            "::td::cudart::launcher(" + quoted(kernel) +
                ", [=](auto td_k) -> decltype(::td::cudart::pointer<decltype(td_k)>(" + kernel +
                ")) { return " + kernel + "; }, [=](auto... td_a) { ");
    replace(tokens_[at].begin, tokens_[at].end(), "(td_a...); })(");
    replace(tokens_[close].begin, tokens_[close + 2].end(), ")");
    null_arguments(open);
  }

  /// NULL is a number for g++, which no template takes for a pointer.
  void null_arguments(Index open) {
    const Index close = close_of(open);
    for (Index i = open + 1; i < close; ++i) {
      if (is(i, "(") || is(i, "{") || is(i, "[")) i = close_of(i);
      if (is(i, "__null") && (is(i - 1, "(") || is(i - 1, ",")) &&
          (is(i + 1, ")") || is(i + 1, ",")))
        replace(tokens_[i].begin, tokens_[i].end(), "nullptr");
    }
  }

  /// `(void*)kernel` and `(const void*)kernel<int>`.
  void address(Index at) {
    Index i = at + 1;
    if (is(i, "const")) ++i;
    if (!is(i, "void") || !is(i + 1, "*") || !is(i + 2, ")")) return;
    i += 3;
    if (is(i, "&")) ++i;
    remember(at, i, end_of_name(i));
  }
  /// `reinterpret_cast<void*>(kernel)`
  void address_by_name(Index at) {
    Index i = at + 2;
    if (is(i, "const")) ++i;
    if (!is(i, "void") || !is(i + 1, "*") || !is(i + 2, ">") || !is(i + 3, "(")) return;
    i += 4;
    if (is(i, "&")) ++i;
    const Index end = end_of_name(i);
    if (end == kNone || !is(end, ")")) return;
    if (remember(at, i, end)) replace(tokens_[end].begin, tokens_[end].end(), "");
  }

  /// The token after a kernel's name with its template arguments; kNone where none begins.
  Index end_of_name(Index begin) const {
    Index i = begin;
    if (is(i, "::")) ++i;
    while (is_name(i) && is(i + 1, "::")) i += 2;
    if (!is_name(i) || !kernels_.count(tokens_[i].text)) return kNone;
    ++i;
    if (!is(i, "<")) return i;
    int depth = 0;
    for (; i < tokens_.size(); ++i) {
      if (is(i, "(")) i = close_of(i);
      if (is(i, "<")) ++depth;
      if (is(i, ">") && --depth == 0) return i + 1;
    }
    return kNone;
  }

  bool remember(Index cast, Index begin, Index end) {
    if (end == kNone) return false;
    const std::string kernel = one_line(begin, end);
    replace(tokens_[cast].begin, tokens_[begin].begin,
            "::td::cudart::remembered(" + quoted(kernel) + ", ");
    replace(tokens_[end - 1].end(), tokens_[end - 1].end(), ")");
    return true;
  }

  /// `__attribute__((td_device))`, where the program says __device__. nvcc takes it before the
  /// parameters of a lambda, and C++ takes an attribute after them.
  void device_function(Index name) {
    const std::string attribute = "no_sanitize(\"thread\")";
    const Index first = name - 3, last = name + 2;
    const bool is_lambda = name > 3 && is(first, "__attribute__") && is(first - 1, "]") &&
                           !is(open_of(first - 1) + 1, "[");
    if (is_lambda) replace(tokens_[first].begin, tokens_[last].end(), "");
    if (device_has_hooks_) return;
    if (!is_lambda) {
      replace(tokens_[name].begin, tokens_[name].end(), attribute);
      return;
    }
    if (!is(last + 1, "(")) return;
    const Index close = close_of(last + 1);
    if (is(close + 1, "mutable")) return;  // compilers disagree about the place; it keeps its hooks
    replace(tokens_[close].end(), tokens_[close].end(), " __attribute__((" + attribute + "))");
  }

  /// `__shared__ alignas(16) float tile[4]`: in C++, alignas comes before all other specifiers.
  void alignment(Index at) {
    Index begin = at;
    for (; begin > 0; --begin) {
      const Token& before = tokens_[begin - 1];
      if (before.is("struct") || before.is("class") || before.is("union")) return;
      if (before.is(")"))  // of another attribute
        begin = open_of(begin - 1) + 1;
      else if (before.kind == Token::Kind::kSymbol && !before.is("::"))
        break;
    }
    if (begin == at) return;
    const std::size_t end = tokens_[close_of(at + 1)].end();
    replace(tokens_[begin].begin, tokens_[begin].begin,
            std::string(text_.substr(tokens_[at].begin, end - tokens_[at].begin)) + ' ');
    replace(tokens_[at].begin, end, "");
  }

  /// `const __constant__ int n = 1;` is in read-only memory without the attribute.
  void constant(Index section) {
    const Index open = section - 5;  // __attribute__ ( ( section ( "td_constant" ) ) )
    if (section < 5 || !is(open, "__attribute__")) return;
    const Index end = close_of(open + 1) + 1;
    Index begin = open;
    while (begin > 0 && !is(begin - 1, ";") && !is(begin - 1, "}") && !is(begin - 1, "{")) --begin;
    bool is_const = false;
    for (Index i = begin; i < tokens_.size(); ++i) {
      if (is(i, "__attribute__") || is(i, "alignas")) i = close_of(i + 1) + 1;
      if (is(i, "const") || is(i, "constexpr")) is_const = true;
      if (is(i, "*")) is_const = false;
      if (is(i, ";") || is(i, "=") || is(i, "[") || is(i, "{") || is(i, "(")) break;
    }
    if (is_const) replace(tokens_[open].begin, tokens_[end - 1].end(), "");
  }

  /// A statement of one PTX instruction becomes a call, see ptx.h. Others stay as they are.
  void ptx(Index at) {
    Index i = at + 1;
    while (is(i, "volatile") || is(i, "__volatile__")) ++i;
    if (!is(i, "(")) return;
    const Index close = close_of(i);
    std::string instruction;
    while (++i < close && tokens_[i].text.starts_with('"'))
      instruction += tokens_[i].text.substr(1, tokens_[i].text.size() - 2);
    std::vector<std::string> operands;  // before the third colon: what follows is clobbered
    for (int colons = 0; i < close; ++i) {
      colons += is(i, ":") ? 1 : is(i, "::") ? 2 : 0;
      if (colons >= 3 || !is(i, "(")) continue;
      operands.push_back(one_line(i, close_of(i) + 1));
      i = close_of(i);
    }
    const std::string call = call_of_ptx(instruction, operands);
    if (call.empty()) return;
    const std::size_t begin = tokens_[at].begin, end = tokens_[close].end();
    const std::string_view old = text_.substr(begin, end - begin);
    const auto lines = static_cast<std::size_t>(std::count(old.begin(), old.end(), '\n'));
    replace(begin, end, call + std::string(lines, '\n'));
  }

  const bool device_has_hooks_;
  std::set<std::string_view> kernels_;
};

}  // namespace

std::string translate_cuda(std::string_view preprocessed, Hooks hooks) {
  return Translator(preprocessed, hooks).translate();
}

}  // namespace course

// The text of an asm statement is split into a name and its operands.
#include "ptx.h"

#include <algorithm>

namespace course {
namespace {

constexpr std::string_view kSpaces = " \t", kDigits = "0123456789";
constexpr const char* kNamespace = "::td::cudart::ptx::";

std::string_view trimmed(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(kSpaces), text.size()));
  return text.substr(0, text.find_last_not_of(kSpaces) + 1);
}

/// bfe.u32 is bfe_u32. Loads and stores are templates: ld.global.f32 is ld<f32>, and
/// ld.acquire.gpu.u32 is ld_ordered<u32>.
std::string function_of(std::string name) {
  if (name.starts_with("mov.")) name = "mov";
  std::string type;
  if (name.starts_with("ld.") || name.starts_with("st.")) {
    type = std::string("<") + kNamespace + name.substr(name.rfind('.') + 1) + ">";
    bool is_ordered = false;
    for (const char* order : {".acquire", ".release", ".relaxed", ".volatile"})
      is_ordered |= name.find(order) != name.npos;
    name = name.substr(0, 2) + (is_ordered ? "_ordered" : "");
  }
  std::replace_if(
      name.begin(), name.end(), [](char c) { return c == '.' || c == ':'; }, '_');
  return kNamespace + name + type;
}

/// `%1` is an operand of the statement, `[%1]` the memory there, and `%%laneid` a register, which
/// is a function. Empty where the operand does not exist.
std::string operand_of(std::string_view text, const std::vector<std::string>& operands) {
  if (text.starts_with('[') && text.ends_with(']')) text = trimmed(text.substr(1, text.size() - 2));
  const std::size_t percents = std::min(text.find_first_not_of('%'), text.size());
  const std::string name(text.substr(percents));
  if (percents == 0 || name.empty()) return name;
  if (name.find_first_not_of(kDigits) != name.npos) return kNamespace + name + "()";
  const std::size_t k = name.size() < 3 ? std::stoul(name) : operands.size();
  return k < operands.size() ? operands[k] : "";
}

}  // namespace

std::string call_of_ptx(std::string_view text, const std::vector<std::string>& operands) {
  text = trimmed(text);
  if (text.ends_with(';')) text = trimmed(text.substr(0, text.size() - 1));
  if (text == "trap") return "__trap()";
  const std::string_view name = text.substr(0, text.find_first_of(kSpaces));
  if (text.find_first_of(";{}\\") != text.npos || name.find('.') == name.npos ||
      name.starts_with('.'))
    return "";

  std::vector<std::string> values;
  for (std::string_view rest = trimmed(text.substr(name.size())); !rest.empty();) {
    const std::size_t comma = std::min(rest.find(','), rest.size());
    values.push_back(operand_of(trimmed(rest.substr(0, comma)), operands));
    if (values.back().empty()) return "";
    rest.remove_prefix(std::min(comma + 1, rest.size()));
  }
  const bool has_result = !values.empty() && !name.starts_with("st.");
  std::string call = has_result ? values[0] + " = " : "";
  call += function_of(std::string(name)) + "(";
  for (std::size_t k = has_result; k < values.size(); ++k)
    call += (k > has_result ? ", " : "") + values[k];
  return call + ")";
}

}  // namespace course

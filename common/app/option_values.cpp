// Reads the values of options.
#include "app/option_values.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <system_error>

#include "app/option_parser.h"

namespace app {
namespace {

/// "an integer from 1 to 9", without the bounds that the type itself has.
template <class Integer>
std::string integers(Integer least, Integer most) {
  using Limits = std::numeric_limits<Integer>;
  const bool above = least != Limits::min() || least == 0, below = most != Limits::max();
  if (above && below)
    return "an integer from " + std::to_string(least) + " to " + std::to_string(most);
  if (above) return "an integer of at least " + std::to_string(least);
  return below ? "an integer of at most " + std::to_string(most) : "an integer";
}

template <class Integer>
BadValue read_integer(const std::string& text, Integer& value, Integer least, Integer most) {
  Integer parsed = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, parsed);
  const std::string example = std::to_string(least);
  // An integer, but too large or too small: the bound says more than "an integer".
  if (stop == end && error == std::errc::result_out_of_range)
    return {text[0] == '-' ? "an integer of at least " + std::to_string(least)
                           : "an integer of at most " + std::to_string(most),
            example};
  if (stop != end || error != std::errc() || parsed < least || parsed > most)
    return {integers(least, most), example};
  value = parsed;
  return {};
}

}  // namespace

BadValue read_value(const std::string& text, std::int64_t& value, std::int64_t least,
                    std::int64_t most) {
  return read_integer(text, value, least, most);
}

BadValue read_value(const std::string& text, std::uint64_t& value) {
  return read_integer(text, value, std::uint64_t{0}, std::numeric_limits<std::uint64_t>::max());
}

BadValue read_value(const std::string& text, double& value, double least, double most) {
  double parsed = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, parsed);
  const bool bounded = std::isfinite(least) && std::isfinite(most);
  if (stop != end || error != std::errc() || !std::isfinite(parsed) || parsed < least ||
      parsed > most)
    return {bounded ? "a number from " + shortest(least) + " to " + shortest(most)
                    : std::string("a finite number"),
            bounded ? shortest(least) : ""};
  value = parsed;
  return {};
}

BadValue read_value(const std::string& text, std::string& value,
                    const std::vector<std::string>& allowed) {
  if (std::find(allowed.begin(), allowed.end(), text) == allowed.end()) {
    const std::string meant = nearest(text, allowed);
    return {"one of " + listed(allowed) + (meant.empty() ? "" : " (did you mean " + meant + "?)"),
            ""};
  }
  value = text;
  return {};
}

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

std::string listed(const std::vector<std::string>& items) {
  std::string text;
  for (const auto& item : items) text += (text.empty() ? "" : ", ") + item;
  return text;
}

std::string shortest(double value) {
  char text[32];
  return {text, std::to_chars(text, text + sizeof text, value).ptr};
}

std::string quoted(const std::string& given) {
  constexpr std::size_t kMost = 40;
  return '"' + (given.size() > kMost ? given.substr(0, kMost) + "..." : given) + '"';
}

}  // namespace app

// Finds the name that a mistyped word was meant to be. Used for options, choices and commands.
#include <algorithm>

#include "app/option_parser.h"

namespace app {
namespace {

std::string without_dashes(const std::string& name) {
  const auto first = name.find_first_not_of('-');
  return first == std::string::npos ? "" : name.substr(first);
}

/// How many letters must be inserted, left out, replaced or swapped with the next one.
std::size_t edits(const std::string& from, const std::string& to) {
  // least[i][j] is for the first i letters of `from` and the first j of `to`.
  std::vector least(from.size() + 1, std::vector<std::size_t>(to.size() + 1));
  for (std::size_t i = 0; i <= from.size(); ++i)
    for (std::size_t j = 0; j <= to.size(); ++j) {
      least[i][j] = i + j;
      if (i == 0 || j == 0) continue;
      const std::size_t replaced = least[i - 1][j - 1] + (from[i - 1] == to[j - 1] ? 0 : 1);
      least[i][j] = std::min({least[i - 1][j] + 1, least[i][j - 1] + 1, replaced});
      if (i > 1 && j > 1 && from[i - 1] == to[j - 2] && from[i - 2] == to[j - 1])
        least[i][j] = std::min(least[i][j], least[i - 2][j - 2] + 1);
    }
  return least[from.size()][to.size()];
}

}  // namespace

std::string nearest(const std::string& word, const std::vector<std::string>& candidates) {
  // A longer word would take long to compare, and is not a typing error.
  constexpr std::size_t kLongest = 64;
  const std::string typed = without_dashes(word);
  if (typed.size() < 2 || typed.size() > kLongest) return "";
  std::string best;
  // One letter in three may be wrong.
  std::size_t fewest = (typed.size() + 1) / 3 + 1;
  for (const auto& candidate : candidates) {
    const std::string name = without_dashes(candidate);
    // The beginning of a name is nearer than any other word except the name itself.
    const std::size_t found = name.compare(0, typed.size(), typed) == 0 ? 0 : edits(typed, name);
    if (found < fewest) {
      fewest = found;
      best = candidate;
    }
  }
  return best;
}

}  // namespace app

// Lengths in front, so that no text needs an escape.
#include "distributed/rendezvous/text_list.h"

#include <charconv>

#include "td/base/error.h"

namespace td::distributed {

std::string join_texts(const std::vector<std::string>& texts) {
  std::string joined;
  for (const std::string& text : texts) joined += std::to_string(text.size()) + ':' + text;
  return joined;
}

std::vector<std::string> split_texts(const std::string& joined, int count) {
  const char *at = joined.data(), *const end = at + joined.size();
  std::vector<std::string> texts;
  bool good = true;
  while (good && at < end) {
    std::size_t length = 0;
    const auto read = std::from_chars(at, end, length);
    good = read.ec == std::errc() && read.ptr < end && *read.ptr == ':' &&
           length < static_cast<std::size_t>(end - read.ptr);
    if (!good) break;
    texts.emplace_back(read.ptr + 1, length);
    at = read.ptr + 1 + length;
  }
  if (count >= 0) good = good && texts.size() == static_cast<std::size_t>(count);
  TD_CHECK(
      Error, good,
      "a rank sends what this program does not understand: do all ranks run the same version?");
  return texts;
}

}  // namespace td::distributed

// The texts.
#include "distributed/mismatch.h"

#include <sstream>

namespace td::distributed {

std::string mismatch(const std::vector<CollectiveKey>& calls) {
  bool same = true;
  for (const CollectiveKey& call : calls) same = same && call == calls[0];
  if (same) return {};
  std::ostringstream text;
  text << "the ranks do not make the same call: ";
  for (std::size_t r = 0; r < calls.size(); ++r)
    text << (r ? ", rank " : "rank ") << r << " makes " << describe(calls[r]);
  text << ". All ranks must call the same collectives in the same order, with as many elements of "
          "the same type";
  return text.str();
}

std::string left_while_waiting(int gone, int waiting, const CollectiveKey& key) {
  std::ostringstream text;
  text << "rank " << gone << " has left the group while rank " << waiting << " is in "
       << describe(key)
       << ". All ranks must make as many calls: has one of them fewer batches, or an error?";
  return text.str();
}

std::string did_not_come(const std::string& missing, const CollectiveKey& key,
                         std::chrono::milliseconds timeout) {
  return missing + " did not come to " + describe(key) + " within " + in_words(timeout);
}

std::string in_words(std::chrono::milliseconds time) {
  const auto count = time.count();
  return count % 1000 ? std::to_string(count) + " ms" : std::to_string(count / 1000) + " s";
}

std::string unequal_parcel(int from, const CollectiveKey& sent, int to,
                           const CollectiveKey& taken) {
  std::ostringstream text;
  text << "rank " << from << " makes " << describe(sent) << ", but rank " << to << " makes "
       << describe(taken) << "; both need "
       << (sent.tag == taken.tag ? "as many elements of the same type" : "the same tag");
  return text.str();
}

}  // namespace td::distributed

// Names and error messages.
#include "distributed/collective.h"

#include <algorithm>
#include <sstream>

namespace td::distributed {

bool GroupFailure::set(const std::string& why) {
  std::lock_guard lock(mutex_);
  if (happened_) return false;
  why_ = why;
  return happened_ = true;
}

const char* reduce_name(ReduceOp op) {
  static constexpr const char* kNames[] = {"sum", "avg", "product", "min", "max"};
  return kNames[static_cast<int>(op)];
}

const char* collective_name(CollectiveType type) {
  static constexpr const char* kNames[] = {"broadcast",      "all_reduce", "reduce", "all_gather",
                                           "reduce_scatter", "barrier",    "send",   "recv"};
  return kNames[static_cast<int>(type)];
}

std::string describe(const CollectiveFingerprint& key) {
  using Type = CollectiveType;
  std::ostringstream text;
  text << collective_name(key.type);
  if (key.sequence) text << " #" << key.sequence;
  if (key.type == Type::kBarrier) return text.str();
  text << " (";
  if (key.type == Type::kAllReduce || key.type == Type::kReduce || key.type == Type::kReduceScatter)
    text << reduce_name(key.reduce) << ", ";
  if (key.type == Type::kBroadcast || key.type == Type::kReceive)
    text << "from rank " << key.peer << ", ";
  if (key.type == Type::kReduce || key.type == Type::kSend) text << "to rank " << key.peer << ", ";
  text << key.numel << " x " << dtype_name(key.dtype);
  if (key.tag) text << ", tag " << key.tag;
  text << ')';
  return text.str();
}

std::string mismatch(const std::vector<CollectiveFingerprint>& calls) {
  const auto is_first = [&](const CollectiveFingerprint& call) { return call == calls[0]; };
  if (std::all_of(calls.begin(), calls.end(), is_first)) return {};
  std::ostringstream text;
  text << "the ranks do not make the same call: ";
  for (std::size_t r = 0; r < calls.size(); ++r)
    text << (r ? ", rank " : "rank ") << r << " makes " << describe(calls[r]);
  text << ". All ranks must call the same collectives in the same order, with as many elements of "
          "the same type";
  return text.str();
}

std::string in_words(std::chrono::milliseconds time) {
  const auto count = time.count();
  return count % 1000 ? std::to_string(count) + " ms" : std::to_string(count / 1000) + " s";
}

std::string p2p_mismatch(int from, const CollectiveFingerprint& sent, int to,
                         const CollectiveFingerprint& taken) {
  std::ostringstream text;
  text << "rank " << from << " makes " << describe(sent) << ", but rank " << to << " makes "
       << describe(taken) << "; both need "
       << (sent.tag == taken.tag ? "as many elements of the same type" : "the same tag");
  return text.str();
}

}  // namespace td::distributed

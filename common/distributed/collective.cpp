// Names of collectives, for messages.
#include "distributed/collective.h"

#include <sstream>

namespace td::distributed {

const char* reduce_name(ReduceOp op) {
  switch (op) {
    case ReduceOp::SUM:
      return "sum";
    case ReduceOp::AVG:
      return "avg";
    case ReduceOp::PRODUCT:
      return "product";
    case ReduceOp::MIN:
      return "min";
    case ReduceOp::MAX:
      break;
  }
  return "max";
}

const char* collective_name(CollectiveType type) {
  switch (type) {
    case CollectiveType::kBroadcast:
      return "broadcast";
    case CollectiveType::kAllReduce:
      return "all_reduce";
    case CollectiveType::kReduce:
      return "reduce";
    case CollectiveType::kAllGather:
      return "all_gather";
    case CollectiveType::kReduceScatter:
      return "reduce_scatter";
    case CollectiveType::kBarrier:
      return "barrier";
    case CollectiveType::kSend:
      return "send";
    case CollectiveType::kReceive:
      break;
  }
  return "recv";
}

std::string describe(const CollectiveKey& key) {
  using Type = CollectiveType;
  std::ostringstream text;
  text << collective_name(key.type);
  if (key.sequence) text << " #" << key.sequence;
  if (key.type == Type::kBarrier) return text.str();
  text << " (";
  if (key.type == Type::kAllReduce || key.type == Type::kReduce || key.type == Type::kReduceScatter)
    text << reduce_name(key.reduce) << ", ";
  if (key.type == Type::kBroadcast) text << "from rank " << key.peer << ", ";
  if (key.type == Type::kReduce || key.type == Type::kSend) text << "to rank " << key.peer << ", ";
  if (key.type == Type::kReceive) text << "from rank " << key.peer << ", ";
  text << key.numel << " x " << dtype_name(key.dtype);
  if (key.tag) text << ", tag " << key.tag;
  text << ')';
  return text.str();
}

}  // namespace td::distributed

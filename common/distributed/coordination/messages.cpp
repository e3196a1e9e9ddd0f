// Messages are JSON in its binary form MessagePack, where strings may hold any bytes.
#include "distributed/coordination/messages.h"

#include <cstring>
#include <nlohmann/json.hpp>

namespace td::distributed {

using Json = nlohmann::json;

// A heartbeat is sent as it is stored in memory, because the data itself is not converted either.
void to_json(Json& json, const Heartbeat& heartbeat) {
  json = std::string(reinterpret_cast<const char*>(&heartbeat), sizeof heartbeat);
}

void from_json(const Json& json, Heartbeat& heartbeat) {
  const auto& bytes = json.get_ref<const std::string&>();
  TD_CHECK(Error, bytes.size() == sizeof heartbeat,
           "a rank tells its state in a form that this program does not know: do all ranks run the "
           "same version?");
  std::memcpy(static_cast<void*>(&heartbeat), bytes.data(), sizeof heartbeat);
}

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(HostInfo, hostname, boot_id, network_namespace, pid, address)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Card, rank, world_size, host, run, port, error)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(RollCall, error, hosts)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(RankState, heartbeat, error, transport_error, leaving, exchanges,
                                   text)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(GroupState, failure, may_leave, exchanges, texts)

template <class Message>
std::string encode(const Message& message) {
  std::string bytes;
  Json::to_msgpack(message, bytes);
  return bytes;
}

template <class Message>
Message decode(const std::string& bytes) {
  try {
    return Json::from_msgpack(bytes).get<Message>();
  } catch (const Json::exception&) {
    fail<Error>(
        "a rank sends what this program does not understand: do all ranks run the same version?");
  }
}

template std::string encode(const Card&);
template Card decode(const std::string&);
template std::string encode(const RollCall&);
template RollCall decode(const std::string&);
template std::string encode(const RankState&);
template RankState decode(const std::string&);
template std::string encode(const GroupState&);
template GroupState decode(const std::string&);

}  // namespace td::distributed

// Notes on a Redis server, for ranks on several hosts. open_store calls it for redis: urls.
#pragma once

#include "distributed/rendezvous/store.h"

namespace td::distributed {

/// "redis://host", "redis://host:port" or, so that several programs may share a server,
/// "redis://host:port/name".
/// @throws Error when nobody answers there, or in a build without hiredis.
std::unique_ptr<Store> open_redis_store(const std::string& url);

}  // namespace td::distributed

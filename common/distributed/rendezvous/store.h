// Where rank 0 stores its card for ranks that are not connected yet: a directory, a Redis server,
// or the launcher's own store (PMIx). Only the rendezvous uses it. A new store is one new class.
// Invariant: a value is written atomically.
#pragma once

#include <memory>
#include <optional>
#include <string>

namespace td::distributed {

/// Keys and values. Keys consist of letters, digits, '.', '_' and '-'. Rank 0 alone sets them.
class Store {
 public:
  virtual ~Store() = default;
  /// Sets a value, replacing an earlier one.
  virtual void set(const std::string& key, const std::string& value) = 0;
  /// The value, or nothing if there is none. Does not block.
  virtual std::optional<std::string> get(const std::string& key) = 0;
  /// Deletes a key, if it exists.
  virtual void delete_key(const std::string& key) = 0;
  /// For messages: "the folder /shared/run".
  virtual std::string describe() const = 0;
};

/// The store that a url names:
/// "file:///folder", a directory that all ranks can write to, on one host or a network file system;
/// "redis://host", "redis://host:port" or, so that several programs may share a server,
/// "redis://host:port/name";
/// "pmix:", the store that mpirun and srun keep for their processes.
/// @throws Error for another url, or a store that cannot be used, with the next step.
std::unique_ptr<Store> open_store(const std::string& url);

/// The store of a "redis:" url. @throws Error in a build without hiredis (redis_store.cpp).
std::unique_ptr<Store> open_redis_store(const std::string& url);

}  // namespace td::distributed

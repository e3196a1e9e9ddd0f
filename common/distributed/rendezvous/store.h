// Where ranks leave values for each other before they are connected: a directory, a Redis server,
// or the launcher's own store (PMIx). Only the rendezvous uses it, so a new store is one such
// class. Invariant: a value is written atomically.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>

namespace td::distributed {

/// Keys and values. Keys consist of letters, digits, '.', '_' and '-'. A key that a rank other than
/// 0 sets ends with that rank's number.
class Store {
 public:
  virtual ~Store() = default;
  /// Sets a value, replacing an earlier one.
  virtual void set(const std::string& key, const std::string& value) = 0;
  /// Sets a value unless there is one; returns false if there was.
  virtual bool set_if_absent(const std::string& key, const std::string& value) = 0;
  /// The value, or nothing if there is none. Does not block.
  virtual std::optional<std::string> get(const std::string& key) = 0;
  /// Deletes a key, if it exists.
  virtual void delete_key(const std::string& key) = 0;
  /// For messages: "the folder /shared/run".
  virtual std::string describe() const = 0;
};

/// Values in the memory of this process, for ranks that are threads. Thread-safe.
class HashStore final : public Store {
 public:
  void set(const std::string& key, const std::string& value) override;
  bool set_if_absent(const std::string& key, const std::string& value) override;
  std::optional<std::string> get(const std::string& key) override;
  void delete_key(const std::string& key) override;
  std::string describe() const override { return "this process"; }

 private:
  std::mutex mutex_;
  std::unordered_map<std::string, std::string> values_;
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

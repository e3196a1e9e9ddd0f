// Where ranks leave notes for each other before they are connected: a folder, a Redis server, or
// the launcher's own store (PMIx). The rendezvous and gloo's first handshake use it. Invariant: a
// note appears whole or not at all.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>

namespace td::distributed {

/// Notes by name. Names consist of letters, digits, '.', '_' and '-'; a note that a rank other than
/// 0 leaves has a name that ends with that rank's number.
class Store {
 public:
  virtual ~Store() = default;
  /// Leaves a note, in place of one that is there.
  virtual void set(const std::string& name, const std::string& note) = 0;
  /// Leaves a note unless there is one; false when there was.
  virtual bool add(const std::string& name, const std::string& note) = 0;
  /// The note, or nothing while there is none. Does not wait for it.
  virtual std::optional<std::string> get(const std::string& name) = 0;
  /// Takes a note away, if there is one.
  virtual void remove(const std::string& name) = 0;
  /// For messages: "the folder /shared/run".
  virtual std::string describe() const = 0;
};

/// Notes in the memory of this process, for ranks that are threads.
class MemoryStore final : public Store {
 public:
  void set(const std::string& name, const std::string& note) override;
  bool add(const std::string& name, const std::string& note) override;
  std::optional<std::string> get(const std::string& name) override;
  void remove(const std::string& name) override;
  std::string describe() const override { return "this process"; }

 private:
  std::mutex mutex_;
  std::unordered_map<std::string, std::string> notes_;
};

/// The store that a url names: "file:///folder", "redis://host:port" or "pmix:".
/// @throws Error for a url that is none of these, or a place that cannot be used, with the next
/// step.
std::unique_ptr<Store> open_store(const std::string& url);

}  // namespace td::distributed

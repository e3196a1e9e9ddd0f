// Notes in memory, and the choice of a store by its url.
#include "distributed/rendezvous/store.h"

#include "td/base/error.h"
#include "distributed/rendezvous/file_store.h"
#include "distributed/rendezvous/pmix_library.h"
#include "distributed/rendezvous/redis_store.h"

namespace td::distributed {

void MemoryStore::set(const std::string& name, const std::string& note) {
  std::lock_guard lock(mutex_);
  notes_[name] = note;
}

bool MemoryStore::add(const std::string& name, const std::string& note) {
  std::lock_guard lock(mutex_);
  return notes_.emplace(name, note).second;
}

std::optional<std::string> MemoryStore::get(const std::string& name) {
  std::lock_guard lock(mutex_);
  const auto found = notes_.find(name);
  if (found == notes_.end()) return std::nullopt;
  return found->second;
}

void MemoryStore::remove(const std::string& name) {
  std::lock_guard lock(mutex_);
  notes_.erase(name);
}

std::unique_ptr<Store> open_store(const std::string& url) {
  if (url.rfind("file://", 0) == 0) return std::make_unique<FileStore>(url.substr(7));
  if (url.rfind("redis://", 0) == 0) return open_redis_store(url);
  if (url == "pmix:") return open_pmix_store();
  fail<Error>("init_process_group: \"", url,
              "\" is no place to meet; expected \"file:///folder\", \"redis://host:port\", "
              "\"pmix:\" under mpirun or srun, or \"env:\" for what the launcher says");
}

}  // namespace td::distributed

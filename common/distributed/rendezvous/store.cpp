// Values in memory and in files, and the choice of a store by its url.
#include "distributed/rendezvous/store.h"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "td/base/error.h"
#include "td/base/file.h"
#include "td/base/own_library.h"

namespace td::distributed {
namespace {

[[noreturn]] void refuse(const std::string& folder, const std::string& reason) {
  fail<Error>("init_process_group: the ranks cannot meet in the folder ", folder, ": ", reason,
              "; give a folder that all ranks can write to, as file:///folder");
}

// One file per value. A value is written under a temporary name, then renamed or linked, so that no
// rank reads a part of it.
class FileStore final : public Store {
 public:
  explicit FileStore(const std::string& folder);
  void set(const std::string& key, const std::string& value) override;
  bool set_if_absent(const std::string& key, const std::string& value) override;
  std::optional<std::string> get(const std::string& key) override;
  void delete_key(const std::string& key) override;
  std::string describe() const override { return "the folder " + folder_; }

 private:
  std::string write_draft(const std::string& value);

  const std::string folder_;
};

FileStore::FileStore(const std::string& folder) : folder_(folder) {
  if (folder.empty() || folder[0] != '/')
    refuse("\"" + folder + "\"", "its path does not begin with a slash");
  try {
    make_folder(folder);
  } catch (const IoError& e) {
    refuse(folder, e.what());
  }
  ::unlink(write_draft("").c_str());
}

// A file that holds the value, under a name that no other process uses.
std::string FileStore::write_draft(const std::string& value) {
  static std::atomic<int> count{0};
  const std::string path =
      folder_ + "/.draft-" + std::to_string(getpid()) + "-" + std::to_string(count++) + "-XXXXXX";
  std::string draft = path;
  const int file = ::mkostemp(draft.data(), O_CLOEXEC);
  if (file < 0) refuse(folder_, std::strerror(errno));
  const bool whole =
      ::write(file, value.data(), value.size()) == static_cast<ssize_t>(value.size());
  ::close(file);
  if (!whole) {
    ::unlink(draft.c_str());
    refuse(folder_, "a file could not be written whole; is the disk full?");
  }
  return draft;
}

void FileStore::set(const std::string& key, const std::string& value) {
  const std::string draft = write_draft(value);
  if (std::rename(draft.c_str(), (folder_ + '/' + key).c_str()) != 0)
    refuse(folder_, std::strerror(errno));
}

bool FileStore::set_if_absent(const std::string& key, const std::string& value) {
  const std::string draft = write_draft(value);
  const int linked = ::link(draft.c_str(), (folder_ + '/' + key).c_str());
  const int error = errno;
  ::unlink(draft.c_str());
  if (linked != 0 && error != EEXIST) refuse(folder_, std::strerror(error));
  return linked == 0;
}

std::optional<std::string> FileStore::get(const std::string& key) {
  const std::string path = folder_ + '/' + key;
  if (!file_exists(path)) return std::nullopt;
  try {
    const Bytes bytes = read_file(path);
    return std::string(bytes.begin(), bytes.end());
  } catch (const IoError&) {
    return std::nullopt;  // it was removed in this moment
  }
}

void FileStore::delete_key(const std::string& key) { ::unlink((folder_ + '/' + key).c_str()); }

// libtd_pmix.so alone links PMIx (pmix/pmix_store.cpp), so that programs without it start fast.
std::unique_ptr<Store> open_pmix_store() {
  std::string reason;
  void* const factory = own_library_function("libtd_pmix.so", "td_pmix_store", reason);
  TD_CHECK(Error, factory, "init_process_group: pmix: cannot be used: ", reason,
           "; install libpmix-dev (Debian), then configure and build again. file: and redis: need "
           "no PMIx");
  return std::unique_ptr<Store>(reinterpret_cast<Store* (*)()>(factory)());
}

}  // namespace

void HashStore::set(const std::string& key, const std::string& value) {
  std::lock_guard lock(mutex_);
  values_[key] = value;
}

bool HashStore::set_if_absent(const std::string& key, const std::string& value) {
  std::lock_guard lock(mutex_);
  return values_.emplace(key, value).second;
}

std::optional<std::string> HashStore::get(const std::string& key) {
  std::lock_guard lock(mutex_);
  const auto found = values_.find(key);
  if (found == values_.end()) return std::nullopt;
  return found->second;
}

void HashStore::delete_key(const std::string& key) {
  std::lock_guard lock(mutex_);
  values_.erase(key);
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

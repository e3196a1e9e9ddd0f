// Values in files, and the choice of a store by its url.
#include "distributed/rendezvous/store.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "file/file.h"
#include "td/base/error.h"
#include "td/base/own_library.h"

namespace td::distributed {
namespace {

// One file per value.
class FileStore final : public Store {
 public:
  explicit FileStore(const std::string& folder) : folder_(folder) {
    if (folder.empty() || folder[0] != '/')
      refuse("\"" + folder + "\"", "its path does not begin with a slash");
    try {
      make_folder(folder);
    } catch (const IoError& e) {
      refuse(folder, e.what());
    }
    ::unlink(write_draft("").c_str());
  }

  // Written under a temporary name, then renamed, so that no rank reads a part of it.
  void set(const std::string& key, const std::string& value) override {
    if (std::rename(write_draft(value).c_str(), path_of(key).c_str()) != 0)
      refuse(folder_, std::strerror(errno));
  }
  std::optional<std::string> get(const std::string& key) override {
    if (!file_exists(path_of(key))) return std::nullopt;
    try {
      const Bytes bytes = read_file(path_of(key));
      return std::string(bytes.begin(), bytes.end());
    } catch (const IoError&) {
      return std::nullopt;  // it was removed in this moment
    }
  }
  void delete_key(const std::string& key) override { ::unlink(path_of(key).c_str()); }
  std::string describe() const override { return "the folder " + folder_; }

 private:
  [[noreturn]] static void refuse(const std::string& folder, const std::string& reason) {
    fail<Error>("init_process_group: the ranks cannot meet in the folder ", folder, ": ", reason,
                "; give a folder that all ranks can write to, as file:///folder");
  }
  std::string path_of(const std::string& key) const { return folder_ + '/' + key; }

  // A file that holds the value, under a name that no other process uses.
  std::string write_draft(const std::string& value) const {
    std::string draft = folder_ + "/.draft-" + std::to_string(getpid()) + "-XXXXXX";
    const FileDescriptor file(::mkostemp(draft.data(), O_CLOEXEC));
    if (!file) refuse(folder_, std::strerror(errno));
    if (::write(file.get(), value.data(), value.size()) == static_cast<ssize_t>(value.size()))
      return draft;
    ::unlink(draft.c_str());
    refuse(folder_, "a file could not be written whole; is the disk full?");
  }

  const std::string folder_;
};

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

std::unique_ptr<Store> open_store(const std::string& url) {
  if (url.rfind("file://", 0) == 0) return std::make_unique<FileStore>(url.substr(7));
  if (url.rfind("redis://", 0) == 0) return open_redis_store(url);
  if (url == "pmix:") return open_pmix_store();
  fail<Error>("init_process_group: \"", url,
              "\" is no place to meet; expected \"file:///folder\", \"redis://host:port\", "
              "\"pmix:\" under mpirun or srun, or \"env:\" for what the launcher says");
}

}  // namespace td::distributed

// Values in files, and the choice of a store by its url.
#include "distributed/rendezvous/store.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <random>

#include "os/file.h"
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
    if (::access(folder.c_str(), W_OK) != 0) refuse(folder, std::strerror(errno));
  }

  // Written under a name that no other process uses, then renamed: no rank reads a part of it.
  void set(const std::string& key, const std::string& value) override {
    const std::string draft = path_of(".draft-" + std::to_string(std::random_device{}()));
    const bool written = bool(std::ofstream(draft, std::ios::binary) << value << std::flush);
    if (!written || std::rename(draft.c_str(), path_of(key).c_str()) != 0)
      refuse(folder_, std::strerror(errno));
  }
  std::optional<std::string> get(const std::string& key) override {
    std::ifstream file(path_of(key), std::ios::binary);
    if (!file) return std::nullopt;
    return std::string(std::istreambuf_iterator<char>(file), {});
  }
  void delete_key(const std::string& key) override { ::unlink(path_of(key).c_str()); }
  std::string describe() const override { return "the folder " + folder_; }

 private:
  [[noreturn]] static void refuse(const std::string& folder, const std::string& reason) {
    fail<Error>("init_process_group: the ranks cannot meet in the folder ", folder, ": ", reason,
                "; give a folder that all ranks can write to, as file:///folder");
  }
  std::string path_of(const std::string& key) const { return folder_ + '/' + key; }

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

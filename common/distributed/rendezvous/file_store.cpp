// A note is written under a name of its own, then renamed or linked, so that nobody reads a half.
#include "distributed/rendezvous/file_store.h"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "td/base/error.h"
#include "td/base/file.h"

namespace td::distributed {
namespace {

[[noreturn]] void refuse(const std::string& folder, const std::string& reason) {
  fail<Error>("init_process_group: the ranks cannot meet in the folder ", folder, ": ", reason,
              "; give a folder that all ranks can write to, as file:///folder");
}

}  // namespace

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

// A file that holds the note, under a name that nobody else uses.
std::string FileStore::write_draft(const std::string& note) {
  static std::atomic<int> count{0};
  const std::string path =
      folder_ + "/.draft-" + std::to_string(getpid()) + "-" + std::to_string(count++) + "-XXXXXX";
  std::string draft = path;
  const int file = ::mkostemp(draft.data(), O_CLOEXEC);
  if (file < 0) refuse(folder_, std::strerror(errno));
  const bool whole = ::write(file, note.data(), note.size()) == static_cast<ssize_t>(note.size());
  ::close(file);
  if (!whole) {
    ::unlink(draft.c_str());
    refuse(folder_, "a file could not be written whole; is the disk full?");
  }
  return draft;
}

void FileStore::set(const std::string& name, const std::string& note) {
  const std::string draft = write_draft(note);
  if (std::rename(draft.c_str(), (folder_ + '/' + name).c_str()) != 0)
    refuse(folder_, std::strerror(errno));
}

bool FileStore::add(const std::string& name, const std::string& note) {
  const std::string draft = write_draft(note);
  const int linked = ::link(draft.c_str(), (folder_ + '/' + name).c_str());
  const int error = errno;
  ::unlink(draft.c_str());
  if (linked != 0 && error != EEXIST) refuse(folder_, std::strerror(error));
  return linked == 0;
}

std::optional<std::string> FileStore::get(const std::string& name) {
  const std::string path = folder_ + '/' + name;
  if (!file_exists(path)) return std::nullopt;
  try {
    const Bytes bytes = read_file(path);
    return std::string(bytes.begin(), bytes.end());
  } catch (const IoError&) {
    return std::nullopt;  // it was removed in this moment
  }
}

void FileStore::remove(const std::string& name) { ::unlink((folder_ + '/' + name).c_str()); }

}  // namespace td::distributed

// Files by system calls, because the reason of a failure (errno) is part of the message.
#include "td/data/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "td/base/error.h"

namespace td::data {
namespace {

// Closes the file at the end of the scope.
class File {
 public:
  File(const std::string& path, int flags)
      : descriptor_(::open(path.c_str(), flags | O_CLOEXEC, 0644)) {}
  ~File() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  int get() const { return descriptor_; }
  bool close() { return ::close(std::exchange(descriptor_, -1)) == 0; }

 private:
  int descriptor_;
};

std::string advice(int reason) {
  switch (reason) {
    case ENOENT:
      return "check the folder's name, or draw the data with ./course data";
    case EACCES:
    case EPERM:
    case EROFS:
      return "choose a folder you may use, for example one below your home folder";
    case ENOSPC:
    case EDQUOT:
      return "free some space, or choose a folder on another disk";
    case ENOTDIR:
    case EEXIST:
      return "a file stands where a folder is needed; choose another name";
    default:
      return "check the disk and the path";
  }
}

[[noreturn]] void io_error(const char* task, const std::string& path, int reason) {
  fail<IoError>("cannot ", task, " ", path, ": ", std::strerror(reason), "; ", advice(reason));
}

// 0, or the reason why it failed.
int write_all(File& file, const void* data, std::size_t bytes) {
  if (file.get() < 0) return errno;
  const char* from = static_cast<const char*>(data);
  while (bytes > 0) {
    const ssize_t n = ::write(file.get(), from, bytes);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return errno;
    from += n;
    bytes -= static_cast<std::size_t>(n);
  }
  // A full disk may show up only here.
  if (::fsync(file.get()) != 0 || !file.close()) return errno;
  return 0;
}

}  // namespace

Bytes read_file(const std::string& path) {
  File file(path, O_RDONLY);
  struct stat info {};
  if (file.get() < 0 || ::fstat(file.get(), &info) != 0) io_error("read", path, errno);
  if (S_ISDIR(info.st_mode)) io_error("read", path, EISDIR);
  Bytes bytes(static_cast<std::size_t>(info.st_size));
  std::size_t have = 0;
  while (have < bytes.size()) {
    const ssize_t n = ::read(file.get(), bytes.data() + have, bytes.size() - have);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) io_error("read", path, errno);
    if (n == 0) break;  // the file shrank meanwhile; the format check tells what is missing
    have += static_cast<std::size_t>(n);
  }
  bytes.resize(have);
  return bytes;
}

bool file_exists(const std::string& path) { return ::access(path.c_str(), F_OK) == 0; }

void make_folder(const std::string& path) {
  for (std::size_t end = path.find('/', 1);; end = path.find('/', end + 1)) {
    const std::string part = path.substr(0, end);
    if (::mkdir(part.c_str(), 0755) != 0) {
      const int reason = errno;
      struct stat info {};
      const bool is_folder = ::stat(part.c_str(), &info) == 0 && S_ISDIR(info.st_mode);
      if (!is_folder) io_error("make the folder", part, reason);
    }
    if (end == std::string::npos) return;
  }
}

void write_file(const std::string& path, const void* data, std::size_t bytes) {
  const std::string temporary = path + ".part" + std::to_string(::getpid());
  File file(temporary, O_WRONLY | O_CREAT | O_TRUNC);
  int reason = write_all(file, data, bytes);
  if (reason == 0 && ::rename(temporary.c_str(), path.c_str()) != 0) reason = errno;
  if (reason == 0) return;
  ::unlink(temporary.c_str());
  io_error("write", path, reason);
}

}  // namespace td::data

// Files by system calls, because the reason of a failure (errno) is part of the message, and
// because only they report when bytes are on the disk.
#include "os/file.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <limits>

#include "td/base/error.h"

namespace td {
namespace {

std::string advice(int reason, const char* when_missing) {
  switch (reason) {
    case ENOENT:
      return when_missing;
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

[[noreturn]] void io_error(const char* task, const std::string& path, int reason,
                           const char* when_missing = "make the folder first") {
  fail<IoError>("cannot ", task, " ", path, ": ", std::strerror(reason), "; ",
                advice(reason, when_missing));
}

// A name that no other writer has, in this process or another.
std::string temporary_name(const std::string& path) {
  static std::atomic<unsigned> count{0};
  return path + ".part" + std::to_string(::getpid()) + "-" + std::to_string(count++);
}

// The file that `path` names: where a symbolic link leads.
std::string without_links(std::string path) {
  constexpr int kMostLinks = 40;  // as in the kernel, which reports a circle of links when it opens
  std::error_code none;
  for (int i = 0; i < kMostLinks; ++i) {
    const std::filesystem::path target = std::filesystem::read_symlink(path, none);
    if (target.empty()) break;
    path = std::filesystem::path(path).replace_filename(target).string();
  }
  return path;
}

// A rename is on the disk when its directory is. Returns 0, or the reason of the failure.
int flush_folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  const std::string folder = slash == path.npos ? "." : path.substr(0, slash + 1);
  const FileDescriptor file(folder, O_RDONLY | O_DIRECTORY);
  // Some file systems cannot flush a folder and need no flush.
  return !file || ::fsync(file.get()) == 0 || errno == EINVAL ? 0 : errno;
}

}  // namespace

FileDescriptor::FileDescriptor(const std::string& path, int flags)
    : descriptor_(::open(path.c_str(), flags | O_CLOEXEC, 0644)) {}

InputFile::InputFile(const std::string& path, const char* when_missing)
    : path_(path), file_(path, O_RDONLY) {
  struct stat info {};
  if (!file_ || ::fstat(file_.get(), &info) != 0) io_error("read", path, errno, when_missing);
  if (S_ISDIR(info.st_mode)) io_error("read", path, EISDIR);
  size_ = static_cast<std::size_t>(info.st_size);
}

std::size_t InputFile::read(std::size_t offset, void* to, std::size_t bytes) const {
  std::size_t have = 0;
  while (have < bytes) {
    const ssize_t n = ::pread(file_.get(), static_cast<char*>(to) + have, bytes - have,
                              static_cast<off_t>(offset + have));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) io_error("read", path_, errno);
    if (n == 0) break;
    have += static_cast<std::size_t>(n);
  }
  return have;
}

AtomicFile::AtomicFile(const std::string& path)
    : path_(without_links(path)), temporary_(temporary_name(path_)) {
  struct stat old {};
  const bool exists = ::stat(path_.c_str(), &old) == 0;
  if (!exists && errno != ENOENT) io_error("write", path, errno);
  TD_CHECK(IoError, !exists || S_ISREG(old.st_mode) || S_ISDIR(old.st_mode), "cannot write ", path,
           ": it is a device, a pipe or a socket; choose another name");
  file_ = FileDescriptor(temporary_, O_WRONLY | O_CREAT | O_EXCL);
  if (!file_) io_error("write", path, errno);
  if (exists) (void)!::fchmod(file_.get(), old.st_mode & 0777);  // not all file systems have rights
}

AtomicFile::~AtomicFile() {
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

void AtomicFile::write(const void* data, std::size_t bytes) {
  const char* from = static_cast<const char*>(data);
  while (bytes > 0) {
    const ssize_t n = ::write(file_.get(), from, bytes);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) io_error("write", path_, errno);
    from += n;
    bytes -= static_cast<std::size_t>(n);
  }
}

void AtomicFile::commit() {
  // A full disk may show up only here. Renaming before the bytes are on the disk could leave, after
  // a power cut, the new name with an empty file.
  if (::fsync(file_.get()) != 0 || !file_.close()) io_error("write", path_, errno);
  if (::rename(temporary_.c_str(), path_.c_str()) != 0) io_error("write", path_, errno);
  temporary_.clear();
  if (const int reason = flush_folder_of(path_)) io_error("write", path_, reason);
}

Bytes read_file(const std::string& path, const char* when_missing) {
  const InputFile file(path, when_missing);
  Bytes bytes(file.size());
  // The check of its format reports a file that has shrunk meanwhile.
  bytes.resize(file.read(0, bytes.data(), bytes.size()));
  return bytes;
}

std::size_t file_size_limit() {
  rlimit limit{};
  const bool known = ::getrlimit(RLIMIT_FSIZE, &limit) == 0;
  return known ? limit.rlim_cur : std::numeric_limits<std::size_t>::max();
}

void make_folder(const std::string& path) {
  for (std::size_t end = path.find('/', 1);; end = path.find('/', end + 1)) {
    const std::string part = path.substr(0, end);
    if (::mkdir(part.c_str(), 0755) != 0) {
      const int reason = errno;
      std::error_code ignored;
      if (!std::filesystem::is_directory(part, ignored)) io_error("make the folder", part, reason);
    }
    if (end == std::string::npos) return;
  }
}

void write_file(const std::string& path, const void* data, std::size_t bytes) {
  AtomicFile file(path);
  file.write(data, bytes);
  file.commit();
}

}  // namespace td

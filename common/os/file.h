// Files with clear error messages: read whole or in pieces, and written atomically. Data sets,
// checkpoints and their tests use it. Invariant: a file appears under its name complete or not at
// all; whenever a process or a machine stops, the name refers to the old or the new file.
#pragma once

#include <unistd.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace td {

/// The contents of a file.
using Bytes = std::vector<std::uint8_t>;

/// A descriptor of the system: an open file, a socket or one end of a pipe. It is closed at the end
/// of the scope. Programs that are started do not inherit it.
class FileDescriptor {
 public:
  explicit FileDescriptor(int descriptor = -1) : descriptor_(descriptor) {}
  /// Opens with the flags of open(2); get() is -1 and errno is the reason when that fails.
  FileDescriptor(const std::string& path, int flags);
  FileDescriptor(FileDescriptor&& other) noexcept
      : descriptor_(std::exchange(other.descriptor_, -1)) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    return *this;
  }
  ~FileDescriptor() { close(); }
  int get() const { return descriptor_; }
  explicit operator bool() const { return descriptor_ >= 0; }
  /// Closes it now; get() is -1 afterwards. False, with errno, when the system reports now that a
  /// write has failed.
  bool close() { return descriptor_ < 0 || ::close(std::exchange(descriptor_, -1)) == 0; }

 private:
  int descriptor_;
};

/// A file that is read in pieces.
class InputFile {
 public:
  /// @param when_missing the next step for a reader whose file is not there.
  /// @throws IoError naming the file, the system's reason and the next step.
  explicit InputFile(const std::string& path, const char* when_missing = "check the path");
  /// Bytes in the file when it was opened.
  std::size_t size() const { return size_; }
  /// Reads up to `bytes` bytes from `offset` on and returns how many there were: fewer only at the
  /// end of the file. @throws IoError
  std::size_t read(std::size_t offset, void* to, std::size_t bytes) const;

 private:
  std::string path_;
  FileDescriptor file_;
  std::size_t size_ = 0;
};

/// A file that is being written: bytes go to a temporary file next to it, and commit() renames
/// that. Without commit() the temporary file is removed and an existing file is unchanged. The new
/// file has the rights of the one that it replaces. A symbolic link stays, and leads to the new
/// file.
class AtomicFile {
 public:
  /// @throws IoError naming the file, the system's reason and the next step; also where `path` is a
  /// device, a pipe or a socket, which a rename would replace.
  explicit AtomicFile(const std::string& path);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;
  /// Appends bytes. @throws IoError likewise.
  void write(const void* data, std::size_t bytes);
  /// Flushes the bytes to disk, renames, and flushes the folder, in this order.
  /// @throws IoError likewise; the old file stays unless only the folder was not flushed.
  void commit();

 private:
  std::string path_, temporary_;
  FileDescriptor file_;
};

/// A whole file. @throws IoError naming the file, the system's reason and the next step.
Bytes read_file(const std::string& path, const char* when_missing = "check the path");
/// The most bytes that a file of this process may have; a longer one causes a fatal signal.
std::size_t file_size_limit();
/// Creates a directory and those above it. @throws IoError
void make_folder(const std::string& path);
/// Writes a whole file with an AtomicFile. @throws IoError
void write_file(const std::string& path, const void* data, std::size_t bytes);

}  // namespace td

// Descriptors of the system that close themselves. Sockets, shared memory and the launcher use
// them. Invariant: no program that is started inherits one.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

#include "td/base/error.h"

namespace td::distributed {

/// A descriptor, closed at the end of the scope.
class Descriptor {
 public:
  explicit Descriptor(int descriptor = -1) : descriptor_(descriptor) {}
  Descriptor(Descriptor&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    return *this;
  }
  ~Descriptor() { close(); }
  int get() const { return descriptor_; }
  explicit operator bool() const { return descriptor_ >= 0; }
  /// Closes it now; get() is -1 afterwards.
  void close() {
    if (descriptor_ >= 0) ::close(std::exchange(descriptor_, -1));
  }

 private:
  int descriptor_;
};

/// Both ends of a pipe.
struct Pipe {
  /// @param purpose begins the error message: "cannot start a rank". @param flags of pipe2(2).
  /// @throws Error when the system has no more descriptors.
  explicit Pipe(const std::string& purpose, int flags = 0) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC | flags) != 0)
      fail<Error>(purpose, ": no pipe: ", std::strerror(errno));
    from = Descriptor(ends[0]);
    into = Descriptor(ends[1]);
  }
  Descriptor from;  ///< the end to read from
  Descriptor into;  ///< the end to write to
};

}  // namespace td::distributed

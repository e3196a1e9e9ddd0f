// The names of the C library's functions, defined in the program, are what the library libtd.so
// finds first. Each does the system call itself.
#include "faults.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>

namespace {

struct {
  bool watching = false, struck = false;
  std::size_t calls = 0, at = 0;
  Faults::Kind kind = Faults::Kind::kKill;
} plan;

// True when this call is to fail; does not come back from a kill.
bool strikes() {
  if (!plan.watching || plan.calls++ != plan.at) return false;
  plan.struck = true;
  if (plan.kind != Faults::Kind::kDiskFull) raise(SIGKILL);
  errno = ENOSPC;
  return true;
}

}  // namespace

Faults::Faults(std::size_t at, Kind kind) { plan = {true, false, 0, at, kind}; }
Faults::~Faults() { plan.watching = false; }
bool Faults::struck() const { return plan.struck; }

extern "C" ssize_t write(int file, const void* data, std::size_t bytes) {
  if (plan.watching && plan.calls == plan.at && plan.kind == Faults::Kind::kKillInside)
    syscall(SYS_write, file, data, bytes / 2);
  if (strikes()) return -1;
  return syscall(SYS_write, file, data, bytes);
}

extern "C" int fsync(int file) {
  if (strikes()) return -1;
  return static_cast<int>(syscall(SYS_fsync, file));
}

extern "C" int close(int file) {
  if (strikes()) return -1;
  return static_cast<int>(syscall(SYS_close, file));
}

extern "C" int rename(const char* from, const char* to) noexcept {
  if (strikes()) return -1;
  return static_cast<int>(syscall(SYS_rename, from, to));
}

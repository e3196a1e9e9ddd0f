// flock(2), tried again and again, because a wait inside it could not be ended by a descriptor.
#include "build_lock.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>

#include <cerrno>

#include "process.h"

namespace course {
namespace {

constexpr int kPause = 100;  // milliseconds between two tries

}  // namespace

BuildLock::BuildLock(const fs::path& build, int stop, const std::function<void()>& on_wait)
    : file_((build / ".lock").string(), O_RDWR | O_CREAT) {
  // Another error than EWOULDBLOCK: this directory cannot be locked, and is built in without a
  // lock.
  for (bool told = false; flock(file_.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;) {
    if (!told) on_wait();
    told = true;
    pollfd wait{stop, POLLIN, 0};  // poll skips descriptor -1
    poll(&wait, 1, kPause);
    if ((stopped_ = is_readable(stop))) return;
  }
}

}  // namespace course

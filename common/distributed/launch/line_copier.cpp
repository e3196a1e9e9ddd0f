// A pipe whose reading end never blocks: the supervisor waits for all ranks at once, elsewhere.
#include "distributed/launch/line_copier.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <ostream>
#include <string_view>
#include <utility>

#include "td/base/error.h"

namespace td::distributed {
namespace {

// More than a pipe holds, so that one call empties the pipe of a rank that has ended.
constexpr int kReads = 16;

}  // namespace

LineCopier::LineCopier(std::ostream& to, std::string prefix) : to_(to), prefix_(std::move(prefix)) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0)
    fail<Error>("cannot start a rank: no pipe: ", std::strerror(errno));
  from_ = ends[0];
  into_ = ends[1];
  fcntl(from_, F_SETFL, O_NONBLOCK);
}

LineCopier::~LineCopier() {
  close_writing_end();
  close(from_);
}

void LineCopier::close_writing_end() {
  if (into_ >= 0) close(std::exchange(into_, -1));
}

bool LineCopier::read_some() {
  char buffer[1 << 14];
  for (int i = 0; i < kReads; ++i) {
    const ssize_t got = read(from_, buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return got < 0 && errno == EAGAIN;
    pending_.append(buffer, static_cast<std::size_t>(got));
    write_lines();
  }
  return true;
}

void LineCopier::write_lines() {
  std::size_t told = 0;
  for (auto end = pending_.find('\n'); end != std::string::npos; end = pending_.find('\n', told)) {
    to_ << prefix_ << std::string_view(pending_).substr(told, end + 1 - told);
    told = end + 1;
  }
  if (told == 0) return;
  pending_.erase(0, told);
  to_.flush();
}

void LineCopier::finish() {
  read_some();
  if (pending_.empty()) return;
  to_ << prefix_ << pending_ << std::endl;
  pending_.clear();
}

}  // namespace td::distributed

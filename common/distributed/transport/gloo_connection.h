// gloo behind an interface of td: the connections of a rank to all others, and the memory that gloo
// sends from and receives into. The transport over gloo (gloo_transport.cpp) uses both.
#pragma once

#include <gloo/context.h>
#include <gloo/transport/unbound_buffer.h>

#include <csignal>
#include <ctime>
#include <mutex>
#include <set>

#include "distributed/transport/transport.h"

namespace td::distributed {

class GlooBuffer;

/// This rank's connections.
class GlooMesh {
 public:
  /// Connects to all other ranks. @throws DistributedError naming the rank that cannot be reached.
  explicit GlooMesh(const Member& member);
  /// Ends the waits of all buffers, and the connections. Later ones throw DistributedError(why).
  void abort(const std::string& why);

 private:
  friend class GlooBuffer;

  const std::chrono::milliseconds timeout_;  // for one message
  std::shared_ptr<gloo::Context> context_;
  GroupFailure failure_;
  std::mutex mutex_;
  std::set<GlooBuffer*> buffers_;  // in use
};

/// Memory for the messages of one call. Sends and receives are started, then waited for. A receive
/// that is started early lets the sender send immediately.
class GlooBuffer {
 public:
  GlooBuffer(GlooMesh& mesh, const void* data, std::size_t bytes);
  ~GlooBuffer();
  GlooBuffer(const GlooBuffer&) = delete;
  GlooBuffer& operator=(const GlooBuffer&) = delete;

  /// Starts one message of `bytes` bytes at `offset`. Messages with one tag between two ranks keep
  /// their order.
  ///@{
  void send(int to, std::uint64_t tag, std::size_t offset, std::size_t bytes);
  void receive(int from, std::uint64_t tag, std::size_t offset, std::size_t bytes);
  ///@}
  /// Blocks until one pending receive has completed. @throws DistributedError
  void wait_receive();
  /// Blocks until all pending messages have completed.
  void wait_all();

 private:
  friend class GlooMesh;
  template <class Call>
  void guarded(Call&& call);

  GlooMesh& mesh_;
  std::unique_ptr<gloo::transport::UnboundBuffer> buffer_;
  int sends_ = 0, receives_ = 0;  // pending
};

/// gloo writes to connections whose peer may have failed, for which the system terminates a process
/// by default (SIGPIPE). For the lifetime of the object this thread gets no SIGPIPE; threads that
/// it starts never do. The program's own handling of the signal is unchanged.
class NoPipeSignal {
 public:
  NoPipeSignal() {
    sigemptyset(&pipe_);
    sigaddset(&pipe_, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
  }
  ~NoPipeSignal() {
    if (sigismember(&before_, SIGPIPE)) return;
    const timespec no_wait{0, 0};
    sigtimedwait(&pipe_, nullptr, &no_wait);  // a signal that has arrived meanwhile
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  NoPipeSignal(const NoPipeSignal&) = delete;
  NoPipeSignal& operator=(const NoPipeSignal&) = delete;

 private:
  sigset_t pipe_, before_;
};

}  // namespace td::distributed

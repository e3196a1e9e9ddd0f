// A piece of memory that gloo sends from and receives into. GlooPlane makes them for one call.
#pragma once

#include <gloo/transport/unbound_buffer.h>

#include "distributed/planes/gloo_plane.h"

namespace td::distributed {

/// Sends and receives are started, then waited for; those of one buffer are counted together. A
/// receive that is started early lets the data travel without asking first.
class GlooBuffer {
 public:
  GlooBuffer(GlooPlane& plane, const void* data, std::size_t bytes);
  ~GlooBuffer();
  GlooBuffer(const GlooBuffer&) = delete;
  GlooBuffer& operator=(const GlooBuffer&) = delete;

  /// Starts one message of `bytes` bytes at `offset`. Messages of one mark between two ranks keep
  /// their order.
  ///@{
  void send(int to, std::uint64_t mark, std::size_t offset, std::size_t bytes);
  void receive(int from, std::uint64_t mark, std::size_t offset, std::size_t bytes);
  ///@}
  /// Waits for one message that was started and not yet waited for. @throws DistributedError
  void wait_receive();
  /// Waits for all that were started.
  void wait_all();
  /// Ends a wait in another thread.
  void abort();

 private:
  void wait_send();

  GlooPlane& plane_;
  std::unique_ptr<gloo::transport::UnboundBuffer> buffer_;
  int sends_ = 0, receives_ = 0;  // in flight
};

}  // namespace td::distributed

// gloo's unbound buffers, with errors of ours.
#include "distributed/planes/gloo_buffer.h"

#include <gloo/context.h>

#include "distributed/planes/pipe_signal.h"
#include "distributed/work.h"

namespace td::distributed {

GlooBuffer::GlooBuffer(GlooPlane& plane, const void* data, std::size_t bytes)
    : plane_(plane), buffer_(plane.context_->createUnboundBuffer(const_cast<void*>(data), bytes)) {
  std::lock_guard lock(plane_.mutex_);
  if (!plane_.failure_.empty()) throw DistributedError(plane_.failure_);
  plane_.buffers_.insert(this);
}

GlooBuffer::~GlooBuffer() {
  std::lock_guard lock(plane_.mutex_);
  plane_.buffers_.erase(this);
}

void GlooBuffer::send(int to, std::uint64_t mark, std::size_t offset, std::size_t bytes) {
  const NoPipeSignal quiet;
  try {
    buffer_->send(to, mark, offset, bytes);
  } catch (const std::exception& e) {
    plane_.fail_with(e.what());
  }
  ++sends_;
}

void GlooBuffer::receive(int from, std::uint64_t mark, std::size_t offset, std::size_t bytes) {
  const NoPipeSignal quiet;
  try {
    buffer_->recv(from, mark, offset, bytes);
  } catch (const std::exception& e) {
    plane_.fail_with(e.what());
  }
  ++receives_;
}

void GlooBuffer::wait_receive() {
  bool done = false;
  try {
    done = buffer_->waitRecv(nullptr, plane_.options_.timeout);
  } catch (const std::exception& e) {
    plane_.fail_with(e.what());
  }
  if (!done) plane_.fail_with("aborted");
  --receives_;
}

void GlooBuffer::wait_send() {
  bool done = false;
  try {
    done = buffer_->waitSend(nullptr, plane_.options_.timeout);
  } catch (const std::exception& e) {
    plane_.fail_with(e.what());
  }
  if (!done) plane_.fail_with("aborted");
  --sends_;
}

void GlooBuffer::wait_all() {
  while (receives_) wait_receive();
  while (sends_) wait_send();
}

void GlooBuffer::abort() {
  buffer_->abortWaitRecv();
  buffer_->abortWaitSend();
}

}  // namespace td::distributed

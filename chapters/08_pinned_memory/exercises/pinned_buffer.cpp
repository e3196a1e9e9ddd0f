// PinnedBuffer: exercise 8.pinned_buffer, declared in exercises.h.
#include "exercises.h"
#include "td/exercise.h"

PinnedBuffer::PinnedBuffer(td::DeviceType kind, std::size_t bytes) : kind_(kind) {
  // Your code here: Allocate the memory, store its size. 2 lines.
  td::not_done_yet("pinned_buffer");
}

void PinnedBuffer::used_on(const td::Stream& stream) {
  // Your code here: One more event, recorded on the stream. 2 lines.
  td::not_done_yet("pinned_buffer");
}

void PinnedBuffer::free() {
  // Your code here: Wait for the events, release the memory, reset the members. About 5 lines.
  td::not_done_yet("pinned_buffer");
}

// Given: a buffer that is moved takes its events along.
void PinnedBuffer::take_from(PinnedBuffer& other) {
  kind_ = other.kind_;
  data_ = std::exchange(other.data_, nullptr);
  bytes_ = std::exchange(other.bytes_, 0);
  uses_ = std::exchange(other.uses_, {});
}

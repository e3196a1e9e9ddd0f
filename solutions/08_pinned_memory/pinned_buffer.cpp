// PinnedBuffer: exercise 8.pinned_buffer, declared in exercises.h.
#include "exercises.h"
#include "td/exercise.h"

PinnedBuffer::PinnedBuffer(td::DeviceType kind, std::size_t bytes) : kind_(kind) {
  // blank: Allocate the memory, store its size. 2 lines.
  data_ = td::pinned_allocator(kind).allocate(bytes);
  bytes_ = bytes;
  // end
}

void PinnedBuffer::used_on(const td::Stream& stream) {
  // blank: One more event, recorded on the stream. 2 lines.
  uses_.emplace_back(stream.device().type());
  uses_.back().record(stream);
  // end
}

void PinnedBuffer::free() {
  // blank: Wait for the events, release the memory, reset the members. About 5 lines.
  if (!data_) return;
  for (const td::Event& use : uses_) use.synchronize();
  uses_.clear();
  td::pinned_allocator(kind_).release(data_, bytes_);
  data_ = nullptr;
  bytes_ = 0;
  // end
}

// Given: a buffer that is moved takes its events along.
void PinnedBuffer::take_from(PinnedBuffer& other) {
  kind_ = other.kind_;
  data_ = std::exchange(other.data_, nullptr);
  bytes_ = std::exchange(other.bytes_, 0);
  uses_ = std::exchange(other.uses_, {});
}

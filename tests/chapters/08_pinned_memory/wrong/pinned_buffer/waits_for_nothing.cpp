// expect: stream 1 of 2 still uses the memory, and free() did not wait
// Frees the memory while a copy still uses it. Right as long as copies are quick.
#include "exercises.h"

PinnedBuffer::PinnedBuffer(td::DeviceType kind, std::size_t bytes) : kind_(kind) {
  data_ = td::pinned_allocator(kind).allocate(bytes);
  bytes_ = bytes;
}

void PinnedBuffer::used_on(const td::Stream& stream) {
  uses_.emplace_back(stream.device().type());
  uses_.back().record(stream);
}

void PinnedBuffer::free() {
  if (!data_) return;
  uses_.clear();
  td::pinned_allocator(kind_).release(data_, bytes_);
  data_ = nullptr;
  bytes_ = 0;
}

void PinnedBuffer::take_from(PinnedBuffer& other) {
  kind_ = other.kind_;
  data_ = std::exchange(other.data_, nullptr);
  bytes_ = std::exchange(other.bytes_, 0);
  uses_ = std::exchange(other.uses_, {});
}

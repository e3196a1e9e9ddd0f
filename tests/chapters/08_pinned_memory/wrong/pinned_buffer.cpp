#include "exercises.h"

// answer: loses_the_uses
// expect: and then free() of its new owner did not wait
// The events are not moved together with the memory.
#ifdef loses_the_uses
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
  for (const td::Event& use : uses_) use.synchronize();
  uses_.clear();
  td::pinned_allocator(kind_).release(data_, bytes_);
  data_ = nullptr;
  bytes_ = 0;
}

void PinnedBuffer::take_from(PinnedBuffer& other) {
  kind_ = other.kind_;
  data_ = std::exchange(other.data_, nullptr);
  bytes_ = std::exchange(other.bytes_, 0);
  other.uses_.clear();
}
#endif  // loses_the_uses

// answer: never_given_back
// expect: after the end of a buffer of 1 bytes
// The memory is forgotten instead of given back.
#ifdef never_given_back
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
  for (const td::Event& use : uses_) use.synchronize();
  uses_.clear();
  data_ = nullptr;
  bytes_ = 0;
}

void PinnedBuffer::take_from(PinnedBuffer& other) {
  kind_ = other.kind_;
  data_ = std::exchange(other.data_, nullptr);
  bytes_ = std::exchange(other.bytes_, 0);
  uses_ = std::exchange(other.uses_, {});
}
#endif  // never_given_back

// answer: one_event_per_buffer
// expect: did not wait
// Keeps the event of the first stream.
#ifdef one_event_per_buffer
PinnedBuffer::PinnedBuffer(td::DeviceType kind, std::size_t bytes) : kind_(kind) {
  data_ = td::pinned_allocator(kind).allocate(bytes);
  bytes_ = bytes;
}

void PinnedBuffer::used_on(const td::Stream& stream) {
  if (!uses_.empty()) return;
  uses_.emplace_back(stream.device().type());
  uses_.back().record(stream);
}

void PinnedBuffer::free() {
  if (!data_) return;
  for (const td::Event& use : uses_) use.synchronize();
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
#endif  // one_event_per_buffer

// answer: releases_first
// expect: releases the memory while a stream still uses it
// Returns the memory, and then waits.
#ifdef releases_first
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
  td::pinned_allocator(kind_).release(data_, bytes_);
  for (const td::Event& use : uses_) use.synchronize();
  uses_.clear();
  data_ = nullptr;
  bytes_ = 0;
}

void PinnedBuffer::take_from(PinnedBuffer& other) {
  kind_ = other.kind_;
  data_ = std::exchange(other.data_, nullptr);
  bytes_ = std::exchange(other.bytes_, 0);
  uses_ = std::exchange(other.uses_, {});
}
#endif  // releases_first

// answer: remembers_the_last_stream
// expect: stream 1 of 3
// One event for all streams: marking a second one forgets the first.
#ifdef remembers_the_last_stream
PinnedBuffer::PinnedBuffer(td::DeviceType kind, std::size_t bytes) : kind_(kind) {
  data_ = td::pinned_allocator(kind).allocate(bytes);
  bytes_ = bytes;
}

void PinnedBuffer::used_on(const td::Stream& stream) {
  uses_.clear();
  uses_.emplace_back(stream.device().type());
  uses_.back().record(stream);
}

void PinnedBuffer::free() {
  if (!data_) return;
  for (const td::Event& use : uses_) use.synchronize();
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
#endif  // remembers_the_last_stream

// answer: two_owners
// expect: the buffer that was moved from should have no memory
// Both buffers have the memory after a move, and both give it back.
#ifdef two_owners
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
  for (const td::Event& use : uses_) use.synchronize();
  uses_.clear();
  td::pinned_allocator(kind_).release(data_, bytes_);
  data_ = nullptr;
  bytes_ = 0;
}

void PinnedBuffer::take_from(PinnedBuffer& other) {
  kind_ = other.kind_;
  data_ = other.data_;
  bytes_ = other.bytes_;
  uses_ = std::exchange(other.uses_, {});
}
#endif  // two_owners

// answer: waits_for_nothing
// expect: stream 1 of 3
// Frees the memory while a copy still uses it. Right as long as copies are quick.
#ifdef waits_for_nothing
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
#endif  // waits_for_nothing

// answer: waits_for_the_device
// expect: free() waits for work that does not use the memory
// Safe, but every destroyed buffer waits for all work.
#ifdef waits_for_the_device
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
  td::synchronize(td::Device(kind_, 0));
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
#endif  // waits_for_the_device

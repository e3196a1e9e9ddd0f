// Storage, and the log of addresses that data_ptr<T>() returned. The log's texts are written when
// an address is returned, so that sim's signal handler only has to copy one.
#include <algorithm>
#include <array>
#include <cstring>
#include <mutex>
#include <sstream>
#include <string>
#include <utility>

#include "td/base/error.h"
#include "td/device/allocator.h"
#include "td/device/backend.h"
#include "td/device/record.h"
#include "td/tensor/tensor.h"

namespace td {

Storage::Storage(Device device, std::size_t bytes, Allocator& from)
    : data_(from.allocate(bytes)), bytes_(bytes), allocator_(&from), device_(device) {}

Storage::Storage(Device device, void* data, std::size_t bytes, std::function<void(void*)> deleter)
    : data_(data), bytes_(bytes), device_(device) {
  if (deleter) deleter_ = new std::function<void(void*)>(std::move(deleter));
}

Storage::~Storage() {
  if (allocator_) {
    allocator_->release(data_, bytes_);
  } else if (deleter_) {
    (*deleter_)(data_);
    delete deleter_;
  }
}

void Storage::swap_memory(Storage& other) {
  std::swap(data_, other.data_);
  std::swap(bytes_, other.bytes_);
  std::swap(allocator_, other.allocator_);
  std::swap(deleter_, other.deleter_);
}

intrusive_ptr<Storage> make_storage(Device device, std::size_t bytes, bool pinned) {
  if (!pinned) return make_intrusive<Storage>(device, bytes, allocator(device));
  TD_CHECK(DeviceError, device.is_cpu(),
           "only host memory can be pinned, but the tensor is to be on ", device,
           "; leave out pinned_memory(true), or make it on cpu");
  return make_intrusive<Storage>(device, bytes, pinned_allocator(preferred_accelerator()));
}

namespace {

struct Note {
  const void* block = nullptr;
  std::array<char, 160> text{};
};

// The newest of these many notes about a block is the one that counts.
constexpr std::size_t kNotes = 64;
constinit std::mutex notes_lock;
constinit std::array<Note, kNotes> notes{};
constinit std::size_t written = 0;

std::size_t describe(const void* block, char* text, std::size_t room) {
  // Another thread may be writing a note; then the report does without.
  std::unique_lock<std::mutex> lock(notes_lock, std::try_to_lock);
  if (!lock) return 0;
  for (std::size_t i = 0; i < std::min(written, kNotes); ++i) {
    const Note& note = notes[(written - 1 - i) % kNotes];
    if (note.block != block) continue;
    const std::size_t length = std::min(room, std::strlen(note.text.data()));
    std::memcpy(text, note.text.data(), length);
    return length;
  }
  return 0;
}

}  // namespace

void log_data_ptr(const Tensor& tensor) {
  if (!backend(tensor.device().type()).guards_memory()) return;
  std::ostringstream out;
  out << ", given out by data_ptr() of a " << tensor.dtype() << " tensor of sizes "
      << tensor.sizes();
  const std::string text = out.str();
  std::lock_guard<std::mutex> lock(notes_lock);
  Note& note = notes[written++ % kNotes];
  note.block = tensor.impl().storage->data();
  note.text.fill('\0');
  text.copy(note.text.data(), note.text.size() - 1);
  block_describer.store(describe, std::memory_order_release);
}

}  // namespace td

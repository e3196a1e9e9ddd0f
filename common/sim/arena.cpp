// The mappings and a first-fit allocator. The guard costs nothing per access: the page table
// rejects it.
#include "sim/arena.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>

#include "os/file.h"
#include "sim/settings.h"
#include "td/base/error.h"

namespace td::sim {

std::ptrdiff_t view_distance[kMaxDevices];

namespace {

constexpr std::size_t kPage = 4096;
constexpr std::size_t kLeastSpan = std::size_t{32} << 30;
constexpr std::size_t kGuard = std::size_t{4} << 30;

std::array<std::atomic<Arena*>, kMaxDevices> arenas{};

}  // namespace

Arena::Arena(int index)
    : span_(std::min(std::max(kLeastSpan, capacity() * 4), file_size_limit() / kPage * kPage)) {
  const int file = memfd_create("sim", MFD_CLOEXEC);
  void *guarded = MAP_FAILED, *kernel = MAP_FAILED;
  // A mapping is only address space; pages are allocated at their first write.
  if (file >= 0 && ftruncate(file, static_cast<off_t>(span_)) == 0) {
    guarded = mmap(nullptr, span_, PROT_NONE, MAP_SHARED | MAP_NORESERVE, file, 0);
    kernel = mmap(nullptr, span_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file, 0);
    // The system puts a mapping below the previous one: a kernel's negative index finds no memory.
    mmap(nullptr, kGuard, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  }
  const int reason = errno;
  if (file >= 0) close(file);  // the mappings own the memory
  TD_CHECK(DeviceError, guarded != MAP_FAILED && kernel != MAP_FAILED, "sim:", index,
           " could not be made: the system rejected to map ", format_bytes(span_), " (",
           std::strerror(reason), "). Raise the limits shown by ulimit -v and ulimit -f.");
  madvise(kernel, span_, MADV_DONTDUMP);
  guarded_ = reinterpret_cast<std::uintptr_t>(guarded);
  kernel_ = static_cast<char*>(kernel);
  view_distance[index] = kernel_ - static_cast<char*>(guarded);
}

void* Arena::allocate(std::size_t bytes) {
  if (bytes > span_) return nullptr;
  bytes = (bytes + kPage - 1) / kPage * kPage;
  std::lock_guard lock(mutex_);
  if (used_ + bytes > capacity()) return nullptr;
  std::size_t offset = 0;  // the first one with enough room before the next piece
  for (const auto& [begin, size] : pieces_) {
    if (begin - offset >= bytes) break;
    offset = begin + size;
  }
  if (span_ - offset < bytes) return nullptr;
  pieces_[offset] = bytes;
  used_ += bytes;
  return reinterpret_cast<void*>(guarded_ + offset);
}

void Arena::release(void* guarded) {
  std::lock_guard lock(mutex_);
  const auto piece = pieces_.find(reinterpret_cast<std::uintptr_t>(guarded) - guarded_);
  if (piece == pieces_.end()) return;
  const auto [offset, bytes] = *piece;
  pieces_.erase(piece);
  used_ -= bytes;
  madvise(kernel_ + offset, bytes, MADV_REMOVE);
}

std::size_t Arena::used() const {
  std::lock_guard lock(mutex_);
  return used_;
}

Arena& arena(int index) {
  static std::mutex& making = *new std::mutex;
  auto& slot = arenas[static_cast<std::size_t>(index)];
  if (Arena* found = slot.load(std::memory_order_acquire)) return *found;
  std::lock_guard lock(making);
  if (!slot.load(std::memory_order_relaxed)) {
    settings().in_use = true;
    install_fault_reporter();
    slot.store(new Arena(index), std::memory_order_release);
  }
  return *slot.load(std::memory_order_relaxed);
}

Arena* existing_arena(int index) {
  return arenas[static_cast<std::size_t>(index)].load(std::memory_order_acquire);
}

}  // namespace td::sim

// Next fit, with a gap after each piece in which an overrun is found.
#include "simt/device_heap.h"

#include <sys/mman.h>

#include <iterator>

#include "td/base/error.h"

namespace td::simt {
namespace {

constexpr std::size_t kGap = 64;

std::size_t room_for(std::size_t bytes) { return (bytes + 15) / 16 * 16 + kGap; }

}  // namespace

DeviceHeap& DeviceHeap::instance() {
  static DeviceHeap& heap = *new DeviceHeap;  // kernels may run until the process ends
  return heap;
}

DeviceHeap::DeviceHeap() {
  // An index that leaves a tensor, or the heap, should find no memory of the other.
  constexpr std::size_t kGuard = std::size_t{1} << 30;
  void* const space = mmap(nullptr, kGuard + kBytes + kGuard, PROT_NONE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  TD_CHECK(Error, space != MAP_FAILED, "sim: no address space for the heap of kernels");
  char* const memory = static_cast<char*>(space) + kGuard;
  TD_CHECK(Error, mprotect(memory, kBytes, PROT_READ | PROT_WRITE) == 0,
           "sim: no memory for the heap of kernels");
  next_ = first_ = reinterpret_cast<std::uintptr_t>(memory);
  begin_ = first_;
}

void* DeviceHeap::allocate(std::size_t bytes) {
  if (bytes > kBytes) return nullptr;
  std::lock_guard lock(mutex_);
  const std::size_t room = room_for(bytes);
  for (const std::uintptr_t first : {next_, first_}) {
    std::uintptr_t at = first;
    for (auto piece = allocated_.lower_bound(first); at + room <= first_ + kBytes; ++piece) {
      if (piece == allocated_.end() || at + room <= piece->first) {
        allocated_[at] = bytes;
        next_ = at + room;
        return reinterpret_cast<void*>(at);
      }
      at = piece->first + room_for(piece->second);
    }
  }
  return nullptr;
}

bool DeviceHeap::release(const void* begin) {
  std::lock_guard lock(mutex_);
  return allocated_.erase(reinterpret_cast<std::uintptr_t>(begin)) > 0;
}

bool DeviceHeap::is_allocated(std::uintptr_t address, std::size_t bytes) {
  std::lock_guard lock(mutex_);
  auto piece = allocated_.upper_bound(address);
  if (piece == allocated_.begin()) return false;
  --piece;
  const std::size_t offset = address - piece->first;
  return offset < piece->second && bytes <= piece->second - offset;
}

}  // namespace td::simt

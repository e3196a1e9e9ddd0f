// The mappings and a next-fit allocator; arena.h describes them.
#include "cuda/arena.h"

#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace td::cudart {
namespace {

constexpr std::size_t kPage = 4096, kMiB = std::size_t{1} << 20;
constexpr std::size_t kLeastSpan = std::size_t{64} << 30;
constexpr int kMostArenas = 9;  // eight devices, and memory of the host

/// What device_view and the handler of SIGSEGV read without a lock. `begin` is set last.
struct Place {
  std::atomic<std::uintptr_t> begin{0};
  std::size_t span = 0;
  std::ptrdiff_t distance = 0;  // from the program's address to the view
};
Place places[kMostArenas];

std::size_t span_for(std::size_t capacity) {
  rlimit most{};
  getrlimit(RLIMIT_FSIZE, &most);
  const std::size_t limit = most.rlim_cur / kPage * kPage;
  return std::min(std::max(kLeastSpan, capacity * 16), limit);
}

std::size_t round_up(std::size_t bytes, std::size_t to) { return (bytes + to - 1) / to * to; }

/// Of a large block only both ends, so that it costs neither time nor memory.
void fill(char* block, std::size_t bytes, int filling) {
  if (bytes <= 4 * kMiB) {
    std::memset(block, filling, bytes);
    return;
  }
  std::memset(block, filling, kMiB);
  std::memset(block + bytes - kMiB, filling, kMiB);
}

}  // namespace

Arena::Arena(int device, std::size_t capacity, Views views)
    : capacity_(capacity), span_(span_for(capacity)) {
  const int file = memfd_create("memory of a device", MFD_CLOEXEC);
  const bool has_room = file >= 0 && ftruncate(file, static_cast<off_t>(span_)) == 0;
  const auto map = [&] {
    return has_room ? mmap(nullptr, span_, PROT_NONE, MAP_SHARED | MAP_NORESERVE, file, 0)
                    : MAP_FAILED;
  };
  void* const program = map();
  void* const kernels = views == Views::kTwo ? map() : program;
  if (program == MAP_FAILED || kernels == MAP_FAILED) {
    std::perror("The memory of a device cannot be mapped");
    std::abort();
  }
  close(file);  // the mappings keep it
  madvise(kernels, span_, MADV_DONTDUMP);
  program_ = reinterpret_cast<std::uintptr_t>(program);
  Place& place = places[device];
  place.span = span_;
  place.distance = static_cast<char*>(kernels) - static_cast<char*>(program);
  place.begin.store(program_, std::memory_order_release);
}

char* Arena::view(std::size_t offset) const {
  return static_cast<char*>(device_view(reinterpret_cast<void*>(program_ + offset)));
}

/// The offset of so many free bytes; the end of the span where there are none.
std::size_t Arena::find_room(std::size_t bytes) {
  for (const std::size_t start : {cursor_, std::size_t{0}}) {
    std::size_t at = start;
    auto next = pages_.lower_bound(at);
    if (next != pages_.begin()) {
      const auto& [offset, length] = *std::prev(next);
      at = std::max(at, offset + length + kPage);
    }
    for (; next != pages_.end() && next->first < at + bytes + kPage; ++next)
      at = next->first + next->second + kPage;
    if (at + bytes + kPage <= span_) return at;
  }
  return span_;
}

void* Arena::allocate(std::size_t bytes, int filling) {
  constexpr std::size_t kAlignment = 512;
  const std::size_t whole = round_up(bytes, kPage);
  if (whole < bytes || whole > capacity_ - used_) return nullptr;
  const std::size_t offset = find_room(whole);
  if (offset == span_ || mprotect(view(offset), whole, PROT_READ | PROT_WRITE) != 0) return nullptr;
  pages_[offset] = whole;
  used_ += whole;
  cursor_ = offset + whole + kPage;
  const std::size_t begin = offset + whole - round_up(bytes, kAlignment);
  fill(view(begin), bytes, filling);
  return reinterpret_cast<void*>(program_ + begin);
}

void Arena::release(void* block) {
  const std::size_t begin = reinterpret_cast<std::uintptr_t>(block) - program_;
  const auto found = std::prev(pages_.upper_bound(begin));
  const auto [offset, whole] = *found;
  madvise(view(offset), whole, MADV_REMOVE);
  mprotect(view(offset), whole, PROT_NONE);
  used_ -= whole;
  pages_.erase(found);
}

int arena_of(const void* memory) {
  const auto address = reinterpret_cast<std::uintptr_t>(memory);
  for (int i = 0; i < kMostArenas; ++i) {
    const std::uintptr_t begin = places[i].begin.load(std::memory_order_acquire);
    if (begin != 0 && address - begin < places[i].span) return i;
  }
  return -1;
}

void* device_view(const void* memory) {
  const int device = arena_of(memory);
  char* const address = static_cast<char*>(const_cast<void*>(memory));
  return device < 0 ? address : address + places[device].distance;
}

void* program_address(const void* view) {
  char* const address = static_cast<char*>(const_cast<void*>(view));
  for (const Place& place : places) {
    const std::uintptr_t begin = place.begin.load(std::memory_order_acquire);
    if (begin == 0) continue;
    char* const program = address - place.distance;
    if (reinterpret_cast<std::uintptr_t>(program) - begin < place.span) return program;
  }
  return address;
}

}  // namespace td::cudart

// The allocators, one per device, made at first use and never destroyed, because static tensors
// release memory into them after main.
#include "td/device/allocator.h"

#include <atomic>
#include <mutex>

#include "td/base/error.h"
#include "td/base/host_pool.h"
#include "td/device/backend.h"
#include "td/device/caching_allocator.h"

namespace td {
namespace {

/// The cpu's, which is host_memory.h.
class HostAllocator : public Allocator {
 public:
  void* allocate(std::size_t bytes) override { return host_allocate(bytes); }
  void release(void* block, std::size_t bytes) noexcept override { host_release(block, bytes); }
  void record_stream(void*, const Stream&) override {}  // the cpu's work ends with its call
  MemoryStats stats() const override { return host_pool().stats(); }
  void reset_peak() override { host_pool().reset_peak(); }
  void empty_cache() override { host_pool().empty(); }
};

constinit std::mutex making;  // held while one is made; reading is an atomic load
constinit std::atomic<CachingAllocator*> device_allocators[kDeviceTypes][kMaxDevices];
constinit std::atomic<Allocator*> pinned_allocators[kDeviceTypes];

/// The object in `slot`, made by `make` when there is none.
template <class T, class Make>
T& get_or_make(std::atomic<T*>& slot, Make make) {
  if (T* found = slot.load(std::memory_order_acquire)) [[likely]]
    return *found;
  std::lock_guard lock(making);
  if (!slot.load(std::memory_order_relaxed)) slot.store(make(), std::memory_order_release);
  return *slot.load(std::memory_order_relaxed);
}

}  // namespace

Allocator& allocator(Device device) {
  static HostAllocator& host = *new HostAllocator;
  if (device.is_cpu()) return host;
  return get_or_make(device_allocators[static_cast<int>(device.type())][device.index()],
                     [&] { return new CachingAllocator(check_device(device)); });
}

Allocator& pinned_allocator(DeviceType type) {
  TD_CHECK(DeviceError, type != kCPU,
           "memory is pinned for an accelerator, and cpu is none; ask for sim or cuda.");
  return get_or_make(pinned_allocators[static_cast<int>(type)], [&] {
    check_device(Device(type, 0));
    return new_pinned_allocator(type);
  });
}

void release_pool(DeviceType type, std::uint64_t pool) noexcept {
  for (auto& slot : device_allocators[static_cast<int>(type)])
    if (CachingAllocator* made = slot.load(std::memory_order_acquire)) made->release_pool(pool);
}

void record_pinned_stream(void* memory, const Stream& stream) {
  if (!is_pinned_memory(memory)) return;
  for (auto& slot : pinned_allocators)
    if (Allocator* made = slot.load(std::memory_order_acquire)) made->record_stream(memory, stream);
}

MemoryStats memory_stats(Device device) { return allocator(check_device(device)).stats(); }

void empty_cache() {
  host_pool().empty();
  for (auto& kind : device_allocators)
    for (auto& slot : kind)
      if (CachingAllocator* made = slot.load(std::memory_order_acquire)) made->empty_cache();
  for (auto& slot : pinned_allocators)
    if (Allocator* made = slot.load(std::memory_order_acquire)) made->empty_cache();
}

}  // namespace td

// The GPU's memory and the backend, which the wrappers find in this program before libtd's.
#include "fake.h"

#include <sys/mman.h>

#include "td/base/error.h"
#include "td/device/allocator.h"
#include "td/device/backend.h"

namespace fake {

World& world() {
  static World instance;
  return instance;
}

void reset() {
  world() = World();
  cuda_stand_in::blas() = {};
  cuda_stand_in::dnn() = {};
}

td::cuda::Where new_stream() {
  static std::uintptr_t last = 0;
  return {0, reinterpret_cast<void*>(++last << 8)};
}

namespace {

class Memory final : public td::Allocator {
 public:
  void* allocate(std::size_t bytes) override {
    if (bytes == 0) return nullptr;
    if (bytes > world().room) throw td::OutOfMemoryError("the fake GPU is full");
    void* const place = static_cast<char*>(pool_begin(world().pool)) + (++blocks_ << 30);
    void* const block =
        mmap(place, bytes, PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
    if (block != place) std::abort();
    world().live[block] = bytes;
    return block;
  }
  void release(void* block, std::size_t bytes) noexcept override {
    const auto found = world().live.find(block);
    if (found == world().live.end() || found->second != bytes) std::abort();
    world().live.erase(found);
    munmap(block, bytes);
  }
  void record_stream(void*, const td::Stream&) override { std::abort(); }
  td::MemoryStats stats() const override { return {}; }
  void reset_peak() override {}
  void empty_cache() override {}

 private:
  std::uintptr_t blocks_ = 0;
};

/// An event's time is the number of the algorithm that ran last before it.
struct Event {
  int time = 0;
  static Event& of(td::NativeEvent* event) { return *reinterpret_cast<Event*>(event); }
};

// Only the compute capability may be asked for, and events.
class Gpu final : public td::Backend {
 public:
  int compute_capability(int) const override { return world().compute_capability; }
  int device_count() const override { std::abort(); }
  std::string unavailable_reason() const override { std::abort(); }
  std::string name(int) const override { std::abort(); }
  void memory(int, std::size_t*, std::size_t*) const override { std::abort(); }
  void* allocate(int, std::size_t) override { std::abort(); }
  void release(int, void*) override { std::abort(); }
  void* allocate_pinned(std::size_t) override { std::abort(); }
  void release_pinned(void*) override { std::abort(); }
  td::NativeStream* new_stream(int, bool) override { std::abort(); }
  void copy(void*, td::Device, const void*, td::Device, std::size_t, int,
            td::NativeStream*) override {
    std::abort();
  }
  void synchronize(int, td::NativeStream*, bool) override { std::abort(); }
  bool idle(int, td::NativeStream*) override { std::abort(); }
  td::NativeEvent* new_event(int, bool) override {
    return reinterpret_cast<td::NativeEvent*>(new Event);
  }
  void release_event(td::NativeEvent* event) override { delete &Event::of(event); }
  void record(td::NativeEvent* event, int, td::NativeStream*) override {
    Event::of(event).time = cuda_stand_in::dnn().convolutions.back().algorithm;
  }
  void wait(int, td::NativeStream*, td::NativeEvent*) override { std::abort(); }
  bool done(td::NativeEvent*) override { std::abort(); }
  void synchronize_event(td::NativeEvent*) override {}
  double milliseconds(td::NativeEvent*, td::NativeEvent* end) override {
    return Event::of(end).time;
  }
  void submit(const td::Record&, int, td::NativeStream*) override { std::abort(); }
};

}  // namespace
}  // namespace fake

td::Allocator& td::allocator(Device) {
  static fake::Memory memory;
  return memory;
}

td::Backend& td::backend(DeviceType) {
  static fake::Gpu gpu;
  return gpu;
}

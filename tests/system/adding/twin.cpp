// A device for adding_test.py: the host's memory under another name, whose work is done when the
// call returns. It shows what a backend must override and what it may leave to the contract's
// defaults.
#include <chrono>
#include <cstdlib>
#include <cstring>

#include "td/device/backend.h"

namespace td {
namespace {

using Clock = std::chrono::steady_clock;

class TwinBackend final : public Backend {
 public:
  int device_count() const override { return 2; }
  std::string name(int) const override { return "twin of the processor"; }
  void memory(int, std::size_t* free, std::size_t* total) const override {
    *free = *total = std::size_t{1} << 30;
  }
  void* allocate(int, std::size_t bytes) override { return std::aligned_alloc(512, bytes); }
  void release(int, void* memory) override { std::free(memory); }
  void* allocate_pinned(std::size_t bytes) override { return std::malloc(bytes); }
  void release_pinned(void* memory) override { std::free(memory); }
  void* new_stream(int, bool) override { return this; }
  void copy(void* to, Device, const void* from, Device, std::size_t bytes, int, void*) override {
    if (bytes) std::memmove(to, from, bytes);
  }
  void synchronize(int, void*, bool) override {}
  bool idle(int, void*) override { return true; }
  void submit(const Record& record, int, void*) override { record.run(record.work); }
  void* new_event(int, bool) override { return new Clock::time_point; }
  void release_event(void* event) override { delete static_cast<Clock::time_point*>(event); }
  void record(void* event, int, void*) override {
    *static_cast<Clock::time_point*>(event) = Clock::now();
  }
  void wait(int, void*, void*) override {}
  bool done(void*) override { return true; }
  void synchronize_event(void*) override {}
};

const RegisterBackend registration(kTWIN, *new TwinBackend);

}  // namespace
}  // namespace td

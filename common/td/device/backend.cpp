// The list of backends. Each one defines its `<kind>_backend()` in its own folder; a kind that is
// not built in answers every question with "no devices" and is never asked to do anything.
#include "td/device/backend.h"

#include "td/base/error.h"

namespace td {

Backend& cpu_backend();
Backend& sim_backend();
#ifdef TD_HAS_CUDA
Backend& cuda_backend();
#else

namespace {

/// Nothing reaches the functions below why_none: check_device refuses the device first.
class NoBackend : public Backend {
 public:
  int device_count() const override { return 0; }
  std::string why_none() const override {
    return "this build has no CUDA; build again where nvcc is installed, or use sim:0.";
  }
  std::string name(int) const override { refuse(); }
  void memory(int, std::size_t*, std::size_t*) const override { refuse(); }
  void* allocate(int, std::size_t) override { refuse(); }
  void release(int, void*) override {}
  void* allocate_pinned(std::size_t) override { refuse(); }
  void release_pinned(void*) override {}
  void* new_stream(int, bool) override { refuse(); }
  void copy(void*, Device, const void*, Device, std::size_t, int, void*) override { refuse(); }
  void synchronize(int, void*, bool) override {}
  bool idle(int, void*) override { return true; }
  void* new_event(int, bool) override { refuse(); }
  void release_event(void*) override {}
  void record(void*, int, void*) override { refuse(); }
  void wait(int, void*, void*) override { refuse(); }
  bool done(void*) override { return true; }
  void synchronize_event(void*) override {}
  double milliseconds(void*, void*) override { refuse(); }
  void submit(const Record&, int, void*) override { refuse(); }

 private:
  [[noreturn]] void refuse() const { fail<DeviceError>(why_none()); }
};

}  // namespace

Backend& cuda_backend() {
  static NoBackend& none = *new NoBackend;  // never destroyed: used until the last static is gone
  return none;
}
#endif

Backend& backend(DeviceType type) {
  switch (type) {
    case kCPU:
      return cpu_backend();
    case kSIM:
      return sim_backend();
    case kCUDA:
      break;
  }
  return cuda_backend();
}

}  // namespace td

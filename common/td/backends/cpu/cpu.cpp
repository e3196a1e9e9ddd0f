// The cpu as a device: it uses memory of the host, its work is done when the call returns, and its
// events are clock readings. stream.cpp and the tensor layer call it through Backend.
#include <sys/mman.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <fstream>

#include "td/device/backend.h"

namespace td {
namespace {

using Clock = std::chrono::steady_clock;

std::string processor_name() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);) {
    if (line.rfind("model name", 0) != 0) continue;
    const std::size_t at = line.find_first_not_of(" \t:", line.find(':'));
    if (at != line.npos) return line.substr(at);
  }
  return "cpu";
}

Clock::time_point& time_of(NativeEvent* event) {
  return *reinterpret_cast<Clock::time_point*>(event);
}

class CpuBackend : public Backend {
 public:
  int device_count() const override { return 1; }
  std::string name(int) const override { return processor_name(); }

  void memory(int, std::size_t* free, std::size_t* total) const override {
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    *free = static_cast<std::size_t>(sysconf(_SC_AVPHYS_PAGES)) * page;
    *total = static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) * page;
  }

  // Memory comes from base/host_memory.h, which calls the system itself.
  NativeStream* new_stream(int, bool) override { return nullptr; }
  void copy(void* to, Device, const void* from, Device, std::size_t bytes, int,
            NativeStream*) override {
    if (bytes) std::memcpy(to, from, bytes);
  }
  void synchronize(int, NativeStream*, bool) override {}
  bool idle(int, NativeStream*) override { return true; }

  NativeEvent* new_event(int, bool) override {
    return reinterpret_cast<NativeEvent*>(new Clock::time_point);
  }
  void release_event(NativeEvent* event) override { delete &time_of(event); }
  void record(NativeEvent* event, int, NativeStream*) override { time_of(event) = Clock::now(); }
  void wait(int, NativeStream*, NativeEvent*) override {}
  bool done(NativeEvent*) override { return true; }
  void synchronize_event(NativeEvent*) override {}
  double milliseconds(NativeEvent* from, NativeEvent* to) override {
    return std::chrono::duration<double, std::milli>(time_of(to) - time_of(from)).count();
  }

  void submit(const Record& record, int, NativeStream*) override { record.run(record.work); }
};

const RegisterBackend registration(kCPU, *new CpuBackend);  // never destroyed

}  // namespace

}  // namespace td

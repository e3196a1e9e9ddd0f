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
  void* new_stream(int, bool) override { return nullptr; }
  void copy(void* to, Device, const void* from, Device, std::size_t bytes, int, void*) override {
    if (bytes) std::memcpy(to, from, bytes);
  }
  void synchronize(int, void*, bool) override {}
  bool idle(int, void*) override { return true; }

  void* new_event(int, bool) override { return new Clock::time_point; }
  void release_event(void* event) override { delete static_cast<Clock::time_point*>(event); }
  void record(void* event, int, void*) override {
    *static_cast<Clock::time_point*>(event) = Clock::now();
  }
  void wait(int, void*, void*) override {}
  bool done(void*) override { return true; }
  void synchronize_event(void*) override {}
  double milliseconds(void* from, void* to) override {
    return std::chrono::duration<double, std::milli>(*static_cast<Clock::time_point*>(to) -
                                                     *static_cast<Clock::time_point*>(from))
        .count();
  }

  void submit(const Record& record, int, void*) override { record.run(record.work); }
};

const RegisterBackend registration(kCPU, *new CpuBackend);  // never destroyed

}  // namespace

}  // namespace td

// sim as a Backend: passes calls to the device's queues, arena and engines. Called by the device
// layer. Invariant: queues and engines are made on demand and exist until the process ends, when
// stop_all ends their threads.
#include <sys/mman.h>

#include <array>
#include <atomic>
#include <cstdlib>
#include <vector>

#include "sim/arena.h"
#include "sim/capture.h"
#include "sim/race_finder.h"
#include "sim/settings.h"
#include "sim/stream_queue.h"
#include "td/base/error.h"
#include "td/base/parallel.h"
#include "td/device/allocator.h"
#include "td/device/backend.h"
#include "td/device/graph.h"
#include "trace/recorder.h"

namespace td::sim {
namespace {

struct DeviceState {
  std::atomic<StreamQueue*> default_queue{nullptr};
  std::mutex mutex;  // guards the next three
  std::vector<StreamQueue*> queues;
  std::vector<StreamQueue*> spare;  // of destroyed graphs, for later ones
  int numbered = 0;                 // queues other than the default one
};

DeviceState& device_state(int index) {
  static auto& all = *new std::array<DeviceState, kMaxDevices>;
  return all[static_cast<std::size_t>(index)];
}

std::vector<StreamQueue*> queues_of(int index) {
  DeviceState& device = device_state(index);
  std::lock_guard lock(device.mutex);
  return device.queues;
}

/// Blocks until the work that the queues hold now is done.
/// @throws AsyncError of the first failure, with `report`; otherwise errors stay in their streams.
void wait_for_all(const std::vector<StreamQueue*>& queues, bool report) {
  const HostWaits waits(queues);
  std::vector<intrusive_ptr<EventState>> states;
  for (StreamQueue* queue : queues) states.push_back(queue->record_state(report));
  for (const auto& state : states) state->wait();
  for (const auto& state : states)
    if (report) throw_failure(*state);
}

/// Blocks until all work of all devices is done; errors stay in their streams.
void drain() {
  std::vector<StreamQueue*> queues;
  for (int i = 0; i < kMaxDevices; ++i)
    for (StreamQueue* queue : queues_of(i)) queues.push_back(queue);
  wait_for_all(queues, false);
}

/// At the end of the process: drops queued kernels, sets events and joins the threads. A second
/// call does nothing.
void stop_all() {
  for (int i = 0; i < kMaxDevices; ++i)
    for (StreamQueue* queue : queues_of(i)) queue->begin_stop();
  for (int i = 0; i < kMaxDevices; ++i)
    for (StreamQueue* queue : queues_of(i)) queue->finish_stop();
  warn_of_races();
}

// Kernels call libraries whose objects exit() destroys before it calls our atexit handler, because
// they were made later. The main thread's thread_local objects are destroyed before those.
struct StopsWithMain {
  ~StopsWithMain() { stop_all(); }
  bool is_made() const { return true; }
};
// Made by the main thread, which loads the program; other threads never access it.
thread_local StopsWithMain stops_with_main;
// A call, because clang drops an unused constant whose initializer has no effect.
[[maybe_unused]] const bool made = stops_with_main.is_made();

/// Makes a queue of the device. The caller holds the device's mutex.
StreamQueue* make_queue(int index, int number) {
  // For a program that does not end through its main thread.
  static const int registered = (trace::at_stop(drain), std::atexit(stop_all));
  static_cast<void>(registered);
  DeviceState& device = device_state(index);
  device.queues.push_back(new StreamQueue(index, number));
  return device.queues.back();
}

}  // namespace

StreamQueue& queue_of(int index, NativeStream* stream) {
  if (stream) return *reinterpret_cast<StreamQueue*>(stream);
  DeviceState& device = device_state(index);
  if (StreamQueue* queue = device.default_queue.load(std::memory_order_acquire)) return *queue;
  std::lock_guard lock(device.mutex);
  if (!device.default_queue.load(std::memory_order_relaxed))
    device.default_queue.store(make_queue(index, 0), std::memory_order_release);
  return *device.default_queue.load(std::memory_order_relaxed);
}

StreamQueue& borrow_queue(int index) {
  DeviceState& device = device_state(index);
  std::lock_guard lock(device.mutex);
  if (device.spare.empty()) return *make_queue(index, ++device.numbered);
  StreamQueue& queue = *device.spare.back();
  device.spare.pop_back();
  return queue;
}

void return_queue(StreamQueue& queue) {
  DeviceState& device = device_state(queue.index());
  std::lock_guard lock(device.mutex);
  device.spare.push_back(&queue);
}

namespace {

/// Pinned memory has its size before it, for munmap.
constexpr std::size_t kPinnedHead = 4096;

struct SimEvent {
  std::mutex mutex;  // events may be recorded and queried by different threads
  intrusive_ptr<EventState> state;
  VectorClock clock;  // what comes before it, while the race finder is on

  intrusive_ptr<EventState> get() {
    std::lock_guard lock(mutex);
    return state;
  }
  /// For the host, which cannot wait for a point of a graph.
  intrusive_ptr<EventState> get_to_wait() {
    auto now = get();
    if (now && now->captured()) refuse_captured_event();
    return now;
  }
  VectorClock get_clock() {
    if (!RaceFinder::active()) return {};
    std::lock_guard lock(mutex);
    return clock;
  }
};

SimEvent& event_of(NativeEvent* event) { return *reinterpret_cast<SimEvent*>(event); }

class SimBackend : public Backend {
 public:
  SimBackend() {
    if (settings().finds_races) find_races(true);
  }
  int device_count() const override { return settings().devices; }
  std::string unavailable_reason() const override { return settings().error; }
  std::string more_devices_hint(int count) const override {
    return count <= kMaxDevices ? ", or start with TD_SIM_DEVICES=" + std::to_string(count) : "";
  }
  std::string more_memory_hint() const override {
    return ", or give the device more with TD_SIM_MEMORY=8GiB";
  }
  bool guards_memory() const override { return true; }
  void gave_out(const void* block, const std::string& words) override { note_block(block, words); }
  void* kernel_address(int index, void* memory) const override {
    return kernel_view(index, memory);
  }
  GraphBackend* graphs() override { return &sim::graphs(); }
  std::string name(int) const override {
    const int cores = core_count(), share = std::max(1, cores / std::max(1, device_count()));
    return "software accelerator, " + std::to_string(share) + " of " + std::to_string(cores) +
           (cores == 1 ? " core" : " cores");
  }
  void memory(int index, std::size_t* free, std::size_t* total) const override {
    const Arena* made = existing_arena(index);
    const std::size_t used = made ? made->used() : 0;
    *total = capacity();
    *free = *total - std::min(*total, used);
  }

  void* allocate(int index, std::size_t bytes) override { return arena(index).allocate(bytes); }
  void release(int index, void* memory) override {
    drain();  // like cudaFree: queued work may still use the memory
    arena(index).release(memory);
  }
  // Not locked into memory, which would need a privilege. Pinned here means that the stream's
  // thread may read it, because the allocator does not reuse it before the copies are done.
  void* allocate_pinned(std::size_t bytes) override {
    void* pages = mmap(nullptr, bytes + kPinnedHead, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED) return nullptr;
    *static_cast<std::size_t*>(pages) = bytes + kPinnedHead;
    return static_cast<char*>(pages) + kPinnedHead;
  }
  void release_pinned(void* memory) override {
    void* pages = static_cast<char*>(memory) - kPinnedHead;
    const std::size_t bytes = *static_cast<std::size_t*>(pages);
    if (RaceFinder* finder = RaceFinder::active()) finder->forget(pages, bytes);
    munmap(pages, bytes);
  }

  NativeStream* new_stream(int index, bool) override {
    DeviceState& device = device_state(index);
    std::lock_guard lock(device.mutex);
    return make_queue(index, ++device.numbered)->handle();
  }
  void copy(void* to, Device to_device, const void* from, Device from_device, std::size_t bytes,
            int index, NativeStream* stream) override {
    if (bytes > 0) sim::copy(queue_of(index, stream), to, to_device, from, from_device, bytes);
  }
  void synchronize(int index, NativeStream* stream, bool all_streams) override {
    if (all_streams) {
      const trace::Span span("Device Synchronize", trace::Category::kWait);
      return wait_for_all(queues_of(index), true);
    }
    const HostWaits waits(queue_of(index, stream));
    queue_of(index, stream).synchronize();
  }
  bool idle(int index, NativeStream* stream) override {
    HostWaits waits(queue_of(index, stream));
    if (queue_of(index, stream).idle()) return true;
    waits.cancel();
    return false;
  }

  NativeEvent* new_event(int, bool) override {
    return reinterpret_cast<NativeEvent*>(new SimEvent);
  }
  void release_event(NativeEvent* event) override { delete &event_of(event); }
  void record(NativeEvent* event, int index, NativeStream* stream) override {
    VectorClock clock;
    if (RaceFinder* finder = RaceFinder::active())
      clock = finder->clock_of(queue_of(index, stream));
    auto state = queue_of(index, stream).record_event();
    std::lock_guard lock(event_of(event).mutex);
    event_of(event).state = std::move(state);
    event_of(event).clock = std::move(clock);
  }
  void wait(int index, NativeStream* stream, NativeEvent* event) override {
    if (RaceFinder* finder = RaceFinder::active())
      finder->waits(queue_of(index, stream), event_of(event).get_clock());
    queue_of(index, stream).wait_for(event_of(event).get());
  }
  bool done(NativeEvent* event) override {
    const auto state = event_of(event).get_to_wait();
    return !state || state->done();
  }
  void host_saw(NativeEvent* event) override {
    const HostWaits waited(event_of(event).get_clock());
  }
  void synchronize_event(NativeEvent* event) override {
    const HostWaits waits(event_of(event).get_clock());
    const auto state = event_of(event).get_to_wait();
    if (!state) return;
    const trace::Span span("Event Synchronize", trace::Category::kWait);
    state->wait();
    throw_failure(*state);
  }
  double milliseconds(NativeEvent* from, NativeEvent* to) override {
    return std::chrono::duration<double, std::milli>(event_of(to).get()->when() -
                                                     event_of(from).get()->when())
        .count();
  }

  void submit(const Record& record, int index, NativeStream* stream) override {
    spend_launch_cost();
    if (RaceFinder* finder = RaceFinder::active())
      finder->submitted(queue_of(index, stream), record);
    queue_of(index, stream).submit(record);
  }
};

const RegisterBackend registration(kSIM, *new SimBackend);  // never destroyed

}  // namespace
}  // namespace td::sim

// sim's graphs for device/graph.cpp. A handle is a Capture with one reference.
#include "td/device/backend.h"

#include <map>
#include <mutex>

#include "sim/capture.h"
#include "sim/race_finder.h"
#include "sim/settings.h"
#include "td/base/error.h"

namespace td {
namespace sim {
namespace {

class SimGraphs : public GraphBackend {
 public:
  void begin_capture(int index, void* stream) override {
    Queue& queue = queue_of(index, stream);
    TD_CHECK(DeviceError, !queue.is_captured(), "capture_begin: the stream of sim:", index,
             " is being captured already, by another thread or as a side stream; take another "
             "stream from the pool.");
    auto capture = make_intrusive<Capture>(queue);
    queue.capture_into(capture.get());
    std::lock_guard lock(mutex_);
    underway_[&queue] = std::move(capture);
  }

  void* end_capture(int index, void* stream, std::size_t* nodes) override {
    Queue& queue = queue_of(index, stream);
    intrusive_ptr<Capture> capture;
    {
      std::lock_guard lock(mutex_);
      capture = std::move(underway_[&queue]);
      underway_.erase(&queue);
    }
    capture->finish();
    *nodes = capture->size();
    return capture.detach();
  }

  void launch(void* graph, int index, void* stream) override {
    spend_launch_cost();
    if (RaceFinder* finder = RaceFinder::active())
      finder->launched(queue_of(index, stream), *static_cast<Capture*>(graph));
    static_cast<Capture*>(graph)->launch(queue_of(index, stream));
  }

  void release(void* graph, int) noexcept override { static_cast<Capture*>(graph)->release(); }

 private:
  std::mutex mutex_;  // guards underway_
  std::map<Queue*, intrusive_ptr<Capture>> underway_;
};

}  // namespace

GraphBackend& graphs() {
  static SimGraphs& instance = *new SimGraphs;
  return instance;
}

}  // namespace sim

}  // namespace td

// The threads of parallel_apply. They wait for the next call instead of ending: starting one costs
// more than a small model's forward pass, and it would begin with empty memory caches.
#include "parallel/parallel_apply.h"

#include <algorithm>
#include <exception>
#include <mutex>
#include <semaphore>
#include <thread>
#include <typeinfo>

#include "td/autograd/record.h"
#include "td/base/error.h"
#include "td/base/parallel.h"
#include "td/device/context.h"
#include "td/device/graph.h"
#include "td/device/stream.h"
#include "td/ops/autocast.h"
#include "td/tensor/generator.h"

namespace td::parallel {
namespace {

// One thread that runs one job at a time, for the life of the process.
class Worker {
 public:
  Worker() {
    std::thread([this] {
      for (;;) {
        started_.acquire();
        job_();
        job_ = nullptr;  // with what it holds
        done_.release();
      }
    }).detach();
  }
  void start(std::function<void()> job) {
    job_ = std::move(job);
    started_.release();
  }
  void wait() { done_.acquire(); }

 private:
  std::function<void()> job_;
  std::binary_semaphore started_{0}, done_{0};
};

// Workers that wait for a job. Never destroyed, like the threads themselves.
class Workers {
 public:
  static Workers& instance() {
    static Workers& all = *new Workers;
    return all;
  }
  std::vector<Worker*> take(std::size_t count) {
    std::lock_guard lock(mutex_);
    std::vector<Worker*> taken;
    for (; taken.size() < count && !idle_.empty(); idle_.pop_back()) taken.push_back(idle_.back());
    while (taken.size() < count) taken.push_back(new Worker);
    return taken;
  }
  // In reverse order, so that a worker gets the same replica next time, with full memory caches.
  void give_back(const std::vector<Worker*>& workers) {
    std::lock_guard lock(mutex_);
    idle_.insert(idle_.end(), workers.rbegin(), workers.rend());
  }

 private:
  std::mutex mutex_;
  std::vector<Worker*> idle_;
};

// What a thread of a replica takes over from the caller.
struct ThreadLocalState {
  Context state = context();
  int width = 1;                                             // cores for a replica on the cpu
  Generator::State random = default_generator().reserve(1);  // for seeds

  explicit ThreadLocalState(const std::vector<Device>& devices) {
    const auto on_cpu = std::count_if(devices.begin(), devices.end(),
                                      [](const Device& device) { return device.is_cpu(); });
    width = std::max(1, parallel_width() / std::max(1, static_cast<int>(on_cpu)));
  }
};

// Gives a thread the state of replica `index`, whose device exists, until the end of the scope.
// `end` is the number of the next operation then.
class ThreadLocalStateGuard {
 public:
  ThreadLocalStateGuard(const ThreadLocalState& from, Device device, std::size_t index,
                        std::uint64_t& end)
      : state_before_(std::exchange(context(), from.state)),
        end_(end),
        // Far from the seeds that people choose, and from the other replicas'.
        generator_(from.random.seed + 0x9E3779B97F4A7C15u * (from.random.offset * 64 + index + 1)) {
    context().underway = state_before_.underway;
    context().generator = &generator_;
    context().underway.node = nullptr;  // a replica's forward pass is not part of a gradient
    set_device(device);
    if (device.is_cpu() && from.width != width_before_) set_parallel_width(from.width);
  }
  ~ThreadLocalStateGuard() {
    if (parallel_width() != width_before_) set_parallel_width(width_before_);
    end_ = context().next_sequence;
    context() = state_before_;
    // The caller's region does not end in this thread, so its cached casts are dropped here.
    if (state_before_.autocast_depth == 0) autocast::clear_cache();
  }
  ThreadLocalStateGuard(const ThreadLocalStateGuard&) = delete;
  ThreadLocalStateGuard& operator=(const ThreadLocalStateGuard&) = delete;

 private:
  Context state_before_;
  std::uint64_t& end_;
  int width_before_ = parallel_width();
  Generator generator_;
};

// Throws with `text` when `error` is exactly one of these types.
template <class... Errors>
void throw_as(const std::exception& error, const std::string& text) {
  ((typeid(error) == typeid(Errors) ? throw Errors(text) : void()), ...);
}

[[noreturn]] void throw_named(const std::exception_ptr& error, std::size_t index, Device device) {
  try {
    std::rethrow_exception(error);
  } catch (const std::exception& e) {
    const std::string text = str("replica ", index, " on ", device, ": ", e.what());
    throw_as<Error, DeviceError, ShapeError, DtypeError, OutOfMemoryError, AsyncError, IoError,
             AutogradError, std::runtime_error, std::logic_error, std::invalid_argument,
             std::out_of_range>(e, text);
    throw;
  }
}

}  // namespace

void run_replicas(const std::vector<Device>& devices,
                  const std::function<void(std::size_t)>& work) {
  if (devices.empty()) return;
  if (capturing_graph() && devices.size() > 1)
    fail_in_capture("parallel_apply",
                    "Replicas work in threads of their own, whose memory would not be the "
                    "graph's. Capture the step of one device.");
  const ThreadLocalState from(devices);
  std::vector<std::exception_ptr> errors(devices.size());
  std::vector<std::uint64_t> ends(devices.size(), from.state.next_sequence);
  const auto run = [&](std::size_t i) {
    try {
      ThreadLocalStateGuard here(from, check_device(devices[i]), i, ends[i]);
      work(i);
    } catch (...) {
      errors[i] = std::current_exception();
    }
  };
  const std::vector<Worker*> workers = Workers::instance().take(devices.size() - 1);
  for (std::size_t i = 1; i < devices.size(); ++i) workers[i - 1]->start([&run, i] { run(i); });
  run(0);
  for (Worker* worker : workers) worker->wait();
  Workers::instance().give_back(workers);
  context().next_sequence = *std::max_element(ends.begin(), ends.end());
  for (std::size_t i = 0; i < devices.size(); ++i)
    if (errors[i]) throw_named(errors[i], i, devices[i]);
}

}  // namespace td::parallel

namespace td::nn::parallel::detail {

void check_counts(std::size_t modules, std::size_t inputs, std::size_t devices) {
  TD_CHECK(Error, inputs == modules, "parallel_apply: must have as many inputs as modules, but ",
           inputs, " inputs and ", modules,
           " modules were given; a batch of few rows is scattered ",
           "to fewer devices, and then fewer replicas are needed");
  TD_CHECK(Error, devices == modules, "parallel_apply: must have as many devices as modules, but ",
           devices, " devices and ", modules, " modules were given");
}

Device device_of(const TensorList& tensors) {
  return tensors.empty() ? Device(kCPU) : tensors[0].device();
}

}  // namespace td::nn::parallel::detail

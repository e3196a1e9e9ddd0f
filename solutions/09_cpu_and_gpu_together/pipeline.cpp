// run_pipeline: exercise 9.pipeline, declared in exercises.h.
#include <pthread.h>

#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

#include "exercises.h"
#include "td/base/parallel.h"
#include "td/exercise.h"

// solution only
namespace {

/// A batch on its way. It is kept whole until the work on it is done.
struct Parcel {
  Batch host, on_device;
  td::Event copied, used;
};

// anchor: send
Parcel send(Batch host, td::Device device, const td::Stream& copies) {
  const td::StreamGuard on_copies(copies);
  const auto copy = [&](const td::Tensor& t) { return t.to(device, /*non_blocking=*/true); };
  Batch on_device(copy(host.data), copy(host.target));
  Parcel parcel{std::move(host), std::move(on_device), td::Event(device.type()),
                td::Event(device.type())};
  parcel.copied.record(copies);
  return parcel;
}
// anchor end

// anchor: belt
/// Carries batches from the preparing thread to the caller, at most `places` at a time.
class Belt {
 public:
  explicit Belt(std::size_t places) : places_(places) {}

  /// For the thread: waits for a free place. @return false when no more batches are wanted.
  bool wait_for_place() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return closed_ || parcels_.size() < places_; });
    return !closed_;
  }
  void put(Parcel parcel) {
    const std::lock_guard lock(mutex_);
    parcels_.push_back(std::move(parcel));
    changed_.notify_all();
  }
  /// No batch will come any more, and this is why.
  void fail(std::exception_ptr error) {
    const std::lock_guard lock(mutex_);
    error_ = error;
    changed_.notify_all();
  }
  /// For the caller: waits for a batch, or throws what came in its place.
  Parcel take() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return error_ || !parcels_.empty(); });
    if (parcels_.empty()) std::rethrow_exception(error_);
    Parcel first = std::move(parcels_.front());
    parcels_.pop_front();
    changed_.notify_all();
    return first;
  }
  /// No batch is wanted any more.
  void close() {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    changed_.notify_all();
  }

 private:
  const std::size_t places_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Parcel> parcels_;
  std::exception_ptr error_;
  bool closed_ = false;
};
// anchor end

/// Ends the thread and waits for the device, however the pipeline is left.
struct Ending {
  Belt& belt;
  std::thread& thread;
  const td::Stream &copies, &compute;
  ~Ending() {
    belt.close();
    thread.join();
    try {
      copies.synchronize();
      compute.synchronize();
    } catch (const td::Error&) {  // whoever ends the pipeline early has an error to tell already
    }
  }
};

}  // namespace
// end

void run_pipeline(std::int64_t batches, const Prepare& prepare, const Work& work, td::Device device,
                  std::size_t ahead) {
  // blank: A thread that prepares and sends; here take, wait, work, mark. About 50 lines.
  // anchor: run
  const td::Stream copies = td::getStreamFromPool(device), compute = td::getCurrentStream(device);
  Belt belt(ahead);
  std::thread thread([&] {
    td::set_parallel_width(1);
    pthread_setname_np(pthread_self(), "prepare");  // how traces call it
    try {
      for (std::int64_t i = 0; i < batches && belt.wait_for_place(); ++i)
        belt.put(send(prepare(i), device, copies));
    } catch (...) {
      belt.fail(std::current_exception());
    }
  });
  std::deque<Parcel> in_work;
  const Ending ending{belt, thread, copies, compute};
  const auto finish_first = [&] {
    in_work.front().used.synchronize();
    in_work.pop_front();
  };
  for (std::int64_t i = 0; i < batches; ++i) {
    in_work.push_back(belt.take());
    const Parcel& batch = in_work.back();
    batch.copied.block(compute);  // the stream waits, not the host
    work(i, batch.on_device);
    in_work.back().used.record(compute);
    if (in_work.size() > 1) finish_first();
  }
  while (!in_work.empty()) finish_first();
  // anchor end
  // end
}

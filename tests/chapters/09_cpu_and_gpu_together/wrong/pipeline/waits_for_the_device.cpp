// expect: the work on batch 1 is enqueued only when that on batch 0 is done
// Waits for the device in every step: it has nothing to do until the host has asked again.
#include <deque>
#include <thread>

#include "bounded_queue.h"
#include "exercises.h"
#include "td/base/parallel.h"

namespace {

InFlightBatch send(Batch host, td::Device device, const td::Stream& copies) {
  const td::StreamGuard on_copies(copies);
  const auto copy = [&](const td::Tensor& t) { return t.to(device, /*non_blocking=*/true); };
  Batch on_device(copy(host.data), copy(host.target));
  InFlightBatch batch{std::move(host), std::move(on_device), td::Event(device.type()),
                      td::Event(device.type())};
  batch.copied.record(copies);
  return batch;
}

struct Ending {
  BoundedQueue& queue;
  std::thread& thread;
  const td::Stream &copies, &compute;
  ~Ending() {
    queue.close();
    thread.join();
    try {
      copies.synchronize();
      compute.synchronize();
    } catch (const td::Error&) {  // the thread that ends the pipeline early reports an error
    }
  }
};

}  // namespace

void run_pipeline(std::int64_t batches, const Prepare& prepare, const Work& work, td::Device device,
                  std::size_t ahead) {
  const td::Stream copies = td::getStreamFromPool(device), compute = td::getCurrentStream(device);
  BoundedQueue queue(ahead);
  std::thread thread([&] {
    td::set_parallel_width(1);
    try {
      for (std::int64_t i = 0; i < batches && queue.wait_for_space(); ++i)
        queue.put(send(prepare(i), device, copies));
    } catch (...) {
      queue.fail(std::current_exception());
    }
  });
  std::deque<InFlightBatch> in_work;
  const Ending ending{queue, thread, copies, compute};
  const auto finish_first = [&] {
    in_work.front().used.synchronize();
    in_work.pop_front();
  };
  for (std::int64_t i = 0; i < batches; ++i) {
    in_work.push_back(queue.take());
    const InFlightBatch& batch = in_work.back();
    batch.copied.block(compute);  // the stream waits, not the host
    work(i, batch.on_device);
    in_work.back().used.record(compute);
    finish_first();
  }
  while (!in_work.empty()) finish_first();
}

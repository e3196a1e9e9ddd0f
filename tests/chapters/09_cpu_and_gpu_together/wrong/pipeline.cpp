#include "exercises.h"

#include <deque>
#include <thread>

#include "bounded_queue.h"
#include "td/base/parallel.h"

// answer: a_thread_for_each_batch
// expect: prepare is called on the caller
// Prepares on the caller's thread when the queue is empty at the start.
namespace a_thread_for_each_batch {
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

/// Ends the thread and waits for the device, however the pipeline is left.
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
      for (std::int64_t i = 1; i < batches && queue.wait_for_space(); ++i)
        queue.put(send(prepare(i), device, copies));
    } catch (...) {
      queue.fail(std::current_exception());
    }
  });
  std::deque<InFlightBatch> in_work;
  std::optional<InFlightBatch> first;
  const Ending ending{queue, thread, copies, compute};
  if (batches > 0) first = send(prepare(0), device, copies);
  const auto finish_first = [&] {
    in_work.front().used.synchronize();
    in_work.pop_front();
  };
  for (std::int64_t i = 0; i < batches; ++i) {
    in_work.push_back(i == 0 ? std::move(*first) : queue.take());
    const InFlightBatch& batch = in_work.back();
    batch.copied.block(compute);  // the stream waits, not the host
    work(i, batch.on_device);
    in_work.back().used.record(compute);
    if (in_work.size() > 1) finish_first();
  }
  while (!in_work.empty()) finish_first();
}
}  // namespace a_thread_for_each_batch

// answer: copies_on_the_current_stream
// expect: is it copied on a stream of its own?
// The copies are queued after the work: right numbers, but no overlap of the two.
namespace copies_on_the_current_stream {
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
  const td::Stream copies = td::getCurrentStream(device), compute = td::getCurrentStream(device);
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
    if (in_work.size() > 1) finish_first();
  }
  while (!in_work.empty()) finish_first();
}
}  // namespace copies_on_the_current_stream

// answer: forgets_the_copies
// expect: a copy is still in flight
// Waits for the work at the end, but not for copies that no work has waited for.
namespace forgets_the_copies {
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

/// Ends the thread and waits for the device, however the pipeline ends.
struct Ending {
  BoundedQueue& queue;
  std::thread& thread;
  const td::Stream &copies, &compute;
  ~Ending() {
    queue.close();
    thread.join();
    try {
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
    if (in_work.size() > 1) finish_first();
  }
  while (!in_work.empty()) finish_first();
}
}  // namespace forgets_the_copies

// answer: frees_the_batch_too_early
// expect: its host memory is overwritten when it is freed
// Keeps the copy and drops the original, which is still being read.
namespace frees_the_batch_too_early {
namespace {

InFlightBatch send(Batch host, td::Device device, const td::Stream& copies) {
  const td::StreamGuard on_copies(copies);
  const auto copy = [&](const td::Tensor& t) { return t.to(device, /*non_blocking=*/true); };
  Batch on_device(copy(host.data), copy(host.target));
  InFlightBatch batch{Batch(), std::move(on_device), td::Event(device.type()),
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
    if (in_work.size() > 1) finish_first();
  }
  while (!in_work.empty()) finish_first();
}
}  // namespace frees_the_batch_too_early

// answer: keeps_every_batch
// expect: batches were in memory at the same time
// Waits for the work, but releases the batches only at the end.
namespace keeps_every_batch {
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

/// Ends the thread and waits for the device, however the pipeline is left.
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
  std::size_t done = 0;
  const Ending ending{queue, thread, copies, compute};
  const auto finish_first = [&] { in_work[done++].used.synchronize(); };
  for (std::int64_t i = 0; i < batches; ++i) {
    in_work.push_back(queue.take());
    const InFlightBatch& batch = in_work.back();
    batch.copied.block(compute);  // the stream waits, not the host
    work(i, batch.on_device);
    in_work.back().used.record(compute);
    if (in_work.size() > done + 1) finish_first();
  }
  while (done < in_work.size()) finish_first();
}
}  // namespace keeps_every_batch

// answer: leaves_work_behind
// expect: work that was enqueued is still pending
// Ends the thread after an error, and does not wait for pending work of the device.
namespace leaves_work_behind {
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

/// Ends the thread and waits for the device, however the pipeline is left.
struct Ending {
  BoundedQueue& queue;
  std::thread& thread;
  const td::Stream &copies, &compute;
  ~Ending() {
    queue.close();
    thread.join();
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
    if (in_work.size() > 1) finish_first();
  }
  while (!in_work.empty()) finish_first();
}
}  // namespace leaves_work_behind

// answer: no_event
// expect: race on sim:0
// The work starts although the batch may not be there yet.
namespace no_event {
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
    work(i, batch.on_device);
    in_work.back().used.record(compute);
    if (in_work.size() > 1) finish_first();
  }
  while (!in_work.empty()) finish_first();
}
}  // namespace no_event

// answer: prepares_all_first
// expect: batches were begun before the work on batch 1
// A queue without a bound: right numbers, and all batches in memory when the device is slow.
namespace prepares_all_first {
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
  BoundedQueue queue(1000);
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
    if (in_work.size() > 1) finish_first();
  }
  while (!in_work.empty()) finish_first();
}
}  // namespace prepares_all_first

// answer: runs_far_ahead
// expect: batches pile up on a slow device
// Waits for the device only at the end.
namespace runs_far_ahead {
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

/// Ends the thread and waits for the device, however the pipeline is left.
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
  }
  while (!in_work.empty()) finish_first();
}
}  // namespace runs_far_ahead

// answer: swallows_the_exception
// expect: an error was expected, none was thrown
// An error in the thread ends the epoch early, and is not reported.
namespace swallows_the_exception {
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
      queue.put({{}, {}, td::Event(td::kCPU), td::Event(td::kCPU)});
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
    if (!in_work.back().host.data.defined()) {
      in_work.pop_back();
      break;
    }
    const InFlightBatch& batch = in_work.back();
    batch.copied.block(compute);  // the stream waits, not the host
    work(i, batch.on_device);
    in_work.back().used.record(compute);
    if (in_work.size() > 1) finish_first();
  }
  while (!in_work.empty()) finish_first();
}
}  // namespace swallows_the_exception

// answer: the_host_waits_for_the_copy
// expect: work is called only when the copy of its batch is done
// Waits for the copy on the host, not on the stream.
namespace the_host_waits_for_the_copy {
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

/// Ends the thread and waits for the device, however the pipeline is left.
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
    batch.copied.synchronize();
    work(i, batch.on_device);
    in_work.back().used.record(compute);
    if (in_work.size() > 1) finish_first();
  }
  while (!in_work.empty()) finish_first();
}
}  // namespace the_host_waits_for_the_copy

// answer: throws_too_early
// expect: work was called on batches
// Looks at the error before it takes the batches that came before.
namespace throws_too_early {
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

/// Ends the thread and waits for the device, however the pipeline is left.
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
  std::exception_ptr error;
  std::atomic<bool> failed{false};
  std::thread thread([&] {
    td::set_parallel_width(1);
    try {
      for (std::int64_t i = 0; i < batches && queue.wait_for_space(); ++i)
        queue.put(send(prepare(i), device, copies));
    } catch (...) {
      error = std::current_exception();
      failed = true;
      queue.fail(error);
    }
  });
  std::deque<InFlightBatch> in_work;
  const Ending ending{queue, thread, copies, compute};
  const auto finish_first = [&] {
    in_work.front().used.synchronize();
    in_work.pop_front();
  };
  for (std::int64_t i = 0; i < batches; ++i) {
    if (i == 0) std::this_thread::sleep_for(std::chrono::milliseconds(100));
    if (failed) std::rethrow_exception(error);
    in_work.push_back(queue.take());
    const InFlightBatch& batch = in_work.back();
    batch.copied.block(compute);  // the stream waits, not the host
    work(i, batch.on_device);
    in_work.back().used.record(compute);
    if (in_work.size() > 1) finish_first();
  }
  while (!in_work.empty()) finish_first();
}
}  // namespace throws_too_early

// answer: waits_for_the_device
// expect: the work on batch 1 is enqueued only when that on batch 0 is done
// Waits for the device in every step: it has nothing to do until the host has asked again.
namespace waits_for_the_device {
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
}  // namespace waits_for_the_device

// answer: waits_on_the_default_stream
// expect: race on sim:0
// Takes the default stream for the current one.
namespace waits_on_the_default_stream {
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

/// Ends the thread and waits for the device, however the pipeline is left.
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
  const td::Stream copies = td::getStreamFromPool(device), compute = td::getDefaultStream(device);
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
    if (in_work.size() > 1) finish_first();
  }
  while (!in_work.empty()) finish_first();
}
}  // namespace waits_on_the_default_stream

// answer: throws_another_error
// expect: prepare threw an exception of its own type, and another one was thrown
// Passes the words of the exception on, and loses its type.
namespace throws_another_error {
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

/// Ends the thread and waits for the device, however the pipeline ends.
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
    } catch (const std::exception& error) {
      queue.fail(std::make_exception_ptr(std::runtime_error(error.what())));
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
    if (in_work.size() > 1) finish_first();
  }
  while (!in_work.empty()) finish_first();
}
}  // namespace throws_another_error

// answer: copies_on_the_cpu
// expect: on the cpu nothing is copied, but the work gets another tensor
// Copies a batch also where it is on its device already.
namespace copies_on_the_cpu {
namespace {

InFlightBatch send(Batch host, td::Device device, const td::Stream& copies) {
  const td::StreamGuard on_copies(copies);
  const auto copy = [&](const td::Tensor& t) {
    const td::Tensor there = td::empty_like(t, t.options().device(device).pinned_memory(false));
    return there.copy_(t, /*non_blocking=*/true);
  };
  Batch on_device(copy(host.data), copy(host.target));
  InFlightBatch batch{std::move(host), std::move(on_device), td::Event(device.type()),
                      td::Event(device.type())};
  batch.copied.record(copies);
  return batch;
}

/// Ends the thread and waits for the device, however the pipeline ends.
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
    if (in_work.size() > 1) finish_first();
  }
  while (!in_work.empty()) finish_first();
}
}  // namespace copies_on_the_cpu

// answer: used_on_the_default_stream
// expect: batches pile up on a slow device (the current stream is not the default stream)
// Records the end of the work on a stream that has no work, so that the host never waits for it.
namespace used_on_the_default_stream {
void run_pipeline(std::int64_t batches, const Prepare& prepare, const Work& work, td::Device device,
                  std::size_t ahead) {
  const td::Stream current = td::getCurrentStream(device);
  const td::Stream copies = device.is_cpu() ? current : td::getStreamFromPool(device);
  BoundedQueue queue(ahead);
  std::deque<InFlightBatch> working;
  std::jthread thread([&] {
    td::set_parallel_width(1);
    const td::StreamGuard guard(copies);
    try {
      for (std::int64_t i = 0; i < batches && queue.wait_for_space(); ++i) {
        const Batch host = prepare(i);
        InFlightBatch batch{host,
                            {host.data.to(device, true), host.target.to(device, true)},
                            td::Event(device.type()),
                            td::Event(device.type())};
        batch.copied.record(copies);
        queue.put(std::move(batch));
      }
    } catch (...) {
      queue.fail(std::current_exception());
    }
  });
  const auto finish = [&] {
    queue.close();
    thread.join();
    copies.synchronize();
    current.synchronize();
  };
  try {
    for (std::int64_t i = 0; i < batches; ++i) {
      InFlightBatch batch = queue.take();
      for (; working.size() >= 2; working.pop_front()) working.front().used.synchronize();
      batch.copied.block(current);
      if (!device.is_cpu()) {
        batch.on_device.data.record_stream(current);
        batch.on_device.target.record_stream(current);
      }
      work(i, batch.on_device);
      batch.used.record(td::getDefaultStream(device));
      working.push_back(std::move(batch));
    }
  } catch (...) {
    finish();
    throw;
  }
  finish();
}
}  // namespace used_on_the_default_stream

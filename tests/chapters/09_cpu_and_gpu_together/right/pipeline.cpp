#include "exercises.h"

#include <array>
#include <future>

#include "bounded_queue.h"
#include "td/base/parallel.h"

// answer: a_future_and_two_slots
// The thread is a future, the caller keeps two batches in an array, and errors are handled by hand.
namespace a_future_and_two_slots {
void run_pipeline(std::int64_t batches, const Prepare& prepare, const Work& work, td::Device device,
                  std::size_t ahead) {
  BoundedQueue queue(ahead);
  const td::Stream copy_stream = td::getStreamFromPool(device);
  std::future<void> producer = std::async(std::launch::async, [&] {
    td::set_parallel_width(1);
    const td::StreamGuard guard(copy_stream);
    try {
      for (std::int64_t next = 0; next != batches; ++next) {
        if (!queue.wait_for_space()) return;
        Batch host = prepare(next);
        Batch there{host.data.to(device, true), host.target.to(device, true)};
        InFlightBatch batch{host, there, td::Event(device.type()), td::Event(device.type())};
        batch.copied.record(copy_stream);
        queue.put(std::move(batch));
      }
    } catch (...) {
      queue.fail(std::current_exception());
    }
  });
  std::array<std::optional<InFlightBatch>, 2> slots;
  std::exception_ptr error;
  try {
    for (std::int64_t i = 0; i < batches; ++i) {
      std::optional<InFlightBatch>& slot = slots[static_cast<std::size_t>(i % 2)];
      if (slot) slot->used.synchronize();
      slot.reset();
      slot = queue.take();
      const td::Stream current = td::getCurrentStream(device);
      slot->copied.block(current);
      slot->on_device.data.record_stream(current);
      slot->on_device.target.record_stream(current);
      work(i, slot->on_device);
      slot->used.record(current);
    }
  } catch (...) {
    error = std::current_exception();
  }
  queue.close();
  producer.wait();
  copy_stream.synchronize();
  td::getCurrentStream(device).synchronize();
  if (error) std::rethrow_exception(error);
}
}  // namespace a_future_and_two_slots

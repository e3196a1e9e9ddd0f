#include <thread>

#include "bounded_queue.h"
#include "exercises.h"

// answer: waits_for_each_copy
// The reader waits for its copy before it reads again, and the caller for each prediction.
namespace waits_for_each_copy {
struct Closing {
  BoundedQueue& queue;
  ~Closing() { queue.close(); }
};

std::vector<td::Tensor> predict_files(std::int64_t files, const std::vector<std::int64_t>& sizes,
                                      const Read& read, const Predict& predict, td::Device device) {
  const td::Stream copies = td::getStreamFromPool(device), compute = td::getCurrentStream(device);
  const auto options = td::TensorOptions(td::kFloat32).pinned_memory(!device.is_cpu());
  BoundedQueue queue(2);
  std::jthread reader([&] {
    const td::StreamGuard on_copies(copies);
    const td::Tensor buffer = td::empty(sizes, options);
    try {
      for (std::int64_t i = 0; i < files && queue.wait_for_space(); ++i) {
        const td::Tensor rows = device.is_cpu() ? td::empty(sizes, options) : buffer;
        read(i, rows);
        InFlightBatch batch{{rows, {}},
                            {rows.to(device, /*non_blocking=*/true), {}},
                            td::Event(device.type()),
                            td::Event(device.type())};
        batch.copied.record(copies);
        batch.copied.synchronize();
        queue.put(std::move(batch));
      }
    } catch (...) {
      queue.fail(std::current_exception());
    }
  });
  const Closing closing{queue};
  std::vector<td::Tensor> scores;
  for (std::int64_t i = 0; i < files; ++i) {
    const InFlightBatch batch = queue.take();
    batch.on_device.data.record_stream(compute);
    scores.push_back(predict(batch.on_device.data).cpu());
  }
  return scores;
}
}  // namespace waits_for_each_copy

// answer: catches_and_closes
// A plain thread, which is joined in both cases, and one event for each file.
namespace catches_and_closes {

std::vector<td::Tensor> predict_files(std::int64_t files, const std::vector<std::int64_t>& sizes,
                                      const Read& read, const Predict& predict, td::Device device) {
  const td::Stream copies = td::getStreamFromPool(device), compute = td::getCurrentStream(device);
  BoundedQueue queue(2);
  std::thread reader([&] {
    try {
      for (std::int64_t i = 0; i < files && queue.wait_for_space(); ++i) {
        td::Tensor rows = td::zeros(sizes);
        read(i, rows);
        if (!device.is_cpu()) rows = rows.pin_memory();
        const td::StreamGuard on_copies(copies);
        InFlightBatch batch{{rows, {}},
                            {rows.to(device, /*non_blocking=*/true), {}},
                            td::Event(device.type()),
                            td::Event(device.type())};
        batch.copied.record(copies);
        queue.put(std::move(batch));
      }
    } catch (...) {
      queue.fail(std::current_exception());
    }
  });
  std::vector<td::Tensor> outputs, scores;
  std::vector<InFlightBatch> all;
  try {
    for (std::int64_t i = 0; i < files; ++i) {
      all.push_back(queue.take());
      all.back().copied.block(compute);
      outputs.push_back(predict(all.back().on_device.data));
    }
    for (const td::Tensor& output : outputs) scores.push_back(output.to(td::kCPU));
    compute.synchronize();
  } catch (...) {
    queue.close();
    reader.join();
    compute.synchronize();
    throw;
  }
  reader.join();
  return scores;
}
}  // namespace catches_and_closes

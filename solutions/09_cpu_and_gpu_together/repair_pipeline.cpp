// predict_files: exercise 9.repair_pipeline, declared in exercises.h.
#include <thread>

#include "bounded_queue.h"
#include "exercises.h"
#include "td/exercise.h"

std::vector<td::Tensor> predict_files(std::int64_t files, const std::vector<std::int64_t>& sizes,
                                      const Read& read, const Predict& predict, td::Device device) {
  // blank: Delete the next line, check 9.repair_pipeline, and repair the four faults.
  // end
  const td::Stream copies = td::getStreamFromPool(device), compute = td::getCurrentStream(device);
  const auto options = td::TensorOptions(td::kFloat32).pinned_memory(!device.is_cpu());
  BoundedQueue queue(2);
  std::jthread reader([&] {
    const td::StreamGuard on_copies(copies);
    // solution only
    //= const td::Tensor rows = td::empty(sizes, options);
    // end
    try {
      for (std::int64_t i = 0; i < files && queue.wait_for_space(); ++i) {
        // solution only
        const td::Tensor rows = td::empty(sizes, options);  // the last copy may still read its rows
        // end
        read(i, rows);
        InFlightBatch batch{{rows, {}},
                            {rows.to(device, /*non_blocking=*/true), {}},
                            td::Event(device.type()),
                            td::Event(device.type())};
        batch.copied.record(copies);
        queue.put(std::move(batch));
      }
    } catch (...) {
      // solution only
      //= queue.close();
      queue.fail(std::current_exception());
      // end
    }
  });  // the destructor of a jthread joins it
  // solution only
  struct Closing {
    BoundedQueue& queue;
    ~Closing() { queue.close(); }  // before the reader is joined: it may wait for space
  } const closing{queue};
  // end
  std::vector<td::Tensor> scores;
  for (std::int64_t i = 0; i < files; ++i) {
    const InFlightBatch batch = queue.take();
    batch.copied.block(compute);
    batch.on_device.data.record_stream(compute);
    const td::Tensor output = predict(batch.on_device.data);
    scores.push_back(output.to(td::kCPU, /*non_blocking=*/true));
  }
  // solution only
  compute.synchronize();
  // end
  return scores;
}

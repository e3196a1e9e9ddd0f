#include <thread>

#include "bounded_queue.h"
#include "exercises.h"

// answer: predicts_too_early
// expect: race on sim:0
// The prediction does not wait for the copy of its batch.
namespace predicts_too_early {
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
    try {
      for (std::int64_t i = 0; i < files && queue.wait_for_space(); ++i) {
        const td::Tensor rows = td::empty(sizes, options);
        read(i, rows);
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
  const Closing closing{queue};
  std::vector<td::Tensor> scores;
  for (std::int64_t i = 0; i < files; ++i) {
    const InFlightBatch batch = queue.take();
    batch.on_device.data.record_stream(compute);
    scores.push_back(predict(batch.on_device.data).to(td::kCPU, /*non_blocking=*/true));
  }
  compute.synchronize();
  return scores;
}
}  // namespace predicts_too_early

// answer: frees_the_batch_too_early
// expect: race on sim:0
// The next copy can take the memory that the prediction still reads.
namespace frees_the_batch_too_early {
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
    try {
      for (std::int64_t i = 0; i < files && queue.wait_for_space(); ++i) {
        const td::Tensor rows = td::empty(sizes, options);
        read(i, rows);
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
  const Closing closing{queue};
  std::vector<td::Tensor> scores;
  for (std::int64_t i = 0; i < files; ++i) {
    const InFlightBatch batch = queue.take();
    batch.copied.block(compute);
    scores.push_back(predict(batch.on_device.data).to(td::kCPU, /*non_blocking=*/true));
  }
  compute.synchronize();
  return scores;
}
}  // namespace frees_the_batch_too_early

// answer: one_buffer
// expect: race in pinned memory: "fill" on the host
// Each file overwrites the rows of the one before, which may still be copied.
namespace one_buffer {
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
    const td::Tensor rows = td::empty(sizes, options);
    try {
      for (std::int64_t i = 0; i < files && queue.wait_for_space(); ++i) {
        read(i, rows);
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
  const Closing closing{queue};
  std::vector<td::Tensor> scores;
  for (std::int64_t i = 0; i < files; ++i) {
    const InFlightBatch batch = queue.take();
    batch.copied.block(compute);
    batch.on_device.data.record_stream(compute);
    const td::Tensor output = predict(batch.on_device.data);
    scores.push_back(output.to(td::kCPU, /*non_blocking=*/true));
  }
  compute.synchronize();
  return scores;
}
}  // namespace one_buffer

// answer: two_buffers
// expect: race in pinned memory: "fill" on the host
// The file before the last one may still be copied, too: the caller does not wait for the device.
namespace two_buffers {
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
    const td::Tensor buffers[2] = {td::empty(sizes, options), td::empty(sizes, options)};
    try {
      for (std::int64_t i = 0; i < files && queue.wait_for_space(); ++i) {
        const td::Tensor& rows = buffers[i % 2];
        read(i, rows);
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
  const Closing closing{queue};
  std::vector<td::Tensor> scores;
  for (std::int64_t i = 0; i < files; ++i) {
    const InFlightBatch batch = queue.take();
    batch.copied.block(compute);
    batch.on_device.data.record_stream(compute);
    const td::Tensor output = predict(batch.on_device.data);
    scores.push_back(output.to(td::kCPU, /*non_blocking=*/true));
  }
  compute.synchronize();
  return scores;
}
}  // namespace two_buffers

// answer: reads_too_early
// expect: returned while the device still computed
// The copies to the host may still be pending.
namespace reads_too_early {
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
    try {
      for (std::int64_t i = 0; i < files && queue.wait_for_space(); ++i) {
        const td::Tensor rows = td::empty(sizes, options);
        read(i, rows);
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
  const Closing closing{queue};
  std::vector<td::Tensor> scores;
  for (std::int64_t i = 0; i < files; ++i) {
    const InFlightBatch batch = queue.take();
    batch.copied.block(compute);
    batch.on_device.data.record_stream(compute);
    const td::Tensor output = predict(batch.on_device.data);
    scores.push_back(output.to(td::kCPU, /*non_blocking=*/true));
  }
  return scores;
}
}  // namespace reads_too_early

// answer: waits_for_the_copies
// expect: returned while the device still computed
// Waits for the wrong stream.
namespace waits_for_the_copies {
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
    try {
      for (std::int64_t i = 0; i < files && queue.wait_for_space(); ++i) {
        const td::Tensor rows = td::empty(sizes, options);
        read(i, rows);
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
  const Closing closing{queue};
  std::vector<td::Tensor> scores;
  for (std::int64_t i = 0; i < files; ++i) {
    const InFlightBatch batch = queue.take();
    batch.copied.block(compute);
    batch.on_device.data.record_stream(compute);
    const td::Tensor output = predict(batch.on_device.data);
    scores.push_back(output.to(td::kCPU, /*non_blocking=*/true));
  }
  copies.synchronize();
  return scores;
}
}  // namespace waits_for_the_copies

// answer: waits_for_the_default_stream
// expect: files, on another current stream
// Right where the current stream is the default one.
namespace waits_for_the_default_stream {
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
    try {
      for (std::int64_t i = 0; i < files && queue.wait_for_space(); ++i) {
        const td::Tensor rows = td::empty(sizes, options);
        read(i, rows);
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
  const Closing closing{queue};
  std::vector<td::Tensor> scores;
  for (std::int64_t i = 0; i < files; ++i) {
    const InFlightBatch batch = queue.take();
    batch.copied.block(compute);
    batch.on_device.data.record_stream(compute);
    const td::Tensor output = predict(batch.on_device.data);
    scores.push_back(output.to(td::kCPU, /*non_blocking=*/true));
  }
  td::getDefaultStream(device).synchronize();
  return scores;
}
}  // namespace waits_for_the_default_stream

// answer: the_caller_waits_forever
// expect: of 6, on cpu: predict_files hangs
// close() wakes the reader, which has ended, and not the caller.
namespace the_caller_waits_forever {
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
    try {
      for (std::int64_t i = 0; i < files && queue.wait_for_space(); ++i) {
        const td::Tensor rows = td::empty(sizes, options);
        read(i, rows);
        InFlightBatch batch{{rows, {}},
                            {rows.to(device, /*non_blocking=*/true), {}},
                            td::Event(device.type()),
                            td::Event(device.type())};
        batch.copied.record(copies);
        queue.put(std::move(batch));
      }
    } catch (...) {
      queue.close();
    }
  });
  const Closing closing{queue};
  std::vector<td::Tensor> scores;
  for (std::int64_t i = 0; i < files; ++i) {
    const InFlightBatch batch = queue.take();
    batch.copied.block(compute);
    batch.on_device.data.record_stream(compute);
    const td::Tensor output = predict(batch.on_device.data);
    scores.push_back(output.to(td::kCPU, /*non_blocking=*/true));
  }
  compute.synchronize();
  return scores;
}
}  // namespace the_caller_waits_forever

// answer: the_reader_waits_forever
// expect: of 4, on cpu: predict_files hangs
// The queue is full, and nobody takes from it any more.
namespace the_reader_waits_forever {

std::vector<td::Tensor> predict_files(std::int64_t files, const std::vector<std::int64_t>& sizes,
                                      const Read& read, const Predict& predict, td::Device device) {
  const td::Stream copies = td::getStreamFromPool(device), compute = td::getCurrentStream(device);
  const auto options = td::TensorOptions(td::kFloat32).pinned_memory(!device.is_cpu());
  BoundedQueue queue(2);
  std::jthread reader([&] {
    const td::StreamGuard on_copies(copies);
    try {
      for (std::int64_t i = 0; i < files && queue.wait_for_space(); ++i) {
        const td::Tensor rows = td::empty(sizes, options);
        read(i, rows);
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
  std::vector<td::Tensor> scores;
  for (std::int64_t i = 0; i < files; ++i) {
    const InFlightBatch batch = queue.take();
    batch.copied.block(compute);
    batch.on_device.data.record_stream(compute);
    const td::Tensor output = predict(batch.on_device.data);
    scores.push_back(output.to(td::kCPU, /*non_blocking=*/true));
  }
  compute.synchronize();
  return scores;
}
}  // namespace the_reader_waits_forever

// answer: a_queue_without_a_bound
// expect: files were read
// The reader no longer waits for space, so all files are read, whatever happens.
namespace a_queue_without_a_bound {

std::vector<td::Tensor> predict_files(std::int64_t files, const std::vector<std::int64_t>& sizes,
                                      const Read& read, const Predict& predict, td::Device device) {
  const td::Stream copies = td::getStreamFromPool(device), compute = td::getCurrentStream(device);
  const auto options = td::TensorOptions(td::kFloat32).pinned_memory(!device.is_cpu());
  BoundedQueue queue(static_cast<std::size_t>(files) + 1);
  std::jthread reader([&] {
    const td::StreamGuard on_copies(copies);
    try {
      for (std::int64_t i = 0; i < files && queue.wait_for_space(); ++i) {
        const td::Tensor rows = td::empty(sizes, options);
        read(i, rows);
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
  std::vector<td::Tensor> scores;
  for (std::int64_t i = 0; i < files; ++i) {
    const InFlightBatch batch = queue.take();
    batch.copied.block(compute);
    batch.on_device.data.record_stream(compute);
    const td::Tensor output = predict(batch.on_device.data);
    scores.push_back(output.to(td::kCPU, /*non_blocking=*/true));
  }
  compute.synchronize();
  return scores;
}
}  // namespace a_queue_without_a_bound

// answer: loses_the_error
// expect: an error was expected
// The scores of the files before the damaged one look like a complete result.
namespace loses_the_error {
struct Ended {};
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
    try {
      for (std::int64_t i = 0; i < files && queue.wait_for_space(); ++i) {
        const td::Tensor rows = td::empty(sizes, options);
        read(i, rows);
        InFlightBatch batch{{rows, {}},
                            {rows.to(device, /*non_blocking=*/true), {}},
                            td::Event(device.type()),
                            td::Event(device.type())};
        batch.copied.record(copies);
        queue.put(std::move(batch));
      }
    } catch (...) {
      queue.fail(std::make_exception_ptr(Ended{}));
    }
  });
  const Closing closing{queue};
  std::vector<td::Tensor> scores;
  for (std::int64_t i = 0; i < files; ++i) {
    try {
      const InFlightBatch batch = queue.take();
      batch.copied.block(compute);
      batch.on_device.data.record_stream(compute);
      scores.push_back(predict(batch.on_device.data).to(td::kCPU, /*non_blocking=*/true));
    } catch (const Ended&) {
      break;
    }
  }
  compute.synchronize();
  return scores;
}
}  // namespace loses_the_error

// answer: throws_another_type
// expect: throws at file 0 of 6
// Passes the words on, and loses the type.
namespace throws_another_type {
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
    try {
      for (std::int64_t i = 0; i < files && queue.wait_for_space(); ++i) {
        const td::Tensor rows = td::empty(sizes, options);
        read(i, rows);
        InFlightBatch batch{{rows, {}},
                            {rows.to(device, /*non_blocking=*/true), {}},
                            td::Event(device.type()),
                            td::Event(device.type())};
        batch.copied.record(copies);
        queue.put(std::move(batch));
      }
    } catch (const std::exception& error) {
      queue.fail(std::make_exception_ptr(std::runtime_error(error.what())));
    }
  });
  const Closing closing{queue};
  std::vector<td::Tensor> scores;
  for (std::int64_t i = 0; i < files; ++i) {
    const InFlightBatch batch = queue.take();
    batch.copied.block(compute);
    batch.on_device.data.record_stream(compute);
    const td::Tensor output = predict(batch.on_device.data);
    scores.push_back(output.to(td::kCPU, /*non_blocking=*/true));
  }
  compute.synchronize();
  return scores;
}
}  // namespace throws_another_type

// answer: one_after_another
// expect: file 2 is read only when the device has predicted file 0
// Each step waits for the device before the next file is read.
namespace one_after_another {

std::vector<td::Tensor> predict_files(std::int64_t files, const std::vector<std::int64_t>& sizes,
                                      const Read& read, const Predict& predict, td::Device device) {
  const td::Stream copies = td::getStreamFromPool(device), compute = td::getCurrentStream(device);
  const auto options = td::TensorOptions(td::kFloat32).pinned_memory(!device.is_cpu());
  std::vector<td::Tensor> scores;
  for (std::int64_t i = 0; i < files; ++i) {
    std::exception_ptr error;
    const td::Tensor rows = td::empty(sizes, options);
    std::thread reader([&] {
      try {
        read(i, rows);
      } catch (...) {
        error = std::current_exception();
      }
    });
    reader.join();
    if (error) std::rethrow_exception(error);
    scores.push_back(predict(rows.to(device)).to(td::kCPU));
  }
  copies.synchronize();
  compute.synchronize();
  return scores;
}
}  // namespace one_after_another

// answer: standard_exceptions
// expect: predict throws the int 7 at file 1 of 50: predict_files hangs
// Closes the queue for a std::exception only. Right for all errors of td.
namespace standard_exceptions {
std::vector<td::Tensor> predict_files(std::int64_t files, const std::vector<std::int64_t>& sizes,
                                      const Read& read, const Predict& predict, td::Device device) {
  const td::Stream copies = td::getStreamFromPool(device), compute = td::getCurrentStream(device);
  const auto options = td::TensorOptions(td::kFloat32).pinned_memory(!device.is_cpu());
  BoundedQueue queue(2);
  std::jthread reader([&] {
    const td::StreamGuard on_copies(copies);
    try {
      for (std::int64_t i = 0; i < files && queue.wait_for_space(); ++i) {
        const td::Tensor rows = td::empty(sizes, options);
        read(i, rows);
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
  std::vector<td::Tensor> scores;
  try {
    for (std::int64_t i = 0; i < files; ++i) {
      const InFlightBatch batch = queue.take();
      batch.copied.block(compute);
      batch.on_device.data.record_stream(compute);
      scores.push_back(predict(batch.on_device.data).to(td::kCPU, true));
    }
  } catch (const std::exception&) {
    queue.close();
    throw;
  }
  compute.synchronize();
  return scores;
}
}  // namespace standard_exceptions

// answer: throws_before_the_others
// expect: while file 0 is being predicted: predict was called for 1 files
// Looks at the reader's error before the queue, and without a lock. Right if the reader is not
// ahead.
namespace throws_before_the_others {
std::vector<td::Tensor> predict_files(std::int64_t files, const std::vector<std::int64_t>& sizes,
                                      const Read& read, const Predict& predict, td::Device device) {
  const td::Stream copies = td::getStreamFromPool(device), compute = td::getCurrentStream(device);
  const auto options = td::TensorOptions(td::kFloat32).pinned_memory(!device.is_cpu());
  BoundedQueue queue(2);
  std::exception_ptr error;
  std::jthread reader([&] {
    const td::StreamGuard on_copies(copies);
    try {
      for (std::int64_t i = 0; i < files && queue.wait_for_space(); ++i) {
        const td::Tensor rows = td::empty(sizes, options);
        read(i, rows);
        InFlightBatch batch{{rows, {}},
                            {rows.to(device, /*non_blocking=*/true), {}},
                            td::Event(device.type()),
                            td::Event(device.type())};
        batch.copied.record(copies);
        queue.put(std::move(batch));
      }
    } catch (...) {
      error = std::current_exception();
      queue.fail(error);
    }
  });
  std::vector<td::Tensor> scores;
  try {
    for (std::int64_t i = 0; i < files; ++i) {
      if (error) std::rethrow_exception(error);
      const InFlightBatch batch = queue.take();
      batch.copied.block(compute);
      batch.on_device.data.record_stream(compute);
      scores.push_back(predict(batch.on_device.data).to(td::kCPU, true));
    }
  } catch (...) {
    queue.close();
    throw;
  }
  compute.synchronize();
  return scores;
}
}  // namespace throws_before_the_others

#include "exercises.h"

// answer: one_buffer
// expect: which memory does a pending copy still read?
// The first fault alone: the host overwrites what a pending copy still reads.
namespace one_buffer {
std::vector<std::vector<float>> read_scores(const std::vector<td::Tensor>& batches,
                                            const td::Tensor& weight) {
  const td::Stream current = td::getCurrentStream(weight.device());
  const td::Stream copies = td::getStreamFromPool(weight.device());
  const td::Tensor pinned = batches.at(0).pin_memory();
  std::vector<td::Tensor> scores;
  for (const td::Tensor& batch : batches) {
    const td::Tensor source = pinned.narrow(0, 0, batch.size(0));
    std::copy_n(batch.data_ptr<float>(), batch.numel(), source.data_ptr<float>());
    td::Tensor inputs;
    {
      const td::StreamGuard guard(copies);
      inputs = source.to(weight.device(), /*non_blocking=*/true);
    }
    current.wait(copies);
    inputs.record_stream(current);
    scores.push_back(inputs.matmul(weight).t().contiguous().to(td::kCPU, true));
  }
  current.synchronize();
  std::vector<std::vector<float>> values;
  for (const td::Tensor& score : scores)
    values.emplace_back(score.data_ptr<float>(), score.data_ptr<float>() + score.numel());
  return values;
}
}  // namespace one_buffer

// answer: no_wait
// expect: no wait orders them
// The second fault alone. Right where the copy happens to be faster.
namespace no_wait {
std::vector<std::vector<float>> read_scores(const std::vector<td::Tensor>& batches,
                                            const td::Tensor& weight) {
  const td::Stream current = td::getCurrentStream(weight.device());
  const td::Stream copies = td::getStreamFromPool(weight.device());
  std::vector<td::Tensor> scores;
  for (const td::Tensor& batch : batches) {
    const td::Tensor source = batch.pin_memory();
    td::Tensor inputs;
    {
      const td::StreamGuard guard(copies);
      inputs = source.to(weight.device(), /*non_blocking=*/true);
    }
    inputs.record_stream(current);
    scores.push_back(inputs.matmul(weight).t().contiguous().to(td::kCPU, true));
  }
  current.synchronize();
  std::vector<std::vector<float>> values;
  for (const td::Tensor& score : scores)
    values.emplace_back(score.data_ptr<float>(), score.data_ptr<float>() + score.numel());
  return values;
}
}  // namespace no_wait

// answer: reads_at_once
// expect: had the copy to the host finished before you read it?
// The third fault alone: the values are read before they have arrived.
namespace reads_at_once {
std::vector<std::vector<float>> read_scores(const std::vector<td::Tensor>& batches,
                                            const td::Tensor& weight) {
  const td::Stream current = td::getCurrentStream(weight.device());
  const td::Stream copies = td::getStreamFromPool(weight.device());
  std::vector<td::Tensor> scores;
  for (const td::Tensor& batch : batches) {
    const td::Tensor source = batch.pin_memory();
    td::Tensor inputs;
    {
      const td::StreamGuard guard(copies);
      inputs = source.to(weight.device(), /*non_blocking=*/true);
    }
    current.wait(copies);
    inputs.record_stream(current);
    scores.push_back(inputs.matmul(weight).t().contiguous().to(td::kCPU, true));
  }
  std::vector<std::vector<float>> values;
  for (const td::Tensor& score : scores)
    values.emplace_back(score.data_ptr<float>(), score.data_ptr<float>() + score.numel());
  return values;
}
}  // namespace reads_at_once

// answer: storage_order
// expect: in which order are the elements in memory
// The fourth fault alone: a move keeps the strides. Right for one row or one class.
namespace storage_order {
std::vector<std::vector<float>> read_scores(const std::vector<td::Tensor>& batches,
                                            const td::Tensor& weight) {
  const td::Stream current = td::getCurrentStream(weight.device());
  const td::Stream copies = td::getStreamFromPool(weight.device());
  std::vector<td::Tensor> scores;
  for (const td::Tensor& batch : batches) {
    const td::Tensor source = batch.pin_memory();
    td::Tensor inputs;
    {
      const td::StreamGuard guard(copies);
      inputs = source.to(weight.device(), /*non_blocking=*/true);
    }
    current.wait(copies);
    inputs.record_stream(current);
    scores.push_back(inputs.matmul(weight).t().to(td::kCPU, true));
  }
  current.synchronize();
  std::vector<std::vector<float>> values;
  for (const td::Tensor& score : scores)
    values.emplace_back(score.data_ptr<float>(), score.data_ptr<float>() + score.numel());
  return values;
}
}  // namespace storage_order

// answer: contiguous_before
// expect: in which order are the elements in memory
// Makes the product contiguous, which it is, and not the transposed view of it.
namespace contiguous_before {
std::vector<std::vector<float>> read_scores(const std::vector<td::Tensor>& batches,
                                            const td::Tensor& weight) {
  const td::Stream current = td::getCurrentStream(weight.device());
  const td::Stream copies = td::getStreamFromPool(weight.device());
  std::vector<td::Tensor> scores;
  for (const td::Tensor& batch : batches) {
    const td::Tensor source = batch.pin_memory();
    td::Tensor inputs;
    {
      const td::StreamGuard guard(copies);
      inputs = source.to(weight.device(), /*non_blocking=*/true);
    }
    current.wait(copies);
    inputs.record_stream(current);
    scores.push_back(inputs.matmul(weight).contiguous().t().to(td::kCPU, true));
  }
  current.synchronize();
  std::vector<std::vector<float>> values;
  for (const td::Tensor& score : scores)
    values.emplace_back(score.data_ptr<float>(), score.data_ptr<float>() + score.numel());
  return values;
}
}  // namespace contiguous_before

// answer: blocks_per_batch
// expect: the host blocked … times for 2 batches
// Right values, but every copy to the host blocks.
namespace blocks_per_batch {
std::vector<std::vector<float>> read_scores(const std::vector<td::Tensor>& batches,
                                            const td::Tensor& weight) {
  const td::Stream current = td::getCurrentStream(weight.device());
  const td::Stream copies = td::getStreamFromPool(weight.device());
  std::vector<td::Tensor> scores;
  for (const td::Tensor& batch : batches) {
    const td::Tensor source = batch.pin_memory();
    td::Tensor inputs;
    {
      const td::StreamGuard guard(copies);
      inputs = source.to(weight.device(), /*non_blocking=*/true);
    }
    current.wait(copies);
    inputs.record_stream(current);
    scores.push_back(inputs.matmul(weight).t().contiguous().cpu());
  }
  current.synchronize();
  std::vector<std::vector<float>> values;
  for (const td::Tensor& score : scores)
    values.emplace_back(score.data_ptr<float>(), score.data_ptr<float>() + score.numel());
  return values;
}
}  // namespace blocks_per_batch

// answer: one_buffer_that_blocks
// expect: the host blocked … times for 2 batches
// Keeps one buffer and blocks before it is filled again.
namespace one_buffer_that_blocks {
std::vector<std::vector<float>> read_scores(const std::vector<td::Tensor>& batches,
                                            const td::Tensor& weight) {
  const td::Stream current = td::getCurrentStream(weight.device());
  const td::Stream copies = td::getStreamFromPool(weight.device());
  const td::Tensor pinned = batches.at(0).pin_memory();
  std::vector<td::Tensor> scores;
  for (const td::Tensor& batch : batches) {
    copies.synchronize();
    const td::Tensor source = pinned.narrow(0, 0, batch.size(0));
    std::copy_n(batch.data_ptr<float>(), batch.numel(), source.data_ptr<float>());
    td::Tensor inputs;
    {
      const td::StreamGuard guard(copies);
      inputs = source.to(weight.device(), /*non_blocking=*/true);
    }
    current.wait(copies);
    inputs.record_stream(current);
    scores.push_back(inputs.matmul(weight).t().contiguous().to(td::kCPU, true));
  }
  current.synchronize();
  std::vector<std::vector<float>> values;
  for (const td::Tensor& score : scores)
    values.emplace_back(score.data_ptr<float>(), score.data_ptr<float>() + score.numel());
  return values;
}
}  // namespace one_buffer_that_blocks

// answer: wrong_stream
// expect: had the copy to the host finished before you read it?
// Waits for the copies to the device, and not for those to the host.
namespace wrong_stream {
std::vector<std::vector<float>> read_scores(const std::vector<td::Tensor>& batches,
                                            const td::Tensor& weight) {
  const td::Stream current = td::getCurrentStream(weight.device());
  const td::Stream copies = td::getStreamFromPool(weight.device());
  std::vector<td::Tensor> scores;
  for (const td::Tensor& batch : batches) {
    const td::Tensor source = batch.pin_memory();
    td::Tensor inputs;
    {
      const td::StreamGuard guard(copies);
      inputs = source.to(weight.device(), /*non_blocking=*/true);
    }
    current.wait(copies);
    inputs.record_stream(current);
    scores.push_back(inputs.matmul(weight).t().contiguous().to(td::kCPU, true));
  }
  copies.synchronize();
  std::vector<std::vector<float>> values;
  for (const td::Tensor& score : scores)
    values.emplace_back(score.data_ptr<float>(), score.data_ptr<float>() + score.numel());
  return values;
}
}  // namespace wrong_stream

// answer: default_stream
// expect: a stream from the pool, was pending
// Right while the default stream is the current one.
namespace default_stream {
std::vector<std::vector<float>> read_scores(const std::vector<td::Tensor>& batches,
                                            const td::Tensor& weight) {
  const td::Stream current = td::getCurrentStream(weight.device());
  const td::Stream copies = td::getStreamFromPool(weight.device());
  std::vector<td::Tensor> scores;
  for (const td::Tensor& batch : batches) {
    const td::Tensor source = batch.pin_memory();
    td::Tensor inputs;
    {
      const td::StreamGuard guard(copies);
      inputs = source.to(weight.device(), /*non_blocking=*/true);
    }
    current.wait(copies);
    inputs.record_stream(current);
    scores.push_back(inputs.matmul(weight).t().contiguous().to(td::kCPU, true));
  }
  td::getDefaultStream(weight.device()).synchronize();
  std::vector<std::vector<float>> values;
  for (const td::Tensor& score : scores)
    values.emplace_back(score.data_ptr<float>(), score.data_ptr<float>() + score.numel());
  return values;
}
}  // namespace default_stream

// answer: event_too_early
// expect: no wait orders them
// Records the event before the copy that it stands for.
namespace event_too_early {
std::vector<std::vector<float>> read_scores(const std::vector<td::Tensor>& batches,
                                            const td::Tensor& weight) {
  const td::Stream current = td::getCurrentStream(weight.device());
  const td::Stream copies = td::getStreamFromPool(weight.device());
  std::vector<td::Tensor> scores;
  for (const td::Tensor& batch : batches) {
    const td::Tensor source = batch.pin_memory();
    td::Event copied(weight.device().type());
    copied.record(copies);
    td::Tensor inputs;
    {
      const td::StreamGuard guard(copies);
      inputs = source.to(weight.device(), /*non_blocking=*/true);
    }
    copied.block(current);
    inputs.record_stream(current);
    scores.push_back(inputs.matmul(weight).t().contiguous().to(td::kCPU, true));
  }
  current.synchronize();
  std::vector<std::vector<float>> values;
  for (const td::Tensor& score : scores)
    values.emplace_back(score.data_ptr<float>(), score.data_ptr<float>() + score.numel());
  return values;
}
}  // namespace event_too_early

// answer: the_other_way_round
// expect: no wait orders them
// Lets the copy wait for the product.
namespace the_other_way_round {
std::vector<std::vector<float>> read_scores(const std::vector<td::Tensor>& batches,
                                            const td::Tensor& weight) {
  const td::Stream current = td::getCurrentStream(weight.device());
  const td::Stream copies = td::getStreamFromPool(weight.device());
  std::vector<td::Tensor> scores;
  for (const td::Tensor& batch : batches) {
    const td::Tensor source = batch.pin_memory();
    td::Tensor inputs;
    {
      const td::StreamGuard guard(copies);
      inputs = source.to(weight.device(), /*non_blocking=*/true);
    }
    copies.wait(current);
    inputs.record_stream(current);
    scores.push_back(inputs.matmul(weight).t().contiguous().to(td::kCPU, true));
  }
  current.synchronize();
  std::vector<std::vector<float>> values;
  for (const td::Tensor& score : scores)
    values.emplace_back(score.data_ptr<float>(), score.data_ptr<float>() + score.numel());
  return values;
}
}  // namespace the_other_way_round

// answer: reused_too_early
// expect: no wait orders them
// Without record_stream the next copy overwrites memory that a product still reads.
namespace reused_too_early {
std::vector<std::vector<float>> read_scores(const std::vector<td::Tensor>& batches,
                                            const td::Tensor& weight) {
  const td::Stream current = td::getCurrentStream(weight.device());
  const td::Stream copies = td::getStreamFromPool(weight.device());
  std::vector<td::Tensor> scores;
  for (const td::Tensor& batch : batches) {
    const td::Tensor source = batch.pin_memory();
    td::Tensor inputs;
    {
      const td::StreamGuard guard(copies);
      inputs = source.to(weight.device(), /*non_blocking=*/true);
    }
    current.wait(copies);
    scores.push_back(inputs.matmul(weight).t().contiguous().to(td::kCPU, true));
  }
  current.synchronize();
  std::vector<std::vector<float>> values;
  for (const td::Tensor& score : scores)
    values.emplace_back(score.data_ptr<float>(), score.data_ptr<float>() + score.numel());
  return values;
}
}  // namespace reused_too_early

// answer: stream_of_the_current_device
// expect: with a weight on sim:1, whose current stream
// Waits for a stream of the current device. Right where that is the weight's device.
namespace stream_of_the_current_device {
std::vector<std::vector<float>> read_scores(const std::vector<td::Tensor>& batches,
                                            const td::Tensor& weight) {
  const td::Device device = weight.device();
  const td::Stream current = td::getCurrentStream(device), copies = td::getStreamFromPool(device);
  std::vector<td::Tensor> scores, kept;
  std::vector<std::vector<float>> values;
  const td::Stream here = td::getCurrentStream(td::check_device(td::Device(device.type())));
  for (const td::Tensor& batch : batches) {
    kept.push_back(batch.pin_memory());
    scores.push_back(
        kept.back().to(device, true).matmul(weight).t().contiguous().to(td::kCPU, true));
  }
  here.synchronize();
  for (const td::Tensor& score : scores)
    values.emplace_back(score.data_ptr<float>(), score.data_ptr<float>() + score.numel());
  return values;
}
}  // namespace stream_of_the_current_device

// answer: copies_stay_current
// expect: another stream or another device is current
// The stream of the copies stays current. The scores are right.
namespace copies_stay_current {
std::vector<std::vector<float>> read_scores(const std::vector<td::Tensor>& batches,
                                            const td::Tensor& weight) {
  const td::Device device = weight.device();
  const td::Stream current = td::getCurrentStream(device), copies = td::getStreamFromPool(device);
  std::vector<td::Tensor> scores, kept;
  std::vector<std::vector<float>> values;
  copies.wait(current);
  td::setCurrentStream(copies);
  for (const td::Tensor& batch : batches) {
    kept.push_back(batch.pin_memory());
    scores.push_back(
        kept.back().to(device, true).matmul(weight).t().contiguous().to(td::kCPU, true));
  }
  copies.synchronize();
  for (const td::Tensor& score : scores)
    values.emplace_back(score.data_ptr<float>(), score.data_ptr<float>() + score.numel());
  return values;
}
}  // namespace copies_stay_current

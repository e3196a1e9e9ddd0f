// The prefetcher makes each of its four waits. Gates that hold a stream test the order, never the
// clock: where a test sleeps, a copy that must not run has the time to be seen.
#include <chrono>
#include <thread>

#include "../td/tensor/values.h"
#include "prefetching.h"
#include "sim_work.h"

TEST_CASE("the next batch is copied while the device works on a batch") {
  auto source = numbers(4);
  const Stream compute = getCurrentStream(kSim);
  test::Gate gate;
  auto batches = prefetch(source, kSim);
  auto batch = batches.begin();
  ++batch;  // the second batch was sent before the loop asked for it, the third is sent now
  gate.hold(compute);
  gate.wait_until_held();
  const Tensor second = *batch;
  ++batch;  // does not wait for the work on the second
  CHECK_FALSE(compute.query());
  gate.open();
  CHECK(values(*batch) == std::vector<double>(4, 2));
  CHECK(values(second) == std::vector<double>(4, 1));
}

TEST_CASE("no copy writes a batch that is still in use") {
  auto source = numbers(4);
  const Stream compute = getCurrentStream(kSim);
  auto batches = prefetch(source, kSim);
  auto batch = batches.begin();
  Tensor sum;
  {
    test::Gate gate;
    gate.hold(compute);
    sum = (*batch + 0).sum();  // queued after the gate: reads the first slot later
    ++batch;                   // sends the third batch to the first slot
    gate.wait_until_held();
    std::this_thread::sleep_for(std::chrono::milliseconds(20));  // time for a copy that must not be
    gate.open();
  }
  CHECK(sum.item<float>() == 0);
  ++batch;
  CHECK(values(*batch) == std::vector<double>(4, 2));
}

TEST_CASE("no copy is made into memory that earlier work still reads") {
  std::vector<Tensor> source = {full({1000}, 9).pin_memory()};
  const Stream compute = getCurrentStream(kSim);
  test::Gate gate;
  Tensor old = full({1000}, 3, kSim);
  const void* const place = old.impl().storage->data();
  gate.hold(compute);
  const Tensor sum = old.sum();
  old = Tensor();  // its memory is free for work after the sum, and for nothing else
  auto batches = prefetch(source, kSim);
  auto batch = batches.begin();
  REQUIRE(batch->impl().storage->data() == place);
  std::this_thread::sleep_for(std::chrono::milliseconds(20));  // time for a copy that must not be
  gate.open();
  CHECK(sum.item<float>() == 3000);
  CHECK(batch->sum().item<float>() == 9000);
}

TEST_CASE("after a prefetcher is destroyed none of its copies writes other tensors' memory") {
  const SlowLink slow({.gb_per_s = 12, .latency_us = 10000});
  std::vector<Tensor> source, others;
  for (int i = 0; i < 3; ++i) source.push_back(full({1000}, 9).pin_memory());
  prefetch(source, kSim, 3).begin();
  for (int i = 0; i < 3; ++i) others.push_back(full({1000}, 5, kSim));
  std::this_thread::sleep_for(std::chrono::milliseconds(60));
  for (const Tensor& other : others) CHECK(values(other) == std::vector<double>(1000, 5));
}

TEST_CASE("work on a batch waits for its copy, and the host does not") {
  const SlowLink slow({.gb_per_s = 12, .latency_us = 20000});
  auto source = numbers(4);
  Tensor sum = zeros({4}, kSim);
  auto batches = prefetch(source, kSim);
  auto batch = batches.begin();
  sum += *batch;
  CHECK_FALSE(getCurrentStream(kSim).query());
  for (++batch; batch != batches.end(); ++batch) sum += *batch;
  CHECK(values(sum) == std::vector<double>(4, 6));
}

TEST_CASE("host memory is not written before its copy has read it") {
  // Batches that are not pinned go through the slot's own page-locked memory. With the link this
  // slow, the copies of slots 0 and 1 wait in line while the loop runs ahead.
  const SlowLink slow({.gb_per_s = 12, .latency_us = 10000});
  std::vector<Tensor> source;
  for (int i = 0; i < 6; ++i) source.push_back(full({1000}, i));
  std::vector<Tensor> sums;
  for (Tensor& batch : prefetch(source, kSim)) sums.push_back(batch.sum());
  for (int i = 0; i < 6; ++i)
    CHECK(sums[static_cast<std::size_t>(i)].item<float>() == static_cast<float>(1000 * i));
}

TEST_CASE("the batch is for the stream that is current when the loop takes it") {
  const SlowLink slow({.gb_per_s = 12, .latency_us = 5000});
  auto source = numbers(6);
  const StreamGuard side(getStreamFromPool(kSim));
  Tensor sum = zeros({4}, kSim);
  for (Tensor& batch : prefetch(source, kSim)) sum += batch;
  CHECK(values(sum) == std::vector<double>(4, 15));
}

// Work of several streams and devices, arranged so that a missing wait, or memory that is freed too
// early, shows. The race finder of the stand-in, or a held stream, finds such faults;
// tests/system/planted_faults.py plants them.
#include <cuda_runtime.h>

#include <set>

#include "catch.h"
#include "fake_gpus.h"
#include "td/device/allocator.h"
#include "td/device/backend.h"

using namespace td;

namespace {

using namespace std::chrono_literals;

Tensor ones_on(int gpu, IntArrayRef sizes = {8}) {
  return ones(sizes, TensorOptions(fake::gpu(gpu)));
}

TEST_CASE("a copy between GPUs comes after the work on its target, and before what follows") {
  const Tensor x = ones_on(0), y = ones_on(1);
  y.mul_(5);
  y.copy_(x);
  y.add_(1);
  CHECK(y.sum().item<float>() == 16);
}

TEST_CASE("a copy from pageable memory has ended on return, also where the device reads it") {
  const Stream stream = getStreamFromPool(fake::gpu());
  const Tensor x = ones_on(0);
  Tensor host = full({8}, 2);
  fake::wait_for_gpus();
  cuda_stand_in::set_pageable_memory_access(true);
  std::future<void> copy;
  {
    const fake::Held held(stream);
    copy = std::async(std::launch::async, [&] {
      const StreamGuard guard(stream);
      x.copy_(host, true);
      host.fill_(3);
    });
    CHECK(copy.wait_for(50ms) == std::future_status::timeout);
  }
  copy.get();
  cuda_stand_in::set_pageable_memory_access(false);
  stream.synchronize();
  CHECK(x.sum().item<float>() == 16);
}

TEST_CASE("pinned memory that is given up is not used again before the copy has read it") {
  const Stream stream = getStreamFromPool(fake::gpu());
  const Tensor x = ones_on(0);
  Tensor pinned = full({8}, 2).pin_memory();
  const void* const address = pinned.data_ptr();
  fake::wait_for_gpus();
  {
    const fake::Held held(stream);
    const StreamGuard guard(stream);
    x.copy_(pinned, true);
    pinned = Tensor();
    CHECK(zeros({8}).pin_memory().data_ptr() != address);
  }
  stream.synchronize();
  CHECK(x.sum().item<float>() == 16);
}

TEST_CASE("a block that streams of two devices use waits for both") {
  Allocator& memory = allocator(fake::gpu(0));
  const Stream streams[] = {getStreamFromPool(fake::gpu(0)), getStreamFromPool(fake::gpu(1))};
  std::set<void*> blocks;
  for (const Stream& late : streams) {
    const fake::Held held(late);
    void* const block = memory.allocate(3 << 20);
    for (const Stream& stream : streams) memory.record_stream(block, stream);
    memory.release(block, 3 << 20);
    void* const another = memory.allocate(3 << 20);
    CHECK(another != block);
    memory.release(another, 3 << 20);
    blocks.insert(block);
  }
  fake::wait_for_gpus();
  void* const again[] = {memory.allocate(3 << 20), memory.allocate(3 << 20)};
  CHECK(blocks.count(again[0]) + blocks.count(again[1]) > 0);
  for (void* const block : again) memory.release(block, 3 << 20);
}

TEST_CASE("a launch after the answer that an event has not happened") {
  const Stream stream = getStreamFromPool(fake::gpu());
  const Tensor x = ones_on(0);
  Event event(kCUDA);
  {
    const fake::Held held(stream);
    event.record(stream);
    CHECK_FALSE(event.query());
    CHECK((x + 1).sum().item<float>() == 16);
  }
  event.synchronize();
}

TEST_CASE("a backward pass on the streams of its forward pass") {
  const Stream side = getStreamFromPool(fake::gpu());
  Tensor x = ones_on(0).requires_grad_(), y = ones_on(0).requires_grad_(), loss;
  Tensor right;
  side.wait(getCurrentStream(fake::gpu()));
  {
    const StreamGuard guard(side);
    right = y * 3;
  }
  const Tensor left = x * 2;  // after `right`, so that its gradient is made first
  side.wait(getCurrentStream(fake::gpu()));
  {
    const StreamGuard guard(side);
    loss = (left * right).sum();
  }
  left.record_stream(side);
  getCurrentStream(fake::gpu()).wait(side);
  loss.backward();
  CHECK(x.grad().sum().item<float>() == 48);
  CHECK(y.grad().sum().item<float>() == 48);
}

TEST_CASE("products on two streams and two devices") {
  std::vector<Tensor> results;
  std::uint64_t before[2];
  for (int round = 0; round < 2; ++round) {
    results.clear();
    for (const int gpu : {0, 1}) {
      before[gpu] = memory_stats(fake::gpu(gpu)).allocated;
      const Tensor a = ones_on(gpu, {20, 30}), b = ones_on(gpu, {30, 10});
      results.push_back(mm(a, b));
      const Stream side = getStreamFromPool(fake::gpu(gpu));
      side.wait(getCurrentStream(fake::gpu(gpu)));
      const StreamGuard guard(side);
      results.push_back(mm(a, b) * 1);
      a.record_stream(side), b.record_stream(side);
    }
    for (const int gpu : {0, 1})
      results.push_back(mm(ones_on(gpu, {20, 30}), ones_on(gpu, {30, 10})));
    fake::wait_for_gpus();
    for (const Tensor& result : results) CHECK(equal(result.cpu(), full({20, 10}, 30)));
  }
  results.clear();
  for (const int gpu : {0, 1}) CHECK(memory_stats(fake::gpu(gpu)).allocated == before[gpu]);
}

TEST_CASE("a layer whose input is not aligned") {
  const Tensor x = ones_on(0, {65}).narrow(0, 1, 64).view({4, 16});
  const Tensor weight = ones_on(0, {10, 16}), bias = ones_on(0, {10});
  CHECK(linear(x, weight, bias).sum().item<float>() == 4 * 10 * 17);
}

TEST_CASE("a convolution on a side stream") {
  const Tensor x = ones_on(0, {1, 2, 5, 5}), weight = ones_on(0, {3, 2, 3, 3});
  const Stream side = getStreamFromPool(fake::gpu());
  side.wait(getCurrentStream(fake::gpu()));
  const StreamGuard guard(side);
  CHECK((conv2d(x, weight) * 1).sum().item<float>() == 27 * 18);
}

TEST_CASE("a replay beside a product of the captured stream") {
  const Stream stream = getStreamFromPool(fake::gpu()), other = getStreamFromPool(fake::gpu());
  const StreamGuard guard(stream);
  const Tensor a = ones_on(0, {20, 30}), b = ones_on(0, {30, 10});
  Tensor replayed, eager = mm(a, b);
  Graph graph;
  graph.capture(stream, [&] { replayed = mm(a, b); });
  {
    const StreamGuard there(other);
    graph.replay();
  }
  eager = mm(b.t(), a.t());
  fake::wait_for_gpus();
  CHECK(equal(replayed.cpu(), full({20, 10}, 30)));
  CHECK(equal(eager.cpu(), full({10, 20}, 30)));
}

TEST_CASE("a replay on another stream comes after what the captured stream held") {
  const Stream stream = getStreamFromPool(fake::gpu()), other = getStreamFromPool(fake::gpu());
  const StreamGuard guard(stream);
  const Tensor x = zeros({8}, TensorOptions(fake::gpu()));
  Graph graph;
  graph.capture(stream, [&] { x.add_(1); });
  x.fill_(3);
  {
    const StreamGuard there(other);
    graph.replay();
    CHECK(x.sum().item<float>() == 32);
  }
}

TEST_CASE("tensors that come after a capture have their own memory") {
  const Stream stream = getStreamFromPool(fake::gpu());
  const StreamGuard guard(stream);
  const Tensor x = ones_on(0, {1000});
  Tensor y;
  Graph graph;
  graph.capture(stream, [&] { y = (x + 1) * 2; });
  const Tensor later = full({1000}, 7.0, TensorOptions(fake::gpu()));
  graph.replay();
  CHECK(later.amax().item<float>() == 7);
  CHECK(later.amin().item<float>() == 7);
}

TEST_CASE("a graph that is given up waits for its last replay") {
  const Stream stream = getStreamFromPool(fake::gpu());
  const StreamGuard guard(stream);
  const Tensor x = ones_on(0);
  Graph graph;
  graph.capture(stream, [&] { x.add_(1); });
  graph.replay();
  graph.reset();
  CHECK(x.sum().item<float>() == 16);
}

TEST_CASE("memory of one stream serves no other stream") {
  const Stream streams[] = {getStreamFromPool(fake::gpu()), getStreamFromPool(fake::gpu())};
  for (int round = 0; round < 3; ++round)
    for (const Stream& stream : streams) {
      const StreamGuard guard(stream);
      CHECK((ones_on(0, {4000}) + 1).sum().item<float>() == 8000);
      const Tensor released = ones_on(0, {4000}) + 2;
    }
}

}  // namespace

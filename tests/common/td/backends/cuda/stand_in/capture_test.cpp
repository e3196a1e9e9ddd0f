// Captures while other threads run: their calls must not spoil the graph.
#include <cuda_runtime.h>

#include "catch.h"
#include "fake_gpus.h"
#include "td/base/error.h"
#include "td/device/allocator.h"

using namespace td;

namespace {

/// Captures x.add_(1) on a stream; `meanwhile` runs in another thread. True when the graph works.
template <class Meanwhile>
bool captures_beside(Meanwhile meanwhile) {
  const Stream stream = getStreamFromPool(fake::gpu());
  const StreamGuard guard(stream);
  const Tensor x = zeros({4}, TensorOptions(fake::gpu()));
  stream.synchronize();
  Graph graph;
  graph.capture_begin();
  try {
    fake::in_new_thread([&] { meanwhile(stream); });
    x.add_(1);
    graph.capture_end();
  } catch (const Error& e) {
    WARN(e.what());
    return false;
  }
  graph.replay();
  return x.sum().item<float>() == 4;
}

TEST_CASE("another thread waits for the whole device") {
  CHECK(captures_beside([](const Stream&) { synchronize(fake::gpu()); }));
  const Stream other = getStreamFromPool(fake::gpu());
  CHECK(captures_beside([&](const Stream&) {
    const StreamGuard guard(other);
    const Tensor y = ones({4}, TensorOptions(fake::gpu())) + 1;
    const std::uint64_t waits = cuda_stand_in::calls("cudaStreamSynchronize");
    synchronize(fake::gpu());
    if (cuda_stand_in::calls("cudaStreamSynchronize") == waits)
      throw DeviceError("nobody waited for the streams that are not captured");
  }));
}

TEST_CASE("another thread asks after the captured stream, and is told that it is not done") {
  CHECK(captures_beside([](const Stream& stream) {
    if (stream.query()) throw DeviceError("a captured stream is done");
  }));
}

TEST_CASE("another thread that waits for the captured stream is refused in words") {
  CHECK(captures_beside([](const Stream& stream) {
    try {
      stream.synchronize();
    } catch (const DeviceError& e) {
      const std::string text = e.what();
      if (text.find("is being captured by another thread") != text.npos) return;
    }
    throw DeviceError("it waited");
  }));
}

TEST_CASE("an event of a capture is refused in words, and the capture continues") {
  Event event(kCUDA);
  CHECK(captures_beside([&](const Stream& stream) {
    event.record(stream);
    try {
      event.query();
    } catch (const DeviceError& e) {
      const std::string text = e.what();
      if (text.find("marks a point of the graph") != text.npos) return;
    }
    throw DeviceError("it was asked after");
  }));
  event.record(getDefaultStream(fake::gpu()));
  event.synchronize();
  CHECK(event.query());
}

TEST_CASE("another thread empties the cache of pinned memory") {
  { const Tensor cached = zeros({1000}).pin_memory(); }
  cuda_stand_in::CollectRefusals refusals;
  CHECK(captures_beside([](const Stream&) { pinned_allocator(kCUDA).empty_cache(); }));
  CHECK(refusals.take() == std::vector<std::string>{});
  pinned_allocator(kCUDA).empty_cache();
  CHECK(pinned_allocator(kCUDA).stats().reserved == 0);
}

TEST_CASE("another thread empties the cache of the device") {
  { const Tensor cached = zeros({30 << 18}, TensorOptions(fake::gpu())); }
  synchronize(fake::gpu());
  cuda_stand_in::CollectRefusals refusals;
  CHECK(captures_beside([](const Stream&) { allocator(fake::gpu()).empty_cache(); }));
  CHECK(refusals.take() == std::vector<std::string>{});
}

TEST_CASE("a block is released during a capture of a stream that uses it") {
  Allocator& memory = allocator(fake::gpu());
  CHECK(captures_beside([&](const Stream& stream) {
    void* const block = memory.allocate(512);
    memory.record_stream(block, stream);
    memory.release(block, 512);
  }));
  CHECK_NOTHROW(memory.release(memory.allocate(512), 512));
}

TEST_CASE("replays with random numbers do not make the host wait for pageable memory") {
  const Stream stream = getStreamFromPool(fake::gpu());
  const StreamGuard guard(stream);
  const Tensor x = empty({64}, TensorOptions(fake::gpu()));
  manual_seed(5);
  std::vector<Tensor> eager;
  for (int i = 0; i < 3; ++i) eager.push_back(x.uniform_().cpu());
  Graph graph;
  graph.capture(stream, [&] { x.uniform_(); });
  manual_seed(5);
  cuda_stand_in::set_pageable_memory_access(true);
  for (int i = 0; i < 3; ++i) {
    const std::uint64_t waits = cuda_stand_in::calls("cudaStreamSynchronize");
    graph.replay();
    CHECK(cuda_stand_in::calls("cudaStreamSynchronize") == waits);
    CHECK(equal(x.cpu(), eager[static_cast<std::size_t>(i)]));
  }
  cuda_stand_in::set_pageable_memory_access(false);
}

}  // namespace

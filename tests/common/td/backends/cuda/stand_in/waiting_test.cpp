// What must not wait: traced work of one stream for a copy on another, and an allocation for a
// query about each block that other streams still use.
#include "catch.h"
#include "fake_gpus.h"
#include "td/device/allocator.h"
#include "td/device/backend.h"
#include "trace/recorder.h"

using namespace td;

namespace {

using namespace std::chrono_literals;

TEST_CASE("a traced copy to pageable memory does not delay the launches of other threads") {
  const Stream first = getStreamFromPool(fake::gpu(0)), second = getStreamFromPool(fake::gpu(1));
  const Tensor x = ones({8}, TensorOptions(fake::gpu(0))),
               y = ones({8}, TensorOptions(fake::gpu(1)));
  std::vector<float> host(8);
  fake::wait_for_gpus();
  trace::start();
  std::future<void> copy, launch;
  {
    const fake::Held held(first);
    copy = std::async(std::launch::async, [&] {
      std::size_t free = 0, total = 0;
      backend(kCUDA).memory(0, &free, &total);  // the thread chooses its device
      backend(kCUDA).copy(host.data(), Device(kCPU), x.data_ptr(), x.device(), x.nbytes(), 0,
                          first.native());
    });
    CHECK(copy.wait_for(50ms) == std::future_status::timeout);
    launch = std::async(std::launch::async, [&] {
      const StreamGuard guard(second);
      y.add_(1);
    });
    CHECK(launch.wait_for(5s) == std::future_status::ready);
  }
  copy.get();
  launch.get();
  trace::stop();
  CHECK(host == std::vector<float>(8, 1));
}

TEST_CASE("a long trace reads only work that is done, and loses none") {
  const Stream first = getStreamFromPool(fake::gpu(0)), second = getStreamFromPool(fake::gpu(1));
  const Tensor x = ones({8}, TensorOptions(fake::gpu(0))),
               y = zeros({8}, TensorOptions(fake::gpu(1)));
  fake::wait_for_gpus();
  constexpr int kLaunches = 9000;  // more than are kept without a look
  trace::start();
  std::future<void> launches;
  {
    const fake::Held held(first);
    {
      const StreamGuard guard(first);
      x.add_(1);
    }
    launches = std::async(std::launch::async, [&] {
      const StreamGuard guard(second);
      for (int i = 0; i < kLaunches; ++i) y.add_(1);
    });
    CHECK(launches.wait_for(30s) == std::future_status::ready);
  }
  launches.get();
  const trace::Trace seen = trace::stop();
  CHECK(std::count_if(seen.spans.begin(), seen.spans.end(), [](const trace::SpanRecord& span) {
          return span.category == trace::Category::kKernel;
        }) == kLaunches + 1);
}

TEST_CASE("an allocation asks each stream once about blocks that other streams use") {
  const Device device = fake::gpu();
  const Stream side = getStreamFromPool(device);
  Allocator& memory = allocator(device);
  std::vector<void*> blocks;
  const std::uint64_t before = memory.stats().allocated;
  {
    const fake::Held held(side);
    for (int i = 0; i < 100; ++i) blocks.push_back(memory.allocate(512));
    for (void* block : blocks) {
      memory.record_stream(block, side);
      memory.release(block, 512);
    }
    const std::uint64_t asked = cuda_stand_in::calls("cudaEventQuery");
    void* const another = memory.allocate(512);
    CHECK(cuda_stand_in::calls("cudaEventQuery") - asked <= 1);
    CHECK(std::find(blocks.begin(), blocks.end(), another) == blocks.end());
    memory.release(another, 512);
  }
  side.synchronize();  // all are free at the next request
  std::vector<void*> again;
  for (int i = 0; i < 101; ++i) again.push_back(memory.allocate(512));
  CHECK(std::count_if(blocks.begin(), blocks.end(), [&](void* block) {
          return std::find(again.begin(), again.end(), block) != again.end();
        }) == 100);
  for (void* block : again) memory.release(block, 512);
  CHECK(memory.stats().allocated == before);
}

}  // namespace

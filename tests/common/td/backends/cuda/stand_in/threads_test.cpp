// Threads that have chosen no device, such as a loader's, NCCL's watching thread, or the one that
// stops a trace: their calls must not make a context on GPU 0.
#include "catch.h"
#include "child_process.h"
#include "fake_gpus.h"
#include "td/device/backend.h"
#include "trace/recorder.h"

using namespace td;

namespace {

using Texts = std::vector<std::string>;

TEST_CASE("an event may be used by a thread that has chosen no device") {
  Event first(kCUDA, EventFlag::kTiming), second(kCUDA, EventFlag::kTiming);
  first.record(getDefaultStream(fake::gpu(1)));
  second.record(getDefaultStream(fake::gpu(1)));
  synchronize(fake::gpu(1));
  cuda_stand_in::CollectRefusals refusals;
  SECTION("queried") {
    CHECK(fake::in_new_thread([&] { return first.query(); }));
  }
  SECTION("waited for") {
    fake::in_new_thread([&] { first.synchronize(); });
  }
  SECTION("timed") {
    CHECK(fake::in_new_thread([&] { return first.elapsed_time(second); }) >= 0);
  }
  SECTION("destroyed") {
    fake::in_new_thread([&] { const Event gone = std::move(first); });
  }
  CHECK(refusals.take() == Texts{});
}

TEST_CASE("a graph may be given up by a thread that has chosen no device") {
  GraphBackend& graphs = graph_backend(kCUDA);
  const Stream stream = getStreamFromPool(fake::gpu(1));
  const StreamGuard guard(stream);
  const Tensor x = zeros({4}, TensorOptions(fake::gpu(1)));
  graphs.begin_capture(1, stream.native());
  x.add_(1);
  std::size_t nodes = 0;
  NativeGraph* const graph = graphs.end_capture(1, stream.native(), &nodes);
  CHECK(nodes == 1);
  cuda_stand_in::CollectRefusals refusals;
  fake::in_new_thread([&] { graphs.release(graph, 1); });
  CHECK(refusals.take() == Texts{});
}

TEST_CASE("a trace may be stopped by a thread that has chosen no device") {
  trace::start();
  const Tensor x = ones({8}, TensorOptions(fake::gpu(1)));
  cuda_stand_in::CollectRefusals refusals;
  const trace::Trace seen = fake::in_new_thread([] { return trace::stop(); });
  CHECK(refusals.take() == Texts{});
  CHECK(std::any_of(seen.spans.begin(), seen.spans.end(), [](const trace::SpanRecord& span) {
    return span.category == trace::Category::kKernel;
  }));
}

TEST_CASE("a copy in a trace begins with its device") {
  trace::start();
  float value = 2;
  void* const memory = allocator(fake::gpu(1)).allocate(512);
  cuda_stand_in::CollectRefusals refusals;
  fake::in_new_thread([&] {
    backend(kCUDA).copy(memory, fake::gpu(1), &value, Device(kCPU), sizeof value, 1, nullptr);
  });
  trace::stop();
  CHECK(refusals.take() == Texts{});
  allocator(fake::gpu(1)).release(memory, 512);
}

TEST_CASE("a process on GPU 1 whose loader pins memory", "[.child]") {
  const Tensor x = zeros({4}, TensorOptions(fake::gpu(1)));
  const Tensor pinned = fake::in_new_thread([] { return zeros({4}).pin_memory(); });
  CHECK(cuda_stand_in::pinned_on(pinned.data_ptr()) == 1);
  CHECK(cuda_stand_in::contexts() == 2);
}

TEST_CASE("a process that pins memory before it uses a GPU", "[.child]") {
  set_device(fake::gpu(1));
  const Tensor pinned = zeros({4}).pin_memory();
  CHECK(cuda_stand_in::pinned_on(pinned.data_ptr()) == 1);
  CHECK(cuda_stand_in::contexts() == 2);
}

TEST_CASE("memory is pinned on the device that the process uses") {
  for (const char* name : {"a process on GPU 1 whose loader pins memory",
                           "a process that pins memory before it uses a GPU"}) {
    const test::ChildResult child = test::run_child(name);
    INFO(child.output);
    CHECK(child.exit_code == 0);
  }
}

}  // namespace

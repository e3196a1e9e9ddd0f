// The stand-in's race finder: which pairs of operations it reports, and that it reports no others.
#include "raw.h"

using namespace raw;
using Catch::Contains;

namespace {

constexpr const char* kRace =
    "test: race: \"reader\" on stream 2 of cuda:1 reads memory that \"writer\" on stream 1 of "
    "cuda:1 writes, and nothing orders the two. Missing: stream 2 of cuda:1 must wait for an event "
    "recorded on stream 1 of cuda:1 after \"writer\", or the host must wait for it";

TEST_CASE("a missing wait between two streams is told in words", "[.child]") {
  on_gpu(1, [] {
    const cudaStream_t first = new_stream(), second = new_stream();
    const Block block;
    CollectRefusals refusals;
    CHECK(queue(first, "writer", {block.write()}) == cudaSuccess);
    CHECK(queue(second, "reader", {block.read()}) == cudaErrorDeviceUninitialized);
    CHECK(only(refusals.take()) == kRace);
    CHECK(cudaDeviceSynchronize() == cudaSuccess);
  });
}

TEST_CASE("races do not depend on the order in which work runs") {
  for (const char* order : {"eager", "lazy", "reversed", "random"})
    run_in_order("a missing wait between two streams is told in words", order);
}

/// Whether an operation on a second stream is a race with one on a first stream.
template <class Between>
bool is_race(Use first_use, Use second_use, Between between) {
  const cudaStream_t first = new_stream(), second = new_stream();
  CollectRefusals refusals;
  CHECK(queue(first, "first", {first_use}) == cudaSuccess);
  between(first, second);
  queue(second, "second", {second_use});
  const Texts texts = refusals.take();
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
  return !texts.empty();
}

TEST_CASE("two uses are a race where one writes the same bytes and nothing orders them") {
  on_gpu(0, [] {
    const Block block(1024), other(1024);
    const auto nothing = [](cudaStream_t, cudaStream_t) {};
    const Use front{block.data(), 512, true}, back{block.data() + 512, 512, true};
    CHECK(is_race(block.write(), block.read(), nothing));
    CHECK(is_race(block.read(), block.write(), nothing));
    CHECK(is_race(block.write(), block.write(), nothing));
    CHECK(is_race(block.write(), back, nothing));
    CHECK(is_race(front, block.read(), nothing));
    CHECK_FALSE(is_race(block.read(), block.read(), nothing));
    CHECK_FALSE(is_race(front, back, nothing));
    CHECK_FALSE(is_race(block.write(), other.write(), nothing));
  });
}

TEST_CASE("events and waits of the host order two streams") {
  on_gpu(0, [] {
    const Block block;
    const auto check = [&](auto between) { return is_race(block.write(), block.write(), between); };
    CHECK_FALSE(check([](cudaStream_t first, cudaStream_t second) { order(first, second); }));
    CHECK_FALSE(check([](cudaStream_t first, cudaStream_t) { cudaStreamSynchronize(first); }));
    CHECK_FALSE(check([](cudaStream_t, cudaStream_t) { cudaDeviceSynchronize(); }));
    CHECK_FALSE(check([](cudaStream_t first, cudaStream_t) {
      while (cudaStreamQuery(first) == cudaErrorNotReady) cudaGetLastError();
    }));
    CHECK_FALSE(check([](cudaStream_t first, cudaStream_t second) {
      const cudaStream_t between = new_stream();
      order(first, between);
      order(between, second);
    }));
    CHECK(check([](cudaStream_t first, cudaStream_t second) { order(second, first); }));
    CHECK(check([](cudaStream_t, cudaStream_t second) { cudaStreamSynchronize(second); }));
    const cudaEvent_t early = new_event();
    cudaEventRecord(early, nullptr);
    CHECK(check([&](cudaStream_t, cudaStream_t second) { cudaStreamWaitEvent(second, early, 0); }));
  });
}

TEST_CASE("pinned memory and copies are checked too") {
  on_gpu(0, [] {
    const cudaStream_t first = new_stream(), second = new_stream();
    const Block block;
    void* pinned = nullptr;
    REQUIRE(cudaHostAlloc(&pinned, 512, cudaHostAllocPortable) == cudaSuccess);
    CollectRefusals refusals;
    cudaMemcpyAsync(pinned, block.data(), 512, cudaMemcpyDefault, first);
    cudaMemcpyAsync(block.data(), pinned, 512, cudaMemcpyDefault, second);
    CHECK_THAT(only(refusals.take()), Contains("cudaMemcpyAsync: race: \"a copy\" on stream"));
    CHECK(cudaDeviceSynchronize() == cudaSuccess);
    CHECK(cudaFreeHost(pinned) == cudaSuccess);
  });
}

/// A graph whose two nodes write blocks on two branches.
cudaGraphExec_t capture_branches(cudaStream_t first, cudaStream_t second, Use a, Use b) {
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t exec = nullptr;
  CHECK(cudaStreamBeginCapture(first, cudaStreamCaptureModeRelaxed) == cudaSuccess);
  order(first, second);
  queue(first, "first node", {a});
  queue(second, "second node", {b});
  order(second, first);
  CHECK(cudaStreamEndCapture(first, &graph) == cudaSuccess);
  CHECK(cudaGraphInstantiate(&exec, graph, 0) == cudaSuccess);
  CHECK(cudaGraphDestroy(graph) == cudaSuccess);
  return exec;
}

TEST_CASE("branches of one graph may race") {
  on_gpu(0, [] {
    const Block one, two;
    const cudaStream_t first = new_stream(), second = new_stream();
    CollectRefusals refusals;
    capture_branches(first, second, one.write(), two.write());
    CHECK(refusals.take() == Texts{});
    capture_branches(first, second, one.write(), one.read());
    CHECK_THAT(only(refusals.take()), Contains("test: in a graph, race: \"second node\""));
  });
}

TEST_CASE("a graph races with work of other streams, and its launches follow each other") {
  on_gpu(0, [] {
    const Block one, two;
    const cudaStream_t first = new_stream(), second = new_stream();
    const cudaGraphExec_t exec = capture_branches(first, second, one.write(), two.write());
    CollectRefusals refusals;
    CHECK(cudaGraphLaunch(exec, first) == cudaSuccess);
    CHECK(cudaGraphLaunch(exec, second) == cudaSuccess);
    CHECK(refusals.take() == Texts{});
    queue(nullptr, "reader", {two.read()});
    CHECK_THAT(only(refusals.take()), Contains("\"reader\" on the default stream of cuda:0 reads "
                                               "memory that \"second node\" on stream"));
    CHECK(cudaDeviceSynchronize() == cudaSuccess);
    queue(nullptr, "reader", {two.read()});
    CHECK(refusals.take() == Texts{});
    cudaGraphLaunch(exec, first);
    CHECK_THAT(only(refusals.take()), Contains("cudaGraphLaunch: race: \"second node\""));
    CHECK(cudaDeviceSynchronize() == cudaSuccess);
    CHECK(cudaGraphExecDestroy(exec) == cudaSuccess);
  });
}

/// A tensor that another stream reads is released, and its memory goes to the next tensor.
void reuse_memory(bool record) {
  using namespace td;
  const Stream side = getStreamFromPool(fake::gpu());
  Allocator& memory = allocator(fake::gpu());
  void* const block = memory.allocate(700 << 10);
  synchronize(fake::gpu());  // the block may have had another owner
  const auto use = [&](void* data, const Stream& stream, bool writes) {
    return queue(reinterpret_cast<cudaStream_t>(stream.native()), writes ? "next" : "reader",
                 {{data, 512, writes}});
  };
  CHECK(use(block, side, false) == cudaSuccess);
  if (record) memory.record_stream(block, side);
  memory.release(block, 700 << 10);
  void* const next = memory.allocate(700 << 10);
  CHECK((next == block || record));
  use(next, getDefaultStream(fake::gpu()), true);
  memory.release(next, 700 << 10);
  synchronize(fake::gpu());
}

TEST_CASE("a released block holds NaN after the work of its own stream") {
  const td::Tensor x = td::ones({256}, td::TensorOptions(fake::gpu()));
  td::Tensor y = td::ones({256}, td::TensorOptions(fake::gpu()));
  const auto* const view = static_cast<const float*>(cuda_stand_in::device_view(y.data_ptr()));
  const td::Tensor sum = x + y;
  y = td::Tensor();
  td::synchronize(fake::gpu());
  CHECK(view[0] != view[0]);
  CHECK(sum.cpu().equal(td::full({256}, 2)));
}

TEST_CASE("a stream that the allocator does not know of races with the next tensor") {
  CollectRefusals refusals;
  on_gpu(0, [] { reuse_memory(false); });
  const Texts texts = refusals.take();
  REQUIRE(texts.size() == 3);  // the last one when `next` is released
  const auto text = [](const std::string& operation) {
    return "\"" + operation +
           "\" on the default stream of cuda:0 writes memory that \"reader\" on stream";
  };
  CHECK_THAT(texts[0], Contains(text("the reuse of a released block")));
  CHECK_THAT(texts[1], Contains(text("next")));
  on_gpu(0, [] { reuse_memory(true); });
  CHECK(refusals.take() == Texts{});
}

}  // namespace

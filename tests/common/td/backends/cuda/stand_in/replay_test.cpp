// Captures and graphs of the stand-in: edges, the order of nodes, and the memory of a graph.
#include <set>

#include "raw.h"

using namespace raw;
using Catch::Contains;

namespace {

/// Captures what `work` queues on the stream.
template <class Work>
cudaGraphExec_t capture(cudaStream_t stream, Work work) {
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t exec = nullptr;
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed) == cudaSuccess);
  work();
  CHECK(cudaStreamEndCapture(stream, &graph) == cudaSuccess);
  CHECK(cudaGraphInstantiate(&exec, graph, 0) == cudaSuccess);
  CHECK(cudaGraphDestroy(graph) == cudaSuccess);
  return exec;
}

void end(cudaGraphExec_t exec) {
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
  CHECK(cudaGraphExecDestroy(exec) == cudaSuccess);
}

/// The orders in which 100 launches ran a node 0, two branches "ab" and "c", and then a node 1.
std::set<std::string> orders_of_branches() {
  const cudaStream_t stream = new_stream(), side = new_stream();
  Log log;
  const auto node = [&](cudaStream_t on, const char* name) {
    queue(on, name, {}, [&log, name] { log.add(name); });
  };
  const cudaGraphExec_t exec = capture(stream, [&] {
    node(stream, "0");
    order(stream, side);
    node(stream, "a"), node(stream, "b"), node(side, "c");
    order(side, stream);
    node(stream, "1");
  });
  CHECK(log.take().empty());
  std::set<std::string> orders;
  for (int i = 0; i < 100; ++i) {
    CHECK(cudaGraphLaunch(exec, stream) == cudaSuccess);
    CHECK(cudaStreamSynchronize(stream) == cudaSuccess);
    orders.insert(log.take());
  }
  end(exec);
  return orders;
}

TEST_CASE("eager replays have the order of the capture", "[.child]") {
  on_gpu(0, [] { CHECK(orders_of_branches() == std::set<std::string>{"0abc1"}); });
}
TEST_CASE("other replays have every order that the edges allow", "[.child]") {
  on_gpu(0, [] {
    CHECK(orders_of_branches() == std::set<std::string>{"0abc1", "0acb1", "0cab1"});
  });
}
TEST_CASE("a replay runs nodes in the orders that its edges allow") {
  run_in_order("eager replays have the order of the capture", "eager");
  for (const char* order : {"lazy", "reversed", "random"})
    run_in_order("other replays have every order that the edges allow", order);
}

TEST_CASE("a blocked node delays only the nodes that wait for it") {
  on_gpu(0, [] {
    const cudaStream_t stream = new_stream(), side = new_stream();
    std::atomic<bool> arrived = false;
    std::atomic<int> begun = 0;
    const cudaGraphExec_t exec = capture(stream, [&] {
      order(stream, side);
      cuda_stand_in::queue("test", stream, {"collective", {}, [&](bool begins) {
                                              begun += begins;
                                              return arrived.load();
                                            }});
      queue(side, "other", {}, [&] { arrived = true; });
      order(side, stream);
    });
    for (int i = 1; i <= 3; ++i) {
      arrived = false;
      CHECK(cudaGraphLaunch(exec, stream) == cudaSuccess);
      CHECK(cudaStreamSynchronize(stream) == cudaSuccess);
      CHECK(begun == i);
    }
    end(exec);
  });
}

TEST_CASE("launches of one graph follow each other on any stream") {
  on_gpu(0, [] {
    const cudaStream_t stream = new_stream(), other = new_stream();
    std::atomic<int> ran = 0;
    const cudaGraphExec_t exec = capture(stream, [&] { queue(stream, "op", {}, [&] { ++ran; }); });
    cuda_stand_in::hold(0, stream);
    CHECK(cudaGraphLaunch(exec, stream) == cudaSuccess);
    CHECK(cudaGraphLaunch(exec, other) == cudaSuccess);
    for (int i = 0; i < 100; ++i) CHECK(cudaStreamQuery(other) == cudaErrorNotReady);
    CHECK(ran == 0);
    cudaGetLastError();
    cuda_stand_in::let_go(0, stream);
    CHECK(cudaStreamSynchronize(other) == cudaSuccess);
    CHECK(ran == 2);
    end(exec);
  });
}

TEST_CASE("a graph is not destroyed before the host waited for its launch") {
  on_gpu(0, [] {
    const cudaStream_t stream = new_stream();
    const cudaGraphExec_t exec = capture(stream, [&] { queue(stream, "op", {}); });
    CHECK(cudaGraphLaunch(exec, stream) == cudaSuccess);
    CollectRefusals refusals;
    cudaGraphExecDestroy(exec);
    CHECK(refusals.take() ==
          Texts{"cudaGraphExecDestroy: the host did not wait for the graph's last launch"});
    end(exec);
    CHECK(cudaGraphExecDestroy(exec) == cudaErrorInvalidValue);
    cudaGetLastError();
  });
}

TEST_CASE("a graph does not outlive its memory") {
  on_gpu(0, [] {
    const cudaStream_t stream = new_stream();
    Block block;
    const cudaGraphExec_t exec = capture(stream, [&] { queue(stream, "writer", {block.write()}); });
    CHECK(cudaGraphLaunch(exec, stream) == cudaSuccess);
    CHECK(cudaStreamSynchronize(stream) == cudaSuccess);
    CHECK(block.free() == cudaSuccess);
    CollectRefusals refusals;
    cudaGraphLaunch(exec, stream);
    CHECK(refusals.take() ==
          Texts{"cudaGraphLaunch: memory that \"writer\" writes was freed after the capture"});
    end(exec);
  });
}

TEST_CASE("captures have CUDA's codes") {
  on_gpu(0, [] {
    const cudaStream_t stream = new_stream(), side = new_stream();
    const cudaEvent_t event = new_event(), outside = new_event();
    cudaGraph_t graph = nullptr;
    const auto begin = [&] {
      REQUIRE(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed) == cudaSuccess);
    };
    CHECK(cudaStreamBeginCapture(nullptr, cudaStreamCaptureModeRelaxed) ==
          cudaErrorStreamCaptureUnsupported);
    cudaEventRecord(outside, side);
    begin();
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed) == cudaErrorIllegalState);
    CHECK(cudaStreamWaitEvent(stream, outside, 0) == cudaErrorStreamCaptureIsolation);
    CHECK(cudaStreamEndCapture(stream, &graph) == cudaErrorStreamCaptureInvalidated);
    CHECK(graph == nullptr);
    begin();
    cudaEventRecord(event, stream);
    CHECK(cudaStreamWaitEvent(side, event, 0) == cudaSuccess);
    cudaGetLastError();
    CHECK(queue(side, "op", {}) == cudaSuccess);
    CHECK(cudaStreamEndCapture(stream, &graph) == cudaErrorStreamCaptureUnjoined);
    begin();
    cudaEventRecord(event, stream);
    cudaStreamWaitEvent(side, event, 0);
    CHECK(cudaStreamEndCapture(side, &graph) == cudaErrorStreamCaptureUnmatched);
    CHECK(cudaEventQuery(event) == cudaErrorCapturedEvent);  // also after the capture
    CHECK(cudaStreamWaitEvent(side, event, 0) == cudaErrorCapturedEvent);
    CHECK(cudaStreamQuery(stream) == cudaSuccess);
    cudaGetLastError();
    void* pinned = nullptr;
    CHECK(cudaHostAlloc(&pinned, 8, cudaHostAllocPortable) == cudaSuccess);
    begin();
    CollectRefusals refusals;
    cudaFreeHost(pinned);
    CHECK_THAT(only(refusals.take()), Contains("cudaFreeHost: a graph is being captured"));
    CHECK(cudaStreamEndCapture(stream, &graph) == cudaSuccess);
    CHECK(cudaFreeHost(pinned) == cudaSuccess);
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
    CHECK_THAT(only(refusals.take()), Contains("relaxed mode"));
  });
}

}  // namespace

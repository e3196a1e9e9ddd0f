// Captures and graphs. A replay runs the nodes in an order that their edges allow, chosen by the
// seed, and in `eager` in the order of their capture; races.h sees each node, and while a graph is
// captured it compares the nodes with each other. Invariant: edges point to earlier nodes.
#include <algorithm>

#include "scheduler.h"
#include "uses.h"

namespace cuda_stand_in {
namespace {

using Nodes = std::vector<Node>;

/// One launch of a graph, as Operation::run.
class Replay {
 public:
  Replay(std::shared_ptr<const Nodes> nodes, bool in_order)
      : nodes_(std::move(nodes)),
        in_order_(in_order),
        has_begun_(nodes_->size()),
        followers_(nodes_->size()) {
    for (std::size_t i = 0; i < nodes_->size(); ++i) {
      const std::set<std::size_t>& after = (*nodes_)[i].after;
      missing_.push_back(after.size());
      if (after.empty()) ready_.push_back(i);
      for (const std::size_t node : after) followers_[node].push_back(i);
    }
  }
  /// Runs the nodes that can continue. A blocked node does not delay the others.
  bool operator()() {
    std::vector<std::size_t> waiting;
    while (!ready_.empty()) {
      const std::size_t node = take_ready();
      if (run(node))
        end(node);
      else
        waiting.push_back(node);
    }
    ready_ = std::move(waiting);
    return ready_.empty();
  }

 private:
  std::size_t take_ready() {
    const auto chosen = in_order_
                            ? std::min_element(ready_.begin(), ready_.end())
                            : ready_.begin() + static_cast<std::ptrdiff_t>(random(ready_.size()));
    const std::size_t node = *chosen;
    ready_.erase(chosen);
    return node;
  }
  bool run(std::size_t node) {
    const bool begins = !has_begun_[node];
    has_begun_[node] = true;
    return (*nodes_)[node].operation->run(begins);
  }
  void end(std::size_t node) {
    for (const std::size_t follower : followers_[node])
      if (--missing_[follower] == 0) ready_.push_back(follower);
  }

  const std::shared_ptr<const Nodes> nodes_;
  const bool in_order_;
  std::vector<bool> has_begun_;
  std::vector<std::vector<std::size_t>> followers_;
  std::vector<std::size_t> missing_, ready_;  // missing: how many nodes it still waits for
};

/// All streams leave the capture, whatever it came to.
cudaError_t end(State& all, Capture& capture, const Stream& last) {
  capture.is_over = true;
  all.captures.erase(&capture);
  const VectorClock joined = capture.branches[capture.origin].clock;
  bool is_joined = true;
  for (const auto& [stream, branch] : capture.branches) {
    stream->capture = nullptr;
    is_joined &= joined[stream->number] >= branch.count;
  }
  if (capture.is_invalid) return cudaErrorStreamCaptureInvalidated;
  if (&last != capture.origin) return cudaErrorStreamCaptureUnmatched;
  return is_joined ? cudaSuccess : cudaErrorStreamCaptureUnjoined;
}

/// Nodes of one graph that nothing orders.
cudaError_t check_races_in(State& all, const char* call, const Capture& capture,
                           const Capture::Branch& branch, const std::vector<Access>& accesses) {
  for (const Access& access : accesses)
    if (const Access* earlier = race_of(capture.accesses, access, branch.clock))
      return refuse(all, call, "in a graph, " + race_text(all, *earlier, access));
  return cudaSuccess;
}

/// A graph must not outlive its memory.
cudaError_t check_generations(State& all, const Nodes& nodes) {
  for (const Node& node : nodes) {
    for (std::size_t i = 0; i < node.generations.size(); ++i) {
      const Use& use = node.operation->uses[i];
      const Found found = find_memory(all, use.data, use.bytes);
      if (use.bytes > 0 && (!found.block || found.block->generation != node.generations[i]))
        return refuse(all, "cudaGraphLaunch",
                      "memory that \"" + node.operation->name + "\" " +
                          (use.writes ? "writes" : "reads") + " was freed after the capture");
    }
  }
  return cudaSuccess;
}

/// A test may want a node to fail; then the launch does nothing else.
bool must_fail(State& all, std::size_t nodes) {
  if (!all.kernel_error) return false;
  all.kernels_that_pass -= static_cast<int>(nodes);
  return all.kernels_that_pass < 0;
}

std::function<bool(bool)> replay_of(State& all, const Graph& graph) {
  if (must_fail(all, graph.nodes->size())) {
    const cudaError_t error = std::exchange(all.kernel_error, cudaSuccess);
    return [error](bool) -> bool {
      throw DeviceFault{error, "The stand-in for CUDA lets a graph fail, as a test wants"};
    };
  }
  auto replay = std::make_shared<Replay>(graph.nodes, all.order == Order::kEager);
  return [replay](bool) { return (*replay)(); };
}

cudaError_t launch(State& all, Graph& graph, Stream& stream, Lock& lock) {
  constexpr const char* kName = "cudaGraphLaunch";
  if (stream.device != graph.device) return cudaErrorInvalidResourceHandle;
  if (stream.capture) return refuse(all, kName, "a graph within a graph");
  if (const cudaError_t error = check_status(all, kName)) return error;
  if (const cudaError_t error = check_generations(all, *graph.nodes)) return error;
  Item item;
  if (graph.last_launch) {
    item.waits.push_back(graph.last_launch);
    stream.clock.join(graph.last_launch->clock);
  }
  for (const Node& node : *graph.nodes)
    if (const cudaError_t error = check_races(all, kName, stream, *node.operation)) return error;
  for (const Node& node : *graph.nodes) note_uses(all, stream, *node.operation);
  item.run = replay_of(all, graph);
  item.mark = graph.last_launch = mark_here(all, stream);
  item.mark->clock.raise(stream.number, ++item.mark->ticket);
  put(all, stream, std::move(item), lock);
  return cudaSuccess;
}

}  // namespace

cudaError_t add_node(State& all, const char* call, Stream& stream, Operation operation) {
  Capture& capture = *stream.capture;
  if (capture.is_invalid) return cudaErrorStreamCaptureInvalidated;
  Capture::Branch& branch = capture.branches[&stream];
  Node node;
  node.after = branch.tips;
  std::vector<Access> accesses;
  for (const Use& use : operation.uses) {
    const auto begin = reinterpret_cast<std::uintptr_t>(use.data);
    accesses.push_back({kept_name(operation.name), stream.number, branch.count + 1, use.writes,
                        begin, begin + use.bytes, nullptr});
    const Memory* const block = find_memory(all, use.data, use.bytes).block;
    node.generations.push_back(block ? block->generation : 0);
  }
  if (const cudaError_t error = check_races_in(all, call, capture, branch, accesses)) return error;
  for (const Access& access : accesses) capture.accesses.note(access);
  node.operation = std::make_shared<const Operation>(std::move(operation));
  branch.tips = {capture.nodes.size()};
  branch.clock.raise(stream.number, ++branch.count);
  capture.nodes.push_back(std::move(node));
  return cudaSuccess;
}

}  // namespace cuda_stand_in

using namespace cuda_stand_in;

extern "C" {

cudaError_t cudaStreamBeginCapture(cudaStream_t handle, cudaStreamCaptureMode mode) {
  return call("cudaStreamBeginCapture", true, [&](State& all, Lock&) {
    if (mode != cudaStreamCaptureModeRelaxed)
      return refuse(all, "cudaStreamBeginCapture", "the core captures in relaxed mode alone");
    if (!handle) return cudaErrorStreamCaptureUnsupported;
    Stream& stream = stream_of(all, handle);
    if (stream.capture) return cudaErrorIllegalState;
    stream.capture = new Capture;  // kept: events may hold it after its end
    stream.capture->origin = &stream;
    stream.capture->branches[&stream];
    all.captures.insert(stream.capture);
    return cudaSuccess;
  });
}

cudaError_t cudaStreamIsCapturing(cudaStream_t handle, cudaStreamCaptureStatus* status) {
  return call("cudaStreamIsCapturing", true, [&](State& all, Lock&) {
    const Capture* const capture = stream_of(all, handle).capture;
    *status = !capture              ? cudaStreamCaptureStatusNone
              : capture->is_invalid ? cudaStreamCaptureStatusInvalidated
                                    : cudaStreamCaptureStatusActive;
    return cudaSuccess;
  });
}

cudaError_t cudaStreamEndCapture(cudaStream_t handle, cudaGraph_t* made) {
  return call("cudaStreamEndCapture", true, [&](State& all, Lock&) {
    *made = nullptr;
    const Stream& stream = stream_of(all, handle);
    if (!stream.capture) return cudaErrorIllegalState;
    Capture& capture = *stream.capture;
    const cudaError_t error = end(all, capture, stream);
    capture.accesses = {};
    auto nodes = std::make_shared<const Nodes>(std::move(capture.nodes));
    if (error) return error;
    auto* const graph = new Graph{stream.device, std::move(nodes), nullptr};
    all.live.insert(graph);
    *made = reinterpret_cast<cudaGraph_t>(graph);
    return cudaSuccess;
  });
}

cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, std::size_t* count) {
  return call("cudaGraphGetNodes", false, [&](State& all, Lock&) {
    if (nodes) return refuse(all, "cudaGraphGetNodes", "it only counts");
    *count = reinterpret_cast<Graph*>(graph)->nodes->size();
    return cudaSuccess;
  });
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t* made, cudaGraph_t graph, unsigned long long) {
  return call("cudaGraphInstantiate", true, [&](State& all, Lock&) {
    auto* const exec = new Graph(*reinterpret_cast<Graph*>(graph));
    all.live.insert(exec);
    *made = reinterpret_cast<cudaGraphExec_t>(exec);
    return cudaSuccess;
  });
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t handle) {
  return call("cudaGraphLaunch", true, [&](State& all, Lock& lock) {
    if (!all.live.count(exec)) return cudaErrorInvalidValue;
    return launch(all, *reinterpret_cast<Graph*>(exec), stream_of(all, handle), lock);
  });
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  return call("cudaGraphDestroy", false, [&](State& all, Lock&) {
    if (!all.live.erase(graph)) return cudaErrorInvalidValue;
    delete reinterpret_cast<Graph*>(graph);
    return cudaSuccess;
  });
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec) {
  return call("cudaGraphExecDestroy", true, [&](State& all, Lock&) {
    if (!all.live.count(exec)) return cudaErrorInvalidValue;
    const auto* const graph = reinterpret_cast<Graph*>(exec);
    const MarkPtr& last = graph->last_launch;
    if (last && all.host[last->stream->number] < last->ticket)
      return refuse(all, "cudaGraphExecDestroy",
                    "the host did not wait for the graph's last launch");
    all.live.erase(exec);
    delete graph;
    return cudaSuccess;
  });
}

}  // extern "C"

// See graph_random.h. Arguments of a captured launch are frozen, so what changes from replay to
// replay, the beginning of the graph's piece of the random stream, lies in device memory.
#include "td/ops/random/graph_random.h"

#include <memory>

#include "td/device/capture.h"
#include "td/device/graph.h"
#include "td/ops/random/random_start.h"
#include "td/ops/op.h"
#include "td/tensor/generator.h"

namespace td {
namespace {

/// What all random operations of one capture share.
struct GraphRandom {
  Tensor start;  // seed and offset
  std::uint64_t blocks = 0;

  void begin_replay() {
    const Generator::State state = default_generator().reserve(blocks);
    kernels::set_random_start(start, state.seed, state.offset);
  }
};

/// Memory that is not of the graph's pool: there a block serves one tensor after the other, and
/// what is written before a replay would be written over by the work before the first draw.
Tensor outside_of_pool(Device device) {
  Graph* const graph = std::exchange(capturing_graph, nullptr);
  Tensor tensor;
  try {
    tensor = empty_on({2}, kLong, device);
  } catch (...) {
    capturing_graph = graph;
    throw;
  }
  capturing_graph = graph;
  return tensor;
}

/// Of the capture that is under way in this thread, made by its first random operation.
GraphRandom& graph_random(Graph& graph) {
  thread_local GraphRandom* mine = nullptr;  // the graph holds it
  thread_local std::uint64_t capture = 0;
  if (capture != graph.capture_number()) {
    const auto made = std::make_shared<GraphRandom>();
    made->start = outside_of_pool(graph.device());
    graph.before_replay([made] { made->begin_replay(); });
    capture = graph.capture_number();
    mine = made.get();
  }
  return *mine;
}

}  // namespace

RandomPiece::RandomPiece(std::uint64_t blocks, Device device) {
  if (!capturing_graph || device.type() != capturing_graph->device().type()) {
    const Generator::State state = default_generator().reserve(blocks);
    stream_ = {state.seed, state.offset};
    return;
  }
  TD_CHECK(DeviceError, device == capturing_graph->device(), "random numbers on ", device,
           ": a graph of ", capturing_graph->device(),
           " is being captured, and its replays draw numbers there alone. Draw them before the "
           "capture.");
  GraphRandom& random = graph_random(*capturing_graph);
  stream_ = {0, std::exchange(random.blocks, random.blocks + blocks)};
  kernels::random_start = &random.start;
}

RandomPiece::~RandomPiece() { kernels::random_start = nullptr; }

}  // namespace td

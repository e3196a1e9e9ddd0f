// Where random operations take their numbers from, also in a graph (PhiloxReservation of philox.h).
// Arguments of a captured launch are frozen, so what changes from replay to replay, the beginning
// of the graph's part of the random stream, is stored in device memory.
#include <memory>

#include "td/device/graph.h"
#include "td/kernels/index_kernel.h"
#include "td/ops/op.h"
#include "td/ops/random/philox.h"

namespace td {
namespace {

// Writes both numbers in stream order. A launch copies its arguments when it is enqueued, so the
// host need not keep them, and does not block.
struct SetStart {
  std::uint64_t *start, seed, offset;
  TD_HD std::int64_t cost() const { return 2; }
  TD_HD void operator()(std::int64_t) const {
    start[0] = seed;
    start[1] = offset;
  }
};

/// What all random operations of one capture share.
struct GraphRandom {
  Tensor start;  // seed and offset
  std::uint64_t blocks = 0;

  void begin_replay() {
    const Generator::State state = default_generator().reserve(blocks);
    const SetStart work{Pointer{start}, state.seed, state.offset};
    launch_index_kernel("random_start", start.device(), work, 1, {}, {&start});
  }
};

/// The GraphRandom of this thread's capture, made by its first random operation.
GraphRandom& graph_random(Graph& graph) {
  thread_local GraphRandom* mine = nullptr;  // the graph holds it
  thread_local std::uint64_t capture = 0;
  if (capture != graph.capture_number()) {
    const auto made = std::make_shared<GraphRandom>();
    {  // In the graph's pool a block serves one tensor after the other, and work before the first
       // draw would overwrite what a replay wrote there.
      const ScopedValue shared_pool(memory_pool(graph.device().type()), 0);
      made->start = empty_on({2}, kLong, graph.device());
    }
    graph.before_replay([made] { made->begin_replay(); });
    capture = graph.capture_number();
    mine = made.get();
  }
  return *mine;
}

}  // namespace

PhiloxReservation::PhiloxReservation(std::uint64_t blocks, Device device) {
  if (!capturing_graph() || device.type() != capturing_graph()->device().type()) {
    state_ = default_generator().reserve(blocks);
    return;
  }
  TD_CHECK(DeviceError, device == capturing_graph()->device(), "random numbers on ", device,
           ": a graph of ", capturing_graph()->device(),
           " is being captured, and its replays draw numbers there alone. Draw them before the "
           "capture.");
  GraphRandom& random = graph_random(*capturing_graph());
  state_ = {0, std::exchange(random.blocks, random.blocks + blocks)};
  start_ = random.start;
}

}  // namespace td

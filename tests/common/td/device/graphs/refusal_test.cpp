// Work that a capture cannot hold is a clear error, and afterwards the graph is like a new one.
#include <functional>
#include <sstream>

#include "captured_warnings.h"
#include "distributed/thread_group.h"
#include "graphs.h"
#include "parallel/parallel_apply.h"
#include "sim_work.h"

using namespace td;
using test::on_sim;
using test::OnStream;
using test::refusal;
using test::values;
using List = std::vector<float>;

namespace {

const char* const kMayNotWait =
    ": not while a graph is captured. The host may not wait for the device or read its values: "
    "nothing runs before the graph is replayed. Do it after the capture.";
const char* const kPageable =
    "copy: not while a graph is captured. The host's side is pageable memory, which the device "
    "cannot reach by itself at each replay. Keep it in one pinned tensor, from pin_memory(), for "
    "as "
    "long as the graph is used.";

/// What `work` throws when it is captured; the graph must be as new then.
template <class Work>
std::string refusal_in_capture(const OnStream& on, const Work& work) {
  Graph graph;
  const std::string text = refusal([&] { graph.capture(on.stream, work); });
  CHECK_FALSE(is_capturing());
  CHECK(graph.size() == 0);
  const Tensor x = on_sim({1});
  graph.capture(on.stream, [&] { x.add_(1); });
  graph.replay();
  CHECK(values(x) == List{2});
  return text;
}

}  // namespace

TEST_CASE("in a capture the host does not wait for the device or read from it") {
  const OnStream on;
  const Tensor x = on_sim({1});
  Event before(kSIM);
  before.record(on.stream);
  CHECK(refusal_in_capture(on, [&] { x.item(); }) == std::string("item") + kMayNotWait);
  CHECK(refusal_in_capture(on, [&] { on.stream.synchronize(); }) ==
        std::string("Stream::synchronize") + kMayNotWait);
  CHECK(refusal_in_capture(on, [&] { synchronize("sim:0"); }) ==
        std::string("synchronize") + kMayNotWait);
  CHECK(refusal_in_capture(on, [&] { before.synchronize(); }) ==
        std::string("Event::synchronize") + kMayNotWait);
}

TEST_CASE("what cannot be captured names the operation that was called") {
  const OnStream on;
  const Tensor x = on_sim({1, 0, 2}).requires_grad_(), classes = on_sim({0, 1, 2}).to(kLong);
  const Tensor mask = x.detach().gt(Scalar(0));
  const auto check = [&](const char* name, const std::function<void()>& work) {
    INFO(name);
    CHECK(refusal_in_capture(on, work) == std::string(name) + kMayNotWait);
  };
  check("nonzero", [&] { x.nonzero(); });
  check("masked_select", [&] { masked_select(x, mask); });
  check("index", [&] { x.index({mask}); });
  check("index", [&] { x.index({classes[0]}); });
  check("index_put_", [&] { x.detach().index_put_({mask}, 1); });
  check("one_hot without num_classes", [&] { one_hot(classes); });
  check("equal", [&] { equal(x, x); });
  check("allclose", [&] { allclose(x, x); });
  check("printing a tensor", [&] { std::ostringstream() << x; });
  check("randperm", [&] { randperm(3, TensorOptions("sim:0")); });
  check("the gradient of prod", [&] { x.prod().backward(); });
  check("the gradient of cumprod", [&] { x.cumprod(0).sum().backward(); });
  x.mutable_grad() = ones_like(x);
  check("clip_grad_norm_", [&] { nn::utils::clip_grad_norm_(x, 1); });
  nn::BatchNorm1d norm(nn::BatchNorm1dOptions(3).momentum(nullopt));
  norm->to(Device("sim:0"));
  check("BatchNorm without a momentum", [&] { norm(x.detach().expand({2, 3})); });
  CHECK(refusal_in_capture(on,
                           [&] {
                             tensor({1, 2}, TensorOptions("sim:0"));
                           }) ==
        "tensor: not while a graph is captured. Its numbers are on the host, from which a replay "
        "cannot copy them. Make the tensor before the capture.");
}

TEST_CASE("in a capture host memory is pinned, and copies do not block") {
  const OnStream on;
  const Tensor x = on_sim({1, 2}), pageable = zeros({2}), pinned = pageable.pin_memory();
  CHECK(refusal_in_capture(on, [&] { x.cpu(); }) == kPageable);
  CHECK(refusal_in_capture(on, [&] { x.copy_(pageable, true); }) == kPageable);
  CHECK(refusal_in_capture(on, [&] { pageable.copy_(x, true); }) == kPageable);
  CHECK(
      refusal_in_capture(on, [&] { pageable.pin_memory(); }) ==
      "pinned memory: not while a graph is captured. Replays would use it after it has been "
      "released and given to another tensor. Pin it before the capture, and keep it for as long as "
      "the graph is used.");
  CHECK(refusal_in_capture(on, [&] { x.copy_(pinned); }) ==
        "copy: not while a graph is captured. It would make the host wait, and nothing runs before "
        "the graph is replayed. Pass non_blocking = true.");
}

TEST_CASE("calls of a graph at the wrong time") {
  const OnStream on;
  const Tensor x = on_sim({1});
  Graph graph, other;
  CHECK(refusal([&] { graph.replay(); }) ==
        "replay: the graph holds no work; capture some first, with capture() or between "
        "capture_begin() and capture_end().");
  CHECK(refusal([&] { graph.capture_end(); }) ==
        "capture_end: this thread does not capture this graph; call capture_begin() first, in the "
        "same thread.");
  graph.capture_begin();
  CHECK(refusal([&] { graph.capture_begin(); }) ==
        "capture_begin: this thread captures this graph already; call capture_end() first.");
  CHECK(refusal([&] { other.capture_begin(); }) ==
        "capture_begin: this thread captures another graph; end that capture first.");
  CHECK(refusal([&] { graph.replay(); }) ==
        "replay: the graph is being captured; call capture_end() first.");
  x.add_(1);
  graph.capture_end();
  CHECK(refusal([&] { graph.capture_begin(); }) ==
        "capture_begin: the graph holds a capture already; call reset() first, or make another "
        "Graph.");
  CHECK(refusal([&] { other.capture(on.stream, [&] { graph.replay(); }); }) ==
        "replay: not while a graph is captured. A graph cannot be part of another one. Replay it "
        "afterwards.");
  CHECK(refusal([&] { other.capture(on.stream, [&] { graph.reset(); }); }) ==
        "reset: not while a graph is captured. It would wait for the last replay. Do it after the "
        "capture.");
  graph.replay();  // none of that did it any harm
  CHECK(values(x) == List{2});
  graph.reset();
  graph.reset();
  CHECK_THROWS_AS(graph.replay(), DeviceError);
}

TEST_CASE("the default stream, the cpu and an empty graph are errors") {
  Graph graph;
  const std::string best = Device(preferred_accelerator(), 0).str();
  CHECK(refusal([&] { graph.capture_begin(); }) ==
        "capture_begin: the current stream is the default stream of " + best +
            ", which cannot be captured: all threads share it. Make another one current first: "
            "StreamGuard guard(getStreamFromPool(\"" +
            best + "\")).");
  CHECK(
      refusal([&] { graph.capture(getCurrentStream("cpu"), [] {}); }) ==
      "capture: cpu has no graphs: its work is done when a call returns, so there are no launches "
      "to save. Capture on a stream of sim or cuda.");
  const std::string empty =
      "capture_end: the graph is empty. Nothing was queued on the captured stream of sim:0: was "
      "the "
      "work queued on another stream, or in another thread?";
  const Tensor x = on_sim({1});
  const OnStream on;
  CHECK(refusal([&] { graph.capture(on.stream, [] {}); }) == empty);
  CHECK(refusal([&] {
          graph.capture(on.stream, [&] {
            StreamGuard elsewhere(getDefaultStream("sim:0"));
            x.add_(1);
          });
        }) == empty);
  StreamGuard elsewhere(getDefaultStream("sim:0"));
  CHECK(values(x) == List{2});  // it was not captured, so it ran
}

TEST_CASE("a side stream must join again, and events stay on their side of a capture") {
  const OnStream on;
  const Stream side = getStreamFromPool("sim:0");
  const Tensor x = on_sim({1}), y = on_sim({1});
  on.stream.synchronize();
  const auto fork = [&](bool early) {
    y.add_(1);
    side.wait(on.stream);
    StreamGuard guard(side);
    x.add_(1);
    if (!early) return;
    on.stream.wait(side);
    x.add_(1);  // this one is not waited for
  };
  for (bool early : {false, true}) {
    Graph graph;
    CHECK(refusal([&] { graph.capture(on.stream, [&] { fork(early); }); }) ==
          "capture_end: a stream of sim:0 joined the capture by waiting for an event, and the "
          "captured stream does not wait for its last work. Before the end, record an event there "
          "and let the captured stream wait for it: stream.wait(side).");
    StreamGuard guard(side);  // works as before
    x.copy_(on_sim({5}));
    CHECK(values(x) == List{5});
  }
  Event outside(kSIM), inside(kSIM);
  outside.record(side);
  CHECK(refusal_in_capture(on, [&] { outside.block(on.stream); }) ==
        "wait: the stream of sim:0 is being captured, and the event was recorded outside of the "
        "capture: a replay could not wait for it. Let the stream wait for it before the capture "
        "begins, or before each replay.");
  Graph graph;
  graph.capture(on.stream, [&] {
    x.add_(1);
    inside.record(on.stream);
  });
  const std::string point =
      "the event was recorded while a graph was captured, so it marks a point of the graph and not "
      "of a stream. Record it again after the replay.";
  CHECK(refusal([&] { inside.synchronize(); }) == point);
  CHECK(refusal([&] { inside.query(); }) == point);
  CHECK(refusal([&] { inside.block(side); }) == point);
  inside.record(on.stream);
  inside.synchronize();
}

TEST_CASE("another thread gets the error that a stream is captured") {
  const OnStream on;
  const Tensor x = on_sim({1});
  Graph graph;
  graph.capture_begin();
  std::string wait, capture;
  std::thread([&] {
    wait = refusal([&] { on.stream.synchronize(); });
    Graph second;
    capture = refusal([&] { second.capture(on.stream, [] {}); });
    synchronize("sim:0");  // what was queued before the capture
  }).join();
  x.add_(1);
  graph.capture_end();
  CHECK(wait ==
        "synchronize: a stream of sim:0 is being captured by another thread. What is captured does "
        "not run, so there is nothing to wait for; wait after the capture.");
  CHECK(capture ==
        "capture_begin: the stream of sim:0 is being captured already, by another thread or as a "
        "side stream; take another stream from the pool.");
}

TEST_CASE("replicas and collectives work in other threads, so they are errors") {
  const OnStream on;
  const Tensor x = on_sim({1});
  CHECK(
      refusal_in_capture(
          on,
          [&] {
            td::parallel::run_replicas({"sim:0", "sim:1"}, [&](std::size_t) { x.add_(1); });
          }) ==
      "parallel_apply: not while a graph is captured. Replicas work in threads of their own, whose "
      "memory would not be the graph's. Capture the step of one device.");
  distributed::run_as_threads(1, [&](distributed::ProcessGroup& group) {
    const OnStream here;
    CHECK(
        refusal_in_capture(here, [&] { group.all_reduce(x); }) ==
        "all_reduce: not while a graph is captured. A thread of the host takes part in each "
        "collective, and a replay has none. Capture what lies before and behind it as two graphs.");
  });
}

TEST_CASE("an optimizer whose state a replay would reset or freeze is an error") {
  const OnStream on;
  const Tensor w = on_sim({1, 2}).requires_grad_();
  w.mutable_grad() = on_sim({1, 1});
  optim::Adam frozen({w}, optim::AdamOptions(0.1));
  optim::SGD cold({w}, optim::SGDOptions(0.1).momentum(0.9));
  frozen.step();
  CHECK(refusal_in_capture(on, [&] { frozen.step(); }) ==
        "Adam: not while a graph is captured. Its count of steps lies on the host and would be the "
        "same in each replay. Make it with AdamOptions(lr).capturable(true).");
  CHECK(refusal_in_capture(on, [&] { cold.step(); }) ==
        "optimizer: not while a graph is captured. What it remembers of a parameter is made at the "
        "first step, and each replay would make it again. Run the step once or twice before the "
        "capture.");
}

TEST_CASE("learning rates and groups do not change within a capture") {
  const OnStream on;
  const Tensor w = on_sim({1, 2}).requires_grad_();
  const Tensor other = on_sim({3});
  const std::string refused =
      "optimizer: a change of the learning rate: not while a graph is captured. Each replay would "
      "set the rate of the capture again. Change it before the capture and run a step, or between "
      "replays.";
  for (const bool capturable : {true, false}) {
    w.mutable_grad() = on_sim({1, 1});
    optim::SGD sgd({w}, optim::SGDOptions(0.25).capturable(capturable));
    optim::OptimizerOptions& options = sgd.param_groups()[0].options();
    optim::StepLR schedule(sgd, 1, 0.5);
    sgd.step();
    CHECK(refusal_in_capture(on, [&] { options.set_lr(0.5); }) == refused);
    CHECK(options.get_lr() == 0.25);
    CHECK(refusal_in_capture(on, [&] { schedule.step(); }) == refused);
    CHECK(refusal_in_capture(on, [&] { sgd.add_param_group({{other}}); }) ==
          "add_param_group: not while a graph is captured. A replay repeats the steps on the "
          "parameters of the capture. Add the group and run a step before the capture.");
    CHECK(sgd.param_groups().size() == 1);
  }
  // Changed past set_lr: a capturable optimizer would write the new rate at each replay.
  optim::SGD sgd({w}, optim::SGDOptions(0.25).capturable(true));
  sgd.step();
  static_cast<optim::SGDOptions&>(sgd.param_groups()[0].options()).lr(0.5);
  CHECK(refusal_in_capture(on, [&] { sgd.step(); }) == refused);
}

TEST_CASE("a learning rate that a graph holds as a number warns when it is changed") {
  const OnStream on;
  const Tensor w = on_sim({1}).requires_grad_();
  w.mutable_grad() = on_sim({1});
  optim::SGD sgd({w}, optim::SGDOptions(0.25));
  optim::OptimizerOptions& options = sgd.param_groups()[0].options();
  Graph graph;
  graph.capture(on.stream, [&] { sgd.step(); });
  const test::CapturedWarnings captured;
  options.set_lr(0.25);
  CHECK(captured.text().empty());
  options.set_lr(0.5);
  CHECK(captured.text() ==
        "Warning: optimizer: its learning rate was changed after its step was captured in a "
        "graph, which holds the old one as a number. Make the optimizer with capturable(true), or "
        "capture the step again.\n");
  graph.replay();
  CHECK(values(w) == List{0.75});
}

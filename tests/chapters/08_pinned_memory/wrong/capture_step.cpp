#include "exercises.h"

// answer: captures_the_callers_batch
// expect: a replay would overwrite the batch
// Captures the tensors of the caller.
namespace captures_the_callers_batch {
std::unique_ptr<StepGraph> capture_step(const TrainStep& step, const td::Tensor& x,
                                        const td::Tensor& y, int warm_up) {
  auto captured = std::make_unique<StepGraph>();
  captured->x = x;
  captured->y = y;
  const td::Stream current = td::getCurrentStream(x.device());
  const td::Stream stream = td::getStreamFromPool(x.device());
  stream.wait(current);
  {
    const td::StreamGuard guard(stream);
    for (int i = 0; i < warm_up; ++i) step(captured->x, captured->y);
  }
  captured->graph.capture(stream, [&] { captured->loss = step(captured->x, captured->y); });
  current.wait(stream);
  return captured;
}

td::Tensor replay_step(StepGraph& captured, const td::Tensor& x, const td::Tensor& y) {
  const td::NoGradGuard no_grad;
  captured.x.copy_(x, /*non_blocking=*/true);
  captured.y.copy_(y, /*non_blocking=*/true);
  captured.graph.replay();
  return captured.loss.clone();
}
}  // namespace captures_the_callers_batch

// answer: does_not_wait_for_earlier_work
// expect: nothing orders
// Warms up before the current stream has computed the weights.
namespace does_not_wait_for_earlier_work {
std::unique_ptr<StepGraph> capture_step(const TrainStep& step, const td::Tensor& x,
                                        const td::Tensor& y, int warm_up) {
  auto captured = std::make_unique<StepGraph>();
  captured->x = x.clone();
  captured->y = y.clone();
  const td::Stream current = td::getCurrentStream(x.device());
  const td::Stream stream = td::getStreamFromPool(x.device());
  {
    const td::StreamGuard guard(stream);
    for (int i = 0; i < warm_up; ++i) step(captured->x, captured->y);
  }
  captured->graph.capture(stream, [&] { captured->loss = step(captured->x, captured->y); });
  current.wait(stream);
  return captured;
}

td::Tensor replay_step(StepGraph& captured, const td::Tensor& x, const td::Tensor& y) {
  const td::NoGradGuard no_grad;
  captured.x.copy_(x, /*non_blocking=*/true);
  captured.y.copy_(y, /*non_blocking=*/true);
  captured.graph.replay();
  return captured.loss.clone();
}
}  // namespace does_not_wait_for_earlier_work

// answer: forgets_the_labels
// expect: the loss of replay
// Copies the images of the new batch, and not the labels.
namespace forgets_the_labels {
std::unique_ptr<StepGraph> capture_step(const TrainStep& step, const td::Tensor& x,
                                        const td::Tensor& y, int warm_up) {
  auto captured = std::make_unique<StepGraph>();
  captured->x = x.clone();
  captured->y = y.clone();
  const td::Stream current = td::getCurrentStream(x.device());
  const td::Stream stream = td::getStreamFromPool(x.device());
  stream.wait(current);
  {
    const td::StreamGuard guard(stream);
    for (int i = 0; i < warm_up; ++i) step(captured->x, captured->y);
  }
  captured->graph.capture(stream, [&] { captured->loss = step(captured->x, captured->y); });
  current.wait(stream);
  return captured;
}

td::Tensor replay_step(StepGraph& captured, const td::Tensor& x, const td::Tensor& y) {
  const td::NoGradGuard no_grad;
  captured.x.copy_(x, /*non_blocking=*/true);
  (void)y;
  captured.graph.replay();
  return captured.loss.clone();
}
}  // namespace forgets_the_labels

// answer: later_work_does_not_wait
// expect: nothing orders
// The current stream continues before the warm-up steps are done.
namespace later_work_does_not_wait {
std::unique_ptr<StepGraph> capture_step(const TrainStep& step, const td::Tensor& x,
                                        const td::Tensor& y, int warm_up) {
  auto captured = std::make_unique<StepGraph>();
  captured->x = x.clone();
  captured->y = y.clone();
  const td::Stream current = td::getCurrentStream(x.device());
  const td::Stream stream = td::getStreamFromPool(x.device());
  stream.wait(current);
  {
    const td::StreamGuard guard(stream);
    for (int i = 0; i < warm_up; ++i) step(captured->x, captured->y);
  }
  captured->graph.capture(stream, [&] { captured->loss = step(captured->x, captured->y); });
  (void)current;
  return captured;
}

td::Tensor replay_step(StepGraph& captured, const td::Tensor& x, const td::Tensor& y) {
  const td::NoGradGuard no_grad;
  captured.x.copy_(x, /*non_blocking=*/true);
  captured.y.copy_(y, /*non_blocking=*/true);
  captured.graph.replay();
  return captured.loss.clone();
}
}  // namespace later_work_does_not_wait

// answer: later_work_does_not_wait_after_an_error
// expect: of 3; nothing orders later work of the current stream
// After a step that throws, nothing waits for the warm-up, and its batch is freed.
namespace later_work_does_not_wait_after_an_error {
std::unique_ptr<StepGraph> capture_step(const TrainStep& step, const td::Tensor& x,
                                        const td::Tensor& y, int warm_up) {
  auto captured = std::make_unique<StepGraph>();
  captured->x = x.clone();
  captured->y = y.clone();
  const td::Stream current = td::getCurrentStream(x.device());
  const td::Stream stream = td::getStreamFromPool(x.device());
  stream.wait(current);  // the weights and the batch may still be in computation
  {
    const td::StreamGuard guard(stream);
    for (int i = 0; i < warm_up; ++i) step(captured->x, captured->y);
  }
  captured->graph.capture(stream, [&] { captured->loss = step(captured->x, captured->y); });
  current.wait(stream);
  return captured;
}

td::Tensor replay_step(StepGraph& captured, const td::Tensor& x, const td::Tensor& y) {
  const td::NoGradGuard no_grad;
  captured.x.copy_(x, /*non_blocking=*/true);
  captured.y.copy_(y, /*non_blocking=*/true);
  captured.graph.replay();
  return captured.loss.clone();  // the next replay writes to captured.loss
}
}  // namespace later_work_does_not_wait_after_an_error

// answer: leaves_the_capture_open
// expect: the thread still captures
// Begins and ends by hand, and forgets the step that throws.
namespace leaves_the_capture_open {
std::unique_ptr<StepGraph> capture_step(const TrainStep& step, const td::Tensor& x,
                                        const td::Tensor& y, int warm_up) {
  auto captured = std::make_unique<StepGraph>();
  captured->x = x.clone();
  captured->y = y.clone();
  const td::Stream current = td::getCurrentStream(x.device());
  const td::Stream stream = td::getStreamFromPool(x.device());
  stream.wait(current);
  {
    const td::StreamGuard guard(stream);
    for (int i = 0; i < warm_up; ++i) step(captured->x, captured->y);
  }
  {
    const td::StreamGuard guard(stream);
    captured->graph.capture_begin();
    static std::vector<std::unique_ptr<StepGraph>> all;
    all.push_back(std::move(captured));
    all.back()->loss = step(all.back()->x, all.back()->y);
    captured = std::move(all.back());
    captured->graph.capture_end();
  }
  current.wait(stream);
  return captured;
}

td::Tensor replay_step(StepGraph& captured, const td::Tensor& x, const td::Tensor& y) {
  const td::NoGradGuard no_grad;
  captured.x.copy_(x, /*non_blocking=*/true);
  captured.y.copy_(y, /*non_blocking=*/true);
  captured.graph.replay();
  return captured.loss.clone();
}
}  // namespace leaves_the_capture_open

// answer: no_warm_up
// expect: not while a graph is captured
// Captures the first step.
namespace no_warm_up {
std::unique_ptr<StepGraph> capture_step(const TrainStep& step, const td::Tensor& x,
                                        const td::Tensor& y, int warm_up) {
  auto captured = std::make_unique<StepGraph>();
  captured->x = x.clone();
  captured->y = y.clone();
  const td::Stream current = td::getCurrentStream(x.device());
  const td::Stream stream = td::getStreamFromPool(x.device());
  stream.wait(current);
  {
    const td::StreamGuard guard(stream);
    (void)warm_up;
  }
  captured->graph.capture(stream, [&] { captured->loss = step(captured->x, captured->y); });
  current.wait(stream);
  return captured;
}

td::Tensor replay_step(StepGraph& captured, const td::Tensor& x, const td::Tensor& y) {
  const td::NoGradGuard no_grad;
  captured.x.copy_(x, /*non_blocking=*/true);
  captured.y.copy_(y, /*non_blocking=*/true);
  captured.graph.replay();
  return captured.loss.clone();
}
}  // namespace no_warm_up

// answer: one_warm_up_too_many
// expect: and once in the capture
// Counts the capture as a warm-up that must be made again.
namespace one_warm_up_too_many {
std::unique_ptr<StepGraph> capture_step(const TrainStep& step, const td::Tensor& x,
                                        const td::Tensor& y, int warm_up) {
  auto captured = std::make_unique<StepGraph>();
  captured->x = x.clone();
  captured->y = y.clone();
  const td::Stream current = td::getCurrentStream(x.device());
  const td::Stream stream = td::getStreamFromPool(x.device());
  stream.wait(current);
  {
    const td::StreamGuard guard(stream);
    for (int i = 0; i <= warm_up; ++i) step(captured->x, captured->y);
  }
  captured->graph.capture(stream, [&] { captured->loss = step(captured->x, captured->y); });
  current.wait(stream);
  return captured;
}

td::Tensor replay_step(StepGraph& captured, const td::Tensor& x, const td::Tensor& y) {
  const td::NoGradGuard no_grad;
  captured.x.copy_(x, /*non_blocking=*/true);
  captured.y.copy_(y, /*non_blocking=*/true);
  captured.graph.replay();
  return captured.loss.clone();
}
}  // namespace one_warm_up_too_many

// answer: replays_on_the_captured_stream
// expect: whose batch the current stream was still computing
// Replays on a stream that does not wait for the batch.
namespace replays_on_the_captured_stream {
std::unique_ptr<StepGraph> capture_step(const TrainStep& step, const td::Tensor& x,
                                        const td::Tensor& y, int warm_up) {
  auto captured = std::make_unique<StepGraph>();
  captured->x = x.clone();
  captured->y = y.clone();
  const td::Stream current = td::getCurrentStream(x.device());
  const td::Stream stream = td::getStreamFromPool(x.device());
  stream.wait(current);
  {
    const td::StreamGuard guard(stream);
    for (int i = 0; i < warm_up; ++i) step(captured->x, captured->y);
  }
  captured->graph.capture(stream, [&] { captured->loss = step(captured->x, captured->y); });
  current.wait(stream);
  return captured;
}

td::Tensor replay_step(StepGraph& captured, const td::Tensor& x, const td::Tensor& y) {
  const td::NoGradGuard no_grad;
  const td::StreamGuard guard(td::getStreamFromPool(x.device()));
  captured.x.copy_(x, /*non_blocking=*/true);
  captured.y.copy_(y, /*non_blocking=*/true);
  captured.graph.replay();
  return captured.loss.clone();
}
}  // namespace replays_on_the_captured_stream

// answer: replays_twice
// expect: the weights
// Replays once in the capture function to be sure.
namespace replays_twice {
std::unique_ptr<StepGraph> capture_step(const TrainStep& step, const td::Tensor& x,
                                        const td::Tensor& y, int warm_up) {
  auto captured = std::make_unique<StepGraph>();
  captured->x = x.clone();
  captured->y = y.clone();
  const td::Stream current = td::getCurrentStream(x.device());
  const td::Stream stream = td::getStreamFromPool(x.device());
  stream.wait(current);
  {
    const td::StreamGuard guard(stream);
    for (int i = 0; i < warm_up; ++i) step(captured->x, captured->y);
  }
  captured->graph.capture(stream, [&] { captured->loss = step(captured->x, captured->y); });
  captured->graph.replay();
  current.wait(stream);
  return captured;
}

td::Tensor replay_step(StepGraph& captured, const td::Tensor& x, const td::Tensor& y) {
  const td::NoGradGuard no_grad;
  captured.x.copy_(x, /*non_blocking=*/true);
  captured.y.copy_(y, /*non_blocking=*/true);
  captured.graph.replay();
  return captured.loss.clone();
}
}  // namespace replays_twice

// answer: returns_the_graphs_loss
// expect: a later replay wrote to it. Return a copy
// Returns the tensor that every replay writes.
namespace returns_the_graphs_loss {
std::unique_ptr<StepGraph> capture_step(const TrainStep& step, const td::Tensor& x,
                                        const td::Tensor& y, int warm_up) {
  auto captured = std::make_unique<StepGraph>();
  captured->x = x.clone();
  captured->y = y.clone();
  const td::Stream current = td::getCurrentStream(x.device());
  const td::Stream stream = td::getStreamFromPool(x.device());
  stream.wait(current);
  {
    const td::StreamGuard guard(stream);
    for (int i = 0; i < warm_up; ++i) step(captured->x, captured->y);
  }
  captured->graph.capture(stream, [&] { captured->loss = step(captured->x, captured->y); });
  current.wait(stream);
  return captured;
}

td::Tensor replay_step(StepGraph& captured, const td::Tensor& x, const td::Tensor& y) {
  const td::NoGradGuard no_grad;
  captured.x.copy_(x, /*non_blocking=*/true);
  captured.y.copy_(y, /*non_blocking=*/true);
  captured.graph.replay();
  return captured.loss;
}
}  // namespace returns_the_graphs_loss

// answer: same_batch_again
// expect: the loss of replay
// Replays the first batch again and again.
namespace same_batch_again {
std::unique_ptr<StepGraph> capture_step(const TrainStep& step, const td::Tensor& x,
                                        const td::Tensor& y, int warm_up) {
  auto captured = std::make_unique<StepGraph>();
  captured->x = x.clone();
  captured->y = y.clone();
  const td::Stream current = td::getCurrentStream(x.device());
  const td::Stream stream = td::getStreamFromPool(x.device());
  stream.wait(current);
  {
    const td::StreamGuard guard(stream);
    for (int i = 0; i < warm_up; ++i) step(captured->x, captured->y);
  }
  captured->graph.capture(stream, [&] { captured->loss = step(captured->x, captured->y); });
  current.wait(stream);
  return captured;
}

td::Tensor replay_step(StepGraph& captured, const td::Tensor& x, const td::Tensor& y) {
  const td::NoGradGuard no_grad;
  (void)x;
  (void)y;
  captured.graph.replay();
  return captured.loss.clone();
}
}  // namespace same_batch_again

// answer: swaps_the_tensors
// expect: the loss of a replay whose batch
// Replaces x and y of the graph, which still reads the old memory.
namespace swaps_the_tensors {
std::unique_ptr<StepGraph> capture_step(const TrainStep& step, const td::Tensor& x,
                                        const td::Tensor& y, int warm_up) {
  auto captured = std::make_unique<StepGraph>();
  captured->x = x.clone();
  captured->y = y.clone();
  const td::Stream current = td::getCurrentStream(x.device());
  const td::Stream stream = td::getStreamFromPool(x.device());
  stream.wait(current);
  {
    const td::StreamGuard guard(stream);
    for (int i = 0; i < warm_up; ++i) step(captured->x, captured->y);
  }
  captured->graph.capture(stream, [&] { captured->loss = step(captured->x, captured->y); });
  current.wait(stream);
  return captured;
}

td::Tensor replay_step(StepGraph& captured, const td::Tensor& x, const td::Tensor& y) {
  const td::NoGradGuard no_grad;
  captured.x = x;
  captured.y = y;
  captured.graph.replay();
  return captured.loss.clone();
}
}  // namespace swaps_the_tensors

// answer: waits_for_the_loss
// expect: replay_step waits for the device
// Reads the loss on the host.
namespace waits_for_the_loss {
std::unique_ptr<StepGraph> capture_step(const TrainStep& step, const td::Tensor& x,
                                        const td::Tensor& y, int warm_up) {
  auto captured = std::make_unique<StepGraph>();
  captured->x = x.clone();
  captured->y = y.clone();
  const td::Stream current = td::getCurrentStream(x.device());
  const td::Stream stream = td::getStreamFromPool(x.device());
  stream.wait(current);
  {
    const td::StreamGuard guard(stream);
    for (int i = 0; i < warm_up; ++i) step(captured->x, captured->y);
  }
  captured->graph.capture(stream, [&] { captured->loss = step(captured->x, captured->y); });
  current.wait(stream);
  return captured;
}

td::Tensor replay_step(StepGraph& captured, const td::Tensor& x, const td::Tensor& y) {
  const td::NoGradGuard no_grad;
  captured.x.copy_(x, /*non_blocking=*/true);
  captured.y.copy_(y, /*non_blocking=*/true);
  captured.graph.replay();
  return td::full({}, captured.loss.item<double>(), captured.loss.device());
}
}  // namespace waits_for_the_loss

// answer: warms_up_on_the_current_stream
// expect: warm-up step 0 runs on the current stream
// Only the capture is on the stream of the pool.
namespace warms_up_on_the_current_stream {
std::unique_ptr<StepGraph> capture_step(const TrainStep& step, const td::Tensor& x,
                                        const td::Tensor& y, int warm_up) {
  auto captured = std::make_unique<StepGraph>();
  captured->x = x.clone();
  captured->y = y.clone();
  const td::Stream current = td::getCurrentStream(x.device());
  const td::Stream stream = td::getStreamFromPool(x.device());
  for (int i = 0; i < warm_up; ++i) step(captured->x, captured->y);
  stream.wait(current);
  captured->graph.capture(stream, [&] { captured->loss = step(captured->x, captured->y); });
  current.wait(stream);
  return captured;
}

td::Tensor replay_step(StepGraph& captured, const td::Tensor& x, const td::Tensor& y) {
  const td::NoGradGuard no_grad;
  captured.x.copy_(x, /*non_blocking=*/true);
  captured.y.copy_(y, /*non_blocking=*/true);
  captured.graph.replay();
  return captured.loss.clone();  // the next replay writes to captured.loss
}
}  // namespace warms_up_on_the_current_stream

// expect: of 3; nothing orders later work of the current stream
// After a step that throws, nothing waits for the warm-up, and its batch is freed.
#include "exercises.h"

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

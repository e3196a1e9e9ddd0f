// expect: warm-up step 0 runs on the current stream
// Only the capture is on the stream of the pool.
#include "exercises.h"

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

// capture_step and replay_step: exercise 8.capture_step, declared in exercises.h.
#include "exercises.h"
#include "td/exercise.h"

std::unique_ptr<StepGraph> capture_step(const TrainStep& step, const td::Tensor& x,
                                        const td::Tensor& y, int warm_up) {
  // blank: Copy the batch, order the streams, warm up, capture. About 18 lines.
  auto captured = std::make_unique<StepGraph>();
  captured->x = x.clone();
  captured->y = y.clone();
  const td::Stream current = td::getCurrentStream(x.device());
  const td::Stream stream = td::getStreamFromPool(x.device());
  stream.wait(current);  // the weights and the batch may still be in computation
  try {
    {
      const td::StreamGuard guard(stream);
      for (int i = 0; i < warm_up; ++i) step(captured->x, captured->y);
    }
    captured->graph.capture(stream, [&] { captured->loss = step(captured->x, captured->y); });
  } catch (...) {
    current.wait(stream);  // x and y are freed now, and the warm-up may still read them
    throw;
  }
  current.wait(stream);
  return captured;
  // end
}

td::Tensor replay_step(StepGraph& captured, const td::Tensor& x, const td::Tensor& y) {
  // blank: The batch goes to where the graph reads it. About 5 lines.
  const td::NoGradGuard no_grad;
  captured.x.copy_(x, /*non_blocking=*/true);
  captured.y.copy_(y, /*non_blocking=*/true);
  captured.graph.replay();
  return captured.loss.clone();  // the next replay writes to captured.loss
  // end
}

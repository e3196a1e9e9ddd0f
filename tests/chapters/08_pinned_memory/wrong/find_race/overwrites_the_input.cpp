// expect: the race finder reports
// The next input is copied over one that is still being read. Right with as many chunks as inputs.
#include "exercises.h"

void scale_chunks(const std::vector<td::Tensor>& inputs, const std::vector<td::Tensor>& outputs,
                  std::vector<Chunk>& chunks, const Lanes& lanes) {
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    Chunk& chunk = chunks[i % chunks.size()];
    {
      const td::StreamGuard guard(lanes.in);
      chunk.x.copy_(inputs[i], /*non_blocking=*/true);
      chunk.x_arrived.record(lanes.in);
    }
    {
      const td::StreamGuard guard(lanes.compute);
      chunk.x_arrived.block(lanes.compute);
      chunk.y_fetched.block(lanes.compute);
      chunk.y.copy_(chunk.x);
      chunk.x_used.record(lanes.compute);
      chunk.y.mul_(2).add_(1);
      chunk.y_computed.record(lanes.compute);
    }
    {
      const td::StreamGuard guard(lanes.out);
      chunk.y_computed.block(lanes.out);
      outputs[i].copy_(chunk.y, /*non_blocking=*/true);
      chunk.y_fetched.record(lanes.out);
    }
  }
  lanes.out.synchronize();
}

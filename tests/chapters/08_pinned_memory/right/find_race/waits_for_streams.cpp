// Where a stream needs the work that was enqueued last on another one, it waits for that stream.
#include "exercises.h"

void scale_chunks(const std::vector<td::Tensor>& inputs, const std::vector<td::Tensor>& outputs,
                  std::vector<Chunk>& chunks, const Streams& streams) {
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    Chunk& chunk = chunks[i % chunks.size()];
    {
      const td::StreamGuard guard(streams.in);
      chunk.x_used.block(streams.in);
      chunk.x.copy_(inputs[i], /*non_blocking=*/true);
    }
    {
      const td::StreamGuard guard(streams.compute);
      streams.compute.wait(streams.in);
      chunk.y_fetched.block(streams.compute);
      chunk.y.copy_(chunk.x).mul_(2).add_(1);
      chunk.x_used.record(streams.compute);
    }
    {
      const td::StreamGuard guard(streams.out);
      streams.out.wait(streams.compute);
      outputs[i].copy_(chunk.y, /*non_blocking=*/true);
      chunk.y_fetched.record(streams.out);
    }
  }
  td::synchronize(streams.out.device());
}

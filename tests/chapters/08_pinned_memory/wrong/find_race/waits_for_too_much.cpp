// expect: with the work on chunk 0 under way
// Waits for all work of the other stream instead of the work on this chunk: nothing overlaps.
#include "exercises.h"

void scale_chunks(const std::vector<td::Tensor>& inputs, const std::vector<td::Tensor>& outputs,
                  std::vector<Chunk>& chunks, const Streams& streams) {
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    Chunk& chunk = chunks[i % chunks.size()];
    {
      const td::StreamGuard guard(streams.in);
      streams.in.wait(streams.compute);
      chunk.x.copy_(inputs[i], /*non_blocking=*/true);
      chunk.x_arrived.record(streams.in);
    }
    {
      const td::StreamGuard guard(streams.compute);
      chunk.x_arrived.block(streams.compute);
      chunk.y_fetched.block(streams.compute);
      chunk.y.copy_(chunk.x);
      chunk.x_used.record(streams.compute);
      chunk.y.mul_(2).add_(1);
      chunk.y_computed.record(streams.compute);
    }
    {
      const td::StreamGuard guard(streams.out);
      chunk.y_computed.block(streams.out);
      outputs[i].copy_(chunk.y, /*non_blocking=*/true);
      chunk.y_fetched.record(streams.out);
    }
  }
  streams.out.synchronize();
}

// All waits of a chunk at the beginning of its part, and an event at the end.
#include "exercises.h"

void scale_chunks(const std::vector<td::Tensor>& inputs, const std::vector<td::Tensor>& outputs,
                  std::vector<Chunk>& chunks, const Streams& streams) {
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    Chunk& chunk = chunks[i % chunks.size()];
    chunk.x_used.block(streams.in);
    {
      const td::StreamGuard guard(streams.in);
      chunk.x.copy_(inputs[i], true);
    }
    chunk.x_arrived.record(streams.in);
    chunk.x_arrived.block(streams.compute);
    chunk.y_fetched.block(streams.compute);
    {
      const td::StreamGuard guard(streams.compute);
      chunk.y.copy_(chunk.x);
      chunk.x_used.record(streams.compute);
      chunk.y.mul_(2);
      chunk.y.add_(1);
    }
    chunk.y_computed.record(streams.compute);
    chunk.y_computed.block(streams.out);
    {
      const td::StreamGuard guard(streams.out);
      outputs[i].copy_(chunk.y, true);
    }
    chunk.y_fetched.record(streams.out);
  }
  for (const Chunk& chunk : chunks) chunk.y_fetched.synchronize();
}

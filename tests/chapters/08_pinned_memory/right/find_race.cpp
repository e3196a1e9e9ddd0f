#include "exercises.h"

// answer: waits_at_the_top
// All waits of a chunk at the beginning of its part, and an event at the end.
namespace waits_at_the_top {
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
}  // namespace waits_at_the_top

// answer: waits_for_streams
// Where a stream needs the work that was enqueued last on another one, it waits for that stream.
namespace waits_for_streams {
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
}  // namespace waits_for_streams

// answer: an_event_at_the_end
// Streams wait for events of other chunks' work where they must, and the host for the last event.
namespace an_event_at_the_end {
void scale_chunks(const std::vector<td::Tensor>& inputs, const std::vector<td::Tensor>& outputs,
                  std::vector<Chunk>& chunks, const Streams& streams) {
  td::Event last(streams.out.device().type());
  std::size_t turn = 0;
  for (std::size_t i = 0; i < inputs.size(); ++i, turn = (turn + 1) % chunks.size()) {
    Chunk& chunk = chunks[turn];
    chunk.x_used.block(streams.in);
    chunk.y_fetched.block(streams.compute);
    {
      const td::StreamGuard guard(streams.in);
      chunk.x.copy_(inputs[i], /*non_blocking=*/true);
    }
    chunk.x_arrived.record(streams.in);
    chunk.x_arrived.block(streams.compute);
    {
      const td::StreamGuard guard(streams.compute);
      chunk.y.copy_(chunk.x * 2 + 1);
      chunk.x_used.record(streams.compute);
    }
    chunk.y_computed.record(streams.compute);
    chunk.y_computed.block(streams.out);
    {
      const td::StreamGuard guard(streams.out);
      outputs[i].copy_(chunk.y, /*non_blocking=*/true);
    }
    chunk.y_fetched.record(streams.out);
    last.record(streams.out);
  }
  last.synchronize();
}
}  // namespace an_event_at_the_end

// answer: waits_for_all_streams
// Waits for each of the three streams at the end.
namespace waits_for_all_streams {
void scale_chunks(const std::vector<td::Tensor>& inputs, const std::vector<td::Tensor>& outputs,
                  std::vector<Chunk>& chunks, const Streams& streams) {
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    Chunk& chunk = chunks[i % chunks.size()];
    {
      const td::StreamGuard guard(streams.in);
      chunk.x_used.block(streams.in);
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
  for (const td::Stream& stream : {streams.in, streams.compute, streams.out}) stream.synchronize();
}
}  // namespace waits_for_all_streams

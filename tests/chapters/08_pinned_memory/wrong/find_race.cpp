#include "exercises.h"

// answer: computes_too_early
// expect: the race finder reports
// The work reads a chunk that may not have arrived.
namespace computes_too_early {
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
}  // namespace computes_too_early

// answer: overwrites_the_input
// expect: the race finder reports
// The next input is copied over one that is still being read. Right with as many chunks as inputs.
namespace overwrites_the_input {
void scale_chunks(const std::vector<td::Tensor>& inputs, const std::vector<td::Tensor>& outputs,
                  std::vector<Chunk>& chunks, const Streams& streams) {
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    Chunk& chunk = chunks[i % chunks.size()];
    {
      const td::StreamGuard guard(streams.in);
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
}  // namespace overwrites_the_input

// answer: overwrites_the_result
// expect: the race finder reports
// The next result is written over one that is still being fetched. Right with as many chunks as
// inputs.
namespace overwrites_the_result {
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
}  // namespace overwrites_the_result

// answer: the_host_reads_early
// expect: the race finder reports
// The outputs are read while they are being copied.
namespace the_host_reads_early {
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
}
}  // namespace the_host_reads_early

// answer: the_host_waits_for_compute
// expect: the race finder reports
// Waits for the stream that computes instead of the one that copies out.
namespace the_host_waits_for_compute {
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
  streams.compute.synchronize();
}
}  // namespace the_host_waits_for_compute

// answer: used_recorded_too_early
// expect: the race finder reports
// Records x_used before the work that reads x.
namespace used_recorded_too_early {
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
      chunk.x_used.record(streams.compute);
      chunk.y.copy_(chunk.x);
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
}  // namespace used_recorded_too_early

// answer: waits_for_too_much
// expect: with the work on chunk 0 under way
// Waits for all work of the other stream instead of the work on this chunk: nothing overlaps.
namespace waits_for_too_much {
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
}  // namespace waits_for_too_much

// answer: waits_in_the_loop
// expect: with the work on chunk 0 under way
// Waits for all work in every round: no race, but no overlap.
namespace waits_in_the_loop {
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
      td::synchronize(streams.out.device());
    }
  }
  streams.out.synchronize();
}
}  // namespace waits_in_the_loop

// answer: wrong_stream
// expect: the race finder reports
// The wait is there, and on the wrong stream.
namespace wrong_stream {
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
      chunk.y_computed.block(streams.compute);
      outputs[i].copy_(chunk.y, /*non_blocking=*/true);
      chunk.y_fetched.record(streams.out);
    }
  }
  streams.out.synchronize();
}
}  // namespace wrong_stream

// answer: the_host_waits_for_events
// expect: the host waits 8 times; expected once, after the loop
// The host waits where a stream should: for one chunk only, so copies and work do overlap.
namespace the_host_waits_for_events {
void scale_chunks(const std::vector<td::Tensor>& inputs, const std::vector<td::Tensor>& outputs,
                  std::vector<Chunk>& chunks, const Streams& streams) {
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    Chunk& chunk = chunks[i % chunks.size()];
    if (i >= chunks.size()) chunk.y_fetched.synchronize();
    {
      const td::StreamGuard guard(streams.in);
      chunk.x.copy_(inputs[i], /*non_blocking=*/true);
      chunk.x_arrived.record(streams.in);
    }
    {
      const td::StreamGuard guard(streams.compute);
      chunk.x_arrived.block(streams.compute);
      chunk.y.copy_(chunk.x);
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
}  // namespace the_host_waits_for_events

// answer: leaves_a_stream_current
// expect: scale_chunks leaves another stream current
// Sets the current stream instead of guarding it, so the caller's later work runs on streams.out.
namespace leaves_a_stream_current {
void scale_chunks(const std::vector<td::Tensor>& inputs, const std::vector<td::Tensor>& outputs,
                  std::vector<Chunk>& chunks, const Streams& streams) {
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    Chunk& chunk = chunks[i % chunks.size()];
    td::setCurrentStream(streams.in);
    chunk.x_used.block(streams.in);
    chunk.x.copy_(inputs[i], /*non_blocking=*/true);
    chunk.x_arrived.record(streams.in);
    td::setCurrentStream(streams.compute);
    chunk.x_arrived.block(streams.compute);
    chunk.y_fetched.block(streams.compute);
    chunk.y.copy_(chunk.x);
    chunk.x_used.record(streams.compute);
    chunk.y.mul_(2).add_(1);
    chunk.y_computed.record(streams.compute);
    td::setCurrentStream(streams.out);
    chunk.y_computed.block(streams.out);
    outputs[i].copy_(chunk.y, /*non_blocking=*/true);
    chunk.y_fetched.record(streams.out);
  }
  streams.out.synchronize();
}
}  // namespace leaves_a_stream_current

// scale_chunks: exercise 8.find_race, declared in exercises.h. Delete the lines that say that
// nothing is done yet, and run the check: it names a wait that is missing. Add it, and run the
// check again.
#include "exercises.h"
#include "td/exercise.h"

void scale_chunks(const std::vector<td::Tensor>& inputs, const std::vector<td::Tensor>& outputs,
                  std::vector<Chunk>& chunks, const Lanes& lanes) {
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    Chunk& chunk = chunks[i % chunks.size()];
    {
      const td::StreamGuard guard(lanes.in);
      // Your code here: Before the copy that writes chunk.x. 1 line.
      td::not_done_yet("find_race");
      chunk.x.copy_(inputs[i], /*non_blocking=*/true);
      chunk.x_arrived.record(lanes.in);
    }
    {
      const td::StreamGuard guard(lanes.compute);
      // Your code here: Before the work that reads chunk.x and writes chunk.y. 2 lines.
      td::not_done_yet("find_race");
      chunk.y.copy_(chunk.x);
      chunk.x_used.record(lanes.compute);
      chunk.y.mul_(2).add_(1);
      chunk.y_computed.record(lanes.compute);
    }
    {
      const td::StreamGuard guard(lanes.out);
      // Your code here: Before the copy that reads chunk.y. 1 line.
      td::not_done_yet("find_race");
      outputs[i].copy_(chunk.y, /*non_blocking=*/true);
      chunk.y_fetched.record(lanes.out);
    }
  }
  // Your code here: Before the caller reads the outputs. 1 line.
  td::not_done_yet("find_race");
}

// broadcast_start: exercise 6.broadcast_start, declared in exercises.h.
#include "exercises.h"
#include "td/exercise.h"

void broadcast_start(td::nn::Module& model, ProcessGroup& group) {
  // Your code here: Copy parameters and buffers of rank 0 into the existing tensors. 7 lines.
  td::not_done_yet("broadcast_start");
}

// run_pipeline: exercise 9.pipeline, declared in exercises.h.
#include <deque>
#include <thread>

#include "bounded_queue.h"
#include "exercises.h"
#include "td/base/parallel.h"
#include "td/exercise.h"

void run_pipeline(std::int64_t batches, const Prepare& prepare, const Work& work, td::Device device,
                  std::size_t ahead) {
  // Your code here: A thread prepares and copies; here: take, wait, work, record. About 45 lines.
  td::not_done_yet("pipeline");
}

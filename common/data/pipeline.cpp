// What worker threads do that needs no types.
#include "data/pipeline.h"

#include <pthread.h>

#include <string>

#include "td/base/error.h"
#include "td/base/parallel.h"

namespace td::data {

void prepare_worker_thread(std::size_t number) {
  set_parallel_width(1);
  pthread_setname_np(pthread_self(), ("loader " + std::to_string(number)).substr(0, 15).c_str());
}

void worker_timeout(std::chrono::milliseconds waited) {
  fail<Error>("data loader: no batch came within ", waited.count(),
              " ms; the dataset's get() is "
              "slow or stuck. Give more workers, or a longer timeout.");
}

}  // namespace td::data

#include "exercises.h"

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

// answer: one_queue_of_groups
// A deque of groups with a position for each replica, and a flag that ends the wait.
#ifdef one_queue_of_groups
struct ParallelLoader::State {
  std::mutex mutex;
  std::condition_variable more, less;
  std::map<std::pair<std::size_t, std::size_t>, std::vector<Buffer>> batches;  // (step, replica)
  std::vector<std::size_t> taken;
  std::size_t steps = 0;  // stored so far
  std::atomic<bool> stop = false, done = false;
  std::exception_ptr error;
  std::thread worker;
};

ParallelLoader::ParallelLoader(const td::xla::Client& client, std::size_t replicas, ReadBatch read,
                               std::size_t prefetch)
    : state_(std::make_shared<State>()) {
  state_->taken.resize(replicas);
  state_->worker = std::thread([state = state_, client, replicas, read, prefetch] {
    State& s = *state;
    try {
      for (std::size_t step = 0; !s.stop; ++step) {
        {
          std::unique_lock lock(s.mutex);
          s.less.wait(lock, [&] {
            std::size_t least = s.taken[0];
            for (const std::size_t taken : s.taken) least = std::min(least, taken);
            return s.stop || step < least + prefetch;
          });
        }
        std::vector<std::vector<Buffer>> group(replicas);
        for (std::size_t r = 0; r < replicas && !s.stop; ++r) {
          const TensorList batch = read(step * replicas + r);
          if (batch.empty()) throw 0;
          for (const td::Tensor& t : batch) group[r].push_back(client.to_device(t, r));
        }
        if (s.stop) break;
        const std::lock_guard lock(s.mutex);
        for (std::size_t r = 0; r < replicas; ++r) s.batches[{step, r}] = group[r];
        ++s.steps;
        s.more.notify_all();
      }
    } catch (int) {
    } catch (...) {
      const std::lock_guard lock(s.mutex);
      s.error = std::current_exception();
    }
    const std::lock_guard lock(s.mutex);
    s.done = true;
    s.more.notify_all();
  });
}

std::vector<Buffer> ParallelLoader::next(std::size_t replica) {
  std::unique_lock lock(state_->mutex);
  const std::size_t step = state_->taken[replica];
  while (step >= state_->steps && !state_->done) state_->more.wait(lock);
  if (step < state_->steps) {
    ++state_->taken[replica];
    const auto at = state_->batches.find({step, replica});
    std::vector<Buffer> batch = at->second;
    state_->batches.erase(at);
    state_->less.notify_one();
    return batch;
  }
  if (state_->error) std::rethrow_exception(state_->error);
  return {};
}

void ParallelLoader::close() {
  if (!state_->worker.joinable()) return;
  {
    const std::lock_guard lock(state_->mutex);
    state_->stop = true;
  }
  state_->less.notify_all();
  state_->worker.join();
}
#endif  // one_queue_of_groups

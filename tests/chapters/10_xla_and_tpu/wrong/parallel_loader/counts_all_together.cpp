// expect: batches were read for 2 replicas
// Limits the sum of all queues: that of a slow replica grows.
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

#include "exercises.h"

/// What the background thread and the callers of `next` share. Change it as you like.
struct ParallelLoader::State {
  std::mutex mutex;                                    // guards the four members below
  std::condition_variable changed;                     // notified after each change of them
  std::vector<std::deque<std::vector<Buffer>>> ready;  // [replica]: batches on the device
  bool finished = false;                               // no further group will come
  bool closing = false;                                // the thread must end
  std::exception_ptr error;                            // what ended the reading, if anything did
  std::thread thread;
};

namespace {

// Returns the next group on the devices, or nothing after the last complete one.
std::vector<std::vector<Buffer>> read_group(const td::xla::Client& client, const ReadBatch& read,
                                            std::size_t first, std::size_t replicas) {
  std::vector<std::vector<Buffer>> group;
  for (std::size_t r = 0; r < replicas; ++r) {
    const TensorList batch = read(first + r);
    if (batch.empty()) return {};
    group.emplace_back();
    for (const td::Tensor& tensor : batch) group.back().push_back(client.to_device(tensor, r));
  }
  return group;
}

}  // namespace

ParallelLoader::ParallelLoader(const td::xla::Client& client, std::size_t replicas, ReadBatch read,
                               std::size_t prefetch)
    : state_(std::make_shared<State>()) {
  State& s = *state_;
  s.ready.resize(replicas);
  s.thread = std::thread([&s, client, replicas, read = std::move(read), prefetch] {
    const auto has_space = [&] {
      std::size_t all = 0;
      for (const auto& queue : s.ready) all += queue.size();
      return all < prefetch * replicas;
    };
    std::exception_ptr error;
    try {
      for (std::size_t first = 0;; first += replicas) {
        auto group = read_group(client, read, first, replicas);
        if (group.empty()) break;
        std::unique_lock lock(s.mutex);
        s.changed.wait(lock, [&] { return s.closing || has_space(); });
        if (s.closing) return;
        for (std::size_t r = 0; r < replicas; ++r) s.ready[r].push_back(std::move(group[r]));
        s.changed.notify_all();
      }
    } catch (...) {
      error = std::current_exception();
    }
    const std::lock_guard lock(s.mutex);
    s.error = error;
    s.finished = true;
    s.changed.notify_all();
  });
}

std::vector<Buffer> ParallelLoader::next(std::size_t replica) {
  State& s = *state_;
  std::unique_lock lock(s.mutex);
  auto& queue = s.ready.at(replica);
  s.changed.wait(lock, [&] { return !queue.empty() || s.finished; });
  if (queue.empty()) {
    if (s.error) std::rethrow_exception(s.error);
    return {};
  }
  std::vector<Buffer> batch = std::move(queue.front());
  queue.pop_front();
  s.changed.notify_all();
  return batch;
}

void ParallelLoader::close() {
  State& s = *state_;
  {
    const std::lock_guard lock(s.mutex);
    s.closing = true;
    s.changed.notify_all();
  }
  if (s.thread.joinable()) s.thread.join();
}

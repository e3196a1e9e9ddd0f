#include "exercises.h"

#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

// answer: all_on_device_0
// expect: batch r must be on device r
// Every batch is copied to the first device.
#ifdef all_on_device_0
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
    for (const td::Tensor& tensor : batch) group.back().push_back(client.to_device(tensor, 0));
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
      for (const auto& queue : s.ready)
        if (queue.size() >= prefetch) return false;
      return true;
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
#endif  // all_on_device_0

// answer: batch_by_batch
// expect: an error was expected, none was thrown
// Passes each batch on as soon as it is copied, also those of a group that will not be complete.
#ifdef batch_by_batch
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

ParallelLoader::ParallelLoader(const td::xla::Client& client, std::size_t replicas, ReadBatch read,
                               std::size_t prefetch)
    : state_(std::make_shared<State>()) {
  State& s = *state_;
  s.ready.resize(replicas);
  s.thread = std::thread([&s, client, replicas, read = std::move(read), prefetch] {
    const auto has_space = [&] {
      for (const auto& queue : s.ready)
        if (queue.size() >= prefetch) return false;
      return true;
    };
    std::exception_ptr error;
    try {
      for (std::size_t first = 0;; first += replicas) {
        bool end = false;
        for (std::size_t r = 0; r < replicas && !end; ++r) {
          std::vector<Buffer> batch;
          for (const td::Tensor& tensor : read(first + r))
            batch.push_back(client.to_device(tensor, r));
          std::unique_lock lock(s.mutex);
          s.changed.wait(lock, [&] { return s.closing || has_space() || r > 0; });
          if (s.closing) return;
          end = batch.empty();
          if (end && r > 0 && !s.ready[0].empty()) s.ready[0].pop_back();
          if (!end) s.ready[r].push_back(std::move(batch));
          s.changed.notify_all();
        }
        if (end) break;
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
#endif  // batch_by_batch

// answer: counts_all_together
// expect: batches were read for 2 replicas
// Limits the sum of all queues: that of a slow replica grows.
#ifdef counts_all_together
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
#endif  // counts_all_together

// answer: detaches
// expect: the background thread is still there
// Does not wait for the thread.
#ifdef detaches
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
      for (const auto& queue : s.ready)
        if (queue.size() >= prefetch) return false;
      return true;
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
  if (s.thread.joinable()) s.thread.detach();
  static auto& kept = *new std::vector<std::shared_ptr<State>>;
  kept.push_back(state_);
}
#endif  // detaches

// answer: drops_a_tensor
// expect: expected the 2 tensors
// Only the inputs are copied, not the targets.
#ifdef drops_a_tensor
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
    for (const td::Tensor& tensor : {batch.front()})
      group.back().push_back(client.to_device(tensor, r));
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
      for (const auto& queue : s.ready)
        if (queue.size() >= prefetch) return false;
      return true;
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
#endif  // drops_a_tensor

// answer: error_before_the_batches
// expect: which was complete before the error; it threw
// An error is thrown although complete groups are left.
#ifdef error_before_the_batches
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
      for (const auto& queue : s.ready)
        if (queue.size() >= prefetch) return false;
      return true;
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
  if (s.error) std::rethrow_exception(s.error);
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
#endif  // error_before_the_batches

// answer: error_for_one_replica
// expect: next(1)
// The error is thrown once; the next replica sees the end of the data.
#ifdef error_for_one_replica
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
      for (const auto& queue : s.ready)
        if (queue.size() >= prefetch) return false;
      return true;
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
    if (s.error) std::rethrow_exception(std::exchange(s.error, nullptr));
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
#endif  // error_for_one_replica

// answer: keeps_the_incomplete_group
// expect: must return an empty list
// A group that is not complete is passed on.
#ifdef keeps_the_incomplete_group
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
    if (batch.empty()) return r == 0 ? decltype(group)() : (group.resize(replicas), group);
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
      for (const auto& queue : s.ready)
        if (queue.size() >= prefetch) return false;
      return true;
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
#endif  // keeps_the_incomplete_group

// answer: loads_when_asked
// expect: nobody called next
// The thread reads only after a call of next.
#ifdef loads_when_asked
/// What the background thread and the callers of `next` share. Change it as you like.
struct ParallelLoader::State {
  std::mutex mutex;                                    // guards the four members below
  std::condition_variable changed;                     // notified after each change of them
  std::vector<std::deque<std::vector<Buffer>>> ready;  // [replica]: batches on the device
  bool wanted = false;
  bool finished = false;     // no further group will come
  bool closing = false;      // the thread must end
  std::exception_ptr error;  // what ended the reading, if anything did
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
      for (const auto& queue : s.ready)
        if (queue.size() >= prefetch) return false;
      return true;
    };
    std::exception_ptr error;
    try {
      for (std::size_t first = 0;; first += replicas) {
        {
          std::unique_lock lock(s.mutex);
          s.changed.wait(lock, [&] { return s.closing || s.wanted; });
          if (s.closing) return;
        }
        auto group = read_group(client, read, first, replicas);
        if (group.empty()) break;
        std::unique_lock lock(s.mutex);
        s.changed.wait(lock, [&] { return s.closing || has_space(); });
        if (s.closing) return;
        for (std::size_t r = 0; r < replicas; ++r) s.ready[r].push_back(std::move(group[r]));
        s.wanted = false;
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
  if (queue.empty()) s.wanted = true;
  s.changed.notify_all();
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
#endif  // loads_when_asked

// answer: reads_everything
// expect: calls of read are allowed
// No limit: the devices are full with a large data set.
#ifdef reads_everything
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
      for (const auto& queue : s.ready)
        if (queue.size() >= prefetch) return false;
      return true;
    };
    std::exception_ptr error;
    try {
      for (std::size_t first = 0;; first += replicas) {
        auto group = read_group(client, read, first, replicas);
        if (group.empty()) break;
        std::unique_lock lock(s.mutex);
        s.changed.wait(lock, [&] { return s.closing || has_space() || !s.closing; });
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
#endif  // reads_everything

// answer: reads_on_the_caller
// expect: not on a background thread
// Everything is read in the constructor.
#ifdef reads_on_the_caller
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
  const auto load = [&s, client, replicas, read = std::move(read), prefetch] {
    const auto has_space = [&] {
      for (const auto& queue : s.ready)
        if (queue.size() >= prefetch) return false;
      return true;
    };
    std::exception_ptr error;
    try {
      for (std::size_t first = 0;; first += replicas) {
        if (first > 40) break;
        auto group = read_group(client, read, first, replicas);
        if (group.empty()) break;
        std::unique_lock lock(s.mutex);
        s.changed.wait(lock, [&] { return s.closing || has_space() || !s.closing; });
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
  };
  load();
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
#endif  // reads_on_the_caller

// answer: reads_past_the_end
// expect: read was called again after
// Does not remember the end.
#ifdef reads_past_the_end
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
    if (batch.empty()) {
      read(first + r);
      return {};
    }
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
      for (const auto& queue : s.ready)
        if (queue.size() >= prefetch) return false;
      return true;
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
#endif  // reads_past_the_end

// answer: reads_under_the_lock
// expect: do not hold the mutex while you call read
// Reads while it holds the mutex: no replica can take a batch meanwhile.
#ifdef reads_under_the_lock
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
      for (const auto& queue : s.ready)
        if (queue.size() >= prefetch) return false;
      return true;
    };
    std::exception_ptr error;
    try {
      for (std::size_t first = 0;; first += replicas) {
        std::unique_lock lock(s.mutex);
        s.changed.wait(lock, [&] { return s.closing || has_space(); });
        if (s.closing) return;
        auto group = read_group(client, read, first, replicas);
        if (group.empty()) break;
        for (std::size_t r = 0; r < replicas; ++r) s.ready[r].push_back(std::move(group[r]));
        s.changed.notify_all();
      }
    } catch (...) {
      error = std::current_exception();
    }
    std::unique_lock lock(s.mutex);
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
#endif  // reads_under_the_lock

// answer: swallows_the_error
// expect: an error was expected, none was thrown
// An error looks like the end of the data.
#ifdef swallows_the_error
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
      for (const auto& queue : s.ready)
        if (queue.size() >= prefetch) return false;
      return true;
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
      error = nullptr;
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
#endif  // swallows_the_error

// answer: waits_for_the_fullest
// expect: batches were read for 2 replicas
// Waits only while every queue is full: that of a slow replica grows.
#ifdef waits_for_the_fullest
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
      for (const auto& queue : s.ready)
        if (queue.size() < prefetch) return true;
      return false;
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
#endif  // waits_for_the_fullest

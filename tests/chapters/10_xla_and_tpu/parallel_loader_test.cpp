// Tests of ParallelLoader: which replica gets which batch, how far the thread reads ahead, and what
// remains after an error and after close.
#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <set>
#include <thread>

#include "plugin.h"

namespace {

using namespace std::chrono_literals;

// A source of `count` batches. Batch n is a vector of n + 1 elements n and a scalar 10 n. Records
// its calls; `what` it finds wrong is read after the loader has ended.
class Source : public std::enable_shared_from_this<Source> {
 public:
  Source(std::size_t count, std::size_t fails_at = SIZE_MAX) : count_(count), fails_at_(fails_at) {}

  ReadBatch reader() {
    // Keeps the source alive: a wrong answer may leave a thread behind.
    return [this, self = shared_from_this()](std::size_t n) {
      threads_.enter();
      const std::lock_guard lock(mutex_);
      if (closed_) complain("read was called after close had returned");
      if (ended_) complain("read was called again after it had returned an empty list or thrown");
      if (n != calls_)
        complain("expected read(" + std::to_string(calls_) + ") next, got read(" +
                 std::to_string(n) + ")");
      if (std::this_thread::get_id() == main_)
        complain("read was called on the thread of the caller, not on a background thread");
      ids_.insert(std::this_thread::get_id());
      if (ids_.size() > 1) complain("read was called on two threads");
      ++calls_;
      changed_.notify_all();
      if (n == fails_at_) {
        ended_ = true;
        throw std::runtime_error("batch " + std::to_string(n) + " cannot be read");
      }
      if (n < count_) return batch(n);
      ended_ = true;
      return TensorList();
    };
  }
  static TensorList batch(std::size_t n) {
    return {td::full({static_cast<std::int64_t>(n) + 1}, static_cast<double>(n)),
            td::full({}, 10.0 * static_cast<double>(n))};
  }
  // Whether read was called so often, now or within the time.
  bool reaches(std::size_t calls, std::chrono::milliseconds patience) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, patience, [&] { return calls_ >= calls; });
  }
  std::size_t calls() {
    const std::lock_guard lock(mutex_);
    return calls_;
  }
  // Call after the loader has ended.
  void expect_clean() {
    const std::lock_guard lock(mutex_);
    check::expect(wrong_.empty(), wrong_);
    check::expect(threads_.alive() == 0,
                  "the background thread is still there after the loader has "
                  "ended: set a flag, wake the thread and join it");
    closed_ = true;
  }

 private:
  void complain(const std::string& text) {
    if (wrong_.empty()) wrong_ = text;
  }
  const std::size_t count_, fails_at_;
  const std::thread::id main_ = std::this_thread::get_id();
  std::mutex mutex_;
  std::condition_variable changed_;
  ThreadCount threads_;
  std::size_t calls_ = 0;
  bool ended_ = false, closed_ = false;
  std::set<std::thread::id> ids_;
  std::string wrong_;
};

void expect_batch(const std::vector<Buffer>& got, std::size_t n, const std::string& what) {
  check::expect(got.size() == 2, what + ": expected the 2 tensors of batch " + std::to_string(n) +
                                     ", got " + std::to_string(got.size()) +
                                     (got.empty() ? " (the end)" : ""));
  const TensorList expected = Source::batch(n);
  for (std::size_t i = 0; i < 2; ++i) {
    const td::Tensor host = got[i].to_host();
    check::expect(host.sizes().vec() == expected[i].sizes().vec(),
                  what + ": expected batch " + std::to_string(n) + ", whose first tensor has " +
                      std::to_string(n + 1) + " elements; got one of other sizes");
    check::expect_close(host, expected[i], 0, what + ": tensor " + std::to_string(i));
  }
}

void expect_all_batches(std::size_t replicas, std::size_t count, std::size_t prefetch) {
  const td::xla::Client& client = client_with(3);
  const auto source = std::make_shared<Source>(count);
  {
    ParallelLoader loader(client, replicas, source->reader(), prefetch);
    for (std::size_t step = 0; step < count / replicas; ++step)
      for (std::size_t r = 0; r < replicas; ++r)
        expect_batch(loader.next(r), step * replicas + r,
                     std::to_string(replicas) + " replicas, prefetch " + std::to_string(prefetch) +
                         ", step " + std::to_string(step) + ", next(" + std::to_string(r) + ")");
    for (int again = 0; again < 2; ++again)
      for (std::size_t r = 0; r < replicas; ++r)
        check::expect(loader.next(r).empty(),
                      std::to_string(count) + " batches for " + std::to_string(replicas) +
                          " replicas: after " + std::to_string(count / replicas) + " steps, next(" +
                          std::to_string(r) + ") must return an empty list");
  }
  source->expect_clean();
}

}  // namespace

TEST_CASE("two replicas and five batches, as in the example", "[parallel_loader]") {
  expect_all_batches(2, 5, 2);
}

TEST_CASE("other numbers of replicas, batches and prefetched batches", "[parallel_loader]") {
  expect_all_batches(1, 4, 1);
  expect_all_batches(3, 8, 1);
  expect_all_batches(3, 9, 4);
  expect_all_batches(2, 1, 3);
  expect_all_batches(2, 0, 1);
}

TEST_CASE("each batch is on the device of its replica", "[parallel_loader]") {
  const td::xla::Client& client = client_with(3);
  ParallelLoader loader(
      client, 3,
      [](std::size_t n) {
        return n < 3 ? TensorList{td::full({2}, static_cast<double>(n))} : TensorList();
      },
      1);
  std::vector<std::vector<Buffer>> arguments;
  for (std::size_t r = 0; r < 3; ++r) {
    arguments.push_back({client.to_device(td::zeros({2}), r)});
    const std::vector<Buffer> batch = loader.next(r);
    check::expect(batch.size() == 1, "next(" + std::to_string(r) + "): expected 1 tensor, got " +
                                         std::to_string(batch.size()));
    arguments.back().push_back(batch[0]);
  }
  try {  // XLA rejects an argument that is on the device of another replica
    add_step(3).start(arguments).wait();
  } catch (const td::xla::XlaError& error) {
    check::expect(false, std::string("batch r must be on device r; XLA says: ") + error.what());
  }
}

TEST_CASE("the thread reads before the first call of next", "[parallel_loader]") {
  const td::xla::Client& client = client_with(3);
  const auto source = std::make_shared<Source>(100);
  {
    ParallelLoader loader(client, 2, source->reader(), 3);
    const bool enough = source->reaches(6, 2000ms);
    check::expect(enough,
                  "2 replicas, prefetch 3: nobody called next, and read should have been called at "
                  "least 6 times; it was called " +
                      std::to_string(source->calls()) + " times within 2 s");
  }
  source->expect_clean();
}

TEST_CASE("the thread does not read too far ahead", "[parallel_loader]") {
  const td::xla::Client& client = client_with(3);
  const auto source = std::make_shared<Source>(100);
  {
    ParallelLoader loader(client, 2, source->reader(), 3);
    std::size_t allowed = 8;  // 3 batches per replica, and one group in hand
    for (std::size_t step = 0; step < 3; ++step) {
      check::expect(!source->reaches(allowed + 1, 60ms),
                    "2 replicas, prefetch 3, " + std::to_string(step) + " steps taken: at most " +
                        std::to_string(allowed) + " calls of read are allowed, there were more");
      for (std::size_t r = 0; r < 2; ++r)
        expect_batch(loader.next(r), 2 * step + r, "next(" + std::to_string(r) + ")");
      allowed += 2;
    }
  }
  source->expect_clean();
}

TEST_CASE("no replica has more than `prefetch` batches ready", "[parallel_loader]") {
  const td::xla::Client& client = client_with(3);
  const auto source = std::make_shared<Source>(100);
  {
    ParallelLoader loader(client, 2, source->reader(), 2);
    for (const std::size_t n : {0, 2}) expect_batch(loader.next(0), n, "replica 0 alone");
    const bool too_many = source->reaches(7, 300ms);
    check::expect(!too_many,
                  std::to_string(source->calls()) +
                      " batches were read for 2 replicas with prefetch 2, and replica 1 has taken "
                      "none; expected at most 6: 2 that are ready for each, and one more group");
  }
  source->expect_clean();
}

TEST_CASE("a replica can be ahead of the others by the prefetched batches", "[parallel_loader]") {
  const td::xla::Client& client = client_with(3);
  const auto source = std::make_shared<Source>(10);
  {
    ParallelLoader loader(client, 2, source->reader(), 2);
    for (const std::size_t n : {0, 2}) expect_batch(loader.next(0), n, "replica 0 alone");
    for (const std::size_t n : {1, 3}) expect_batch(loader.next(1), n, "then replica 1");
  }
  source->expect_clean();
}

TEST_CASE("each replica takes its batches in its own thread", "[parallel_loader]") {
  const td::xla::Client& client = client_with(3);
  const auto source = std::make_shared<Source>(30);
  std::vector<std::vector<std::vector<Buffer>>> taken(3);
  {
    ParallelLoader loader(client, 3, source->reader(), 1);
    std::vector<std::thread> threads;
    for (std::size_t r = 0; r < 3; ++r)
      threads.emplace_back([&, r] {
        for (;;) {
          std::vector<Buffer> batch = loader.next(r);
          if (batch.empty()) return;
          taken[r].push_back(std::move(batch));
        }
      });
    for (std::thread& thread : threads) thread.join();
  }
  source->expect_clean();
  for (std::size_t r = 0; r < 3; ++r) {
    check::expect(taken[r].size() == 10, "30 batches, 3 replicas: replica " + std::to_string(r) +
                                             " got " + std::to_string(taken[r].size()) +
                                             " batches, expected 10");
    for (std::size_t step = 0; step < 10; ++step)
      expect_batch(taken[r][step], 3 * step + r, "replica " + std::to_string(r));
  }
}

TEST_CASE("a batch that is ready can be taken while the thread reads", "[parallel_loader]") {
  const td::xla::Client& client = client_with(3);
  std::mutex mutex;
  std::condition_variable changed;
  bool reading = false, taken = false, in_time = true;
  {
    ParallelLoader loader(
        client, 2,
        [&](std::size_t n) {
          if (n == 4) return TensorList();
          if (n == 2) {  // takes as long as the replicas need for their first batches
            std::unique_lock lock(mutex);
            reading = true;
            changed.notify_all();
            in_time = changed.wait_for(lock, 2s, [&] { return taken; });
          }
          return Source::batch(n);
        },
        2);
    {  // earlier, a loader that reads under the lock may still hand out the batches that are ready
      std::unique_lock lock(mutex);
      changed.wait_for(lock, 500ms, [&] { return reading; });
    }
    for (std::size_t r = 0; r < 2; ++r) expect_batch(loader.next(r), r, "the first step");
    {
      const std::lock_guard lock(mutex);
      taken = true;
      changed.notify_all();
    }
    for (std::size_t r = 0; r < 2; ++r) expect_batch(loader.next(r), 2 + r, "the second step");
  }
  check::expect(in_time,
                "read(2) was running, and the batches 0 and 1 were ready, but next did not "
                "return them: do not hold the mutex while you call read");
}

TEST_CASE("an error of read comes after the complete groups, to every replica",
          "[parallel_loader]") {
  const td::xla::Client& client = client_with(3);
  const auto source = std::make_shared<Source>(10, 5);  // the groups 0, 1 and 2, 3 are complete
  {
    ParallelLoader loader(client, 2, source->reader(), 4);
    source->reaches(6, 2000ms);
    for (std::size_t step = 0; step < 2; ++step)
      for (std::size_t r = 0; r < 2; ++r) {
        const std::string what = "read(5) throws, 2 replicas: next(" + std::to_string(r) +
                                 ") of step " + std::to_string(step);
        std::vector<Buffer> batch;
        try {
          batch = loader.next(r);
        } catch (const td::NotDoneYet&) {
          throw;
        } catch (const std::runtime_error& error) {
          check::expect(false,
                        what + " must return batch " + std::to_string(2 * step + r) +
                            ", which was complete before the error; it threw: " + error.what());
        }
        expect_batch(batch, 2 * step + r, what);
      }
    for (int again = 0; again < 2; ++again)
      for (std::size_t r = 0; r < 2; ++r)
        check::expect_throws<std::runtime_error>(
            [&] { loader.next(r); }, {"batch 5 cannot be read"},
            "read(5) throws: call " + std::to_string(again + 3) + " of next(" + std::to_string(r) +
                ")");
  }
  source->expect_clean();
}

TEST_CASE("an error of a copy reaches the replicas", "[parallel_loader]") {
  const td::xla::Client& client = client_with(3);
  ParallelLoader loader(
      client, 2, [](std::size_t) { return TensorList{td::ones({2}).to("sim:0")}; }, 1);
  for (std::size_t r = 0; r < 2; ++r)
    check::expect_throws<td::DeviceError>(
        [&] { loader.next(r); }, {},
        "a batch that is not on the cpu: next(" + std::to_string(r) + ")");
}

TEST_CASE("close ends a thread that waits or reads, and may be called twice", "[parallel_loader]") {
  const td::xla::Client& client = client_with(3);
  for (const std::size_t calls : {0, 1, 8}) {  // 8: the thread waits for space
    const auto source = std::make_shared<Source>(100);
    ParallelLoader loader(client, 2, source->reader(), 3);
    source->reaches(calls, 2000ms);
    loader.close();
    source->expect_clean();
    loader.close();
  }
}

TEST_CASE("the destructor works if there was no batch", "[parallel_loader]") {
  const td::xla::Client& client = client_with(3);
  for (int round = 0; round < 10; ++round) {
    const auto source = std::make_shared<Source>(0);
    { const ParallelLoader loader(client, 2, source->reader(), 1); }
    source->expect_clean();
  }
}

// Tests of pipeline: the order of calls, their threads and streams, and how it ends. Batch i is
// filled with the number i. The main thread checks what the preparing thread has stored.
#include <algorithm>

#include "copies.h"
#include "exercises.h"
#include "lanes.h"
#include "sim/sim.h"
#include "td/base/parallel.h"

namespace {

constexpr std::int64_t kSize = 1000;

Batch number_batch(std::int64_t index, td::Device device, double value) {
  const auto options = td::TensorOptions().pinned_memory(!device.is_cpu());
  return {td::full({kSize}, value, options), td::full({1}, index, options.dtype(td::kInt64))};
}
Batch number_batch(std::int64_t index, td::Device device = kSim) {
  return number_batch(index, device, static_cast<double>(index));
}

/// Waits until `condition` holds, at most three seconds. @return whether it does.
template <class Condition>
bool comes(const Condition& condition) {
  for (int i = 0; i < 3000 && !condition(); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  return condition();
}

/// Counts threads that have ended: those in which a thread_local one was made.
struct Leaving {
  explicit Leaving(std::atomic<int>* counter) : ended(counter) {}
  ~Leaving() { ++*ended; }
  std::atomic<int>* ended;
};
std::atomic<int> threads_ended{0};
void watch_this_thread() { thread_local const Leaving leaving(&threads_ended); }

/// Sums that a step computed, against those of batches 0, 1, 2 ...
void expect_sums(const std::vector<td::Tensor>& sums, const std::string& with = "") {
  for (std::size_t i = 0; i < sums.size(); ++i)
    check::expect_close(sums[i].item<double>() / kSize, static_cast<double>(i), 0,
                        "the mean of batch " + std::to_string(i) + " as the work saw it" + with);
}

/// What was called, in one string: "p0 p1 w0".
class Calls {
 public:
  void add(char kind, std::int64_t index) {
    const std::lock_guard lock(mutex_);
    (kind == 'p' ? prepared_ : worked_).push_back(index);
  }
  static std::string text(const std::vector<std::int64_t>& list) {
    std::string all;
    for (const std::int64_t i : list) (all += std::to_string(i)) += ' ';
    return all.empty() ? "none" : all;
  }
  std::string prepared() const { return text(prepared_); }
  std::string worked() const { return text(worked_); }
  static std::string up_to(std::int64_t count) {
    std::vector<std::int64_t> list;
    for (std::int64_t i = 0; i < count; ++i) list.push_back(i);
    return text(list);
  }

 private:
  std::mutex mutex_;
  std::vector<std::int64_t> prepared_, worked_;
};

}  // namespace

TEST_CASE("every batch is prepared and worked on once, in order, on its device", "[pipeline]") {
  for (const td::Device device : check::devices())
    for (const std::size_t ahead : {1u, 2u, 3u})
      for (const std::int64_t batches : {0, 1, 2, 7}) {
        const std::string with = " on " + device.str() + " with " + std::to_string(batches) +
                                 " batches, " + std::to_string(ahead) + " ahead";
        Calls calls;
        const std::thread::id caller = std::this_thread::get_id();
        std::atomic<int> in_caller{0}, width{1};
        std::vector<td::Tensor> sums, prepared(static_cast<std::size_t>(batches));
        run_pipeline(
            batches,
            [&](std::int64_t index) {
              calls.add('p', index);
              in_caller += std::this_thread::get_id() == caller ? 1 : 0;
              width = std::max(width.load(), td::parallel_width());
              const Batch batch = number_batch(index, device);
              if (device.is_cpu()) prepared[static_cast<std::size_t>(index)] = batch.data;
              return batch;
            },
            [&](std::int64_t index, const Batch& batch) {
              check::expect(std::this_thread::get_id() == caller,
                            "work is called on another thread than the caller's" + with);
              check::expect_on(batch.data, device, "the batch's data" + with);
              check::expect_on(batch.target, device, "the batch's target" + with);
              const td::Tensor& same = prepared[static_cast<std::size_t>(index)];
              check::expect(!same.defined() || batch.data.data_ptr() == same.data_ptr(),
                            "on the cpu nothing is copied, but the work gets another tensor than "
                            "the prepared one" +
                                with);
              calls.add('w', index);
              sums.push_back(batch.data.sum() + batch.target.sum() - static_cast<double>(index));
            },
            device, ahead);
        check::expect(calls.prepared() == Calls::up_to(batches),
                      "prepared: " + calls.prepared() + with);
        check::expect(calls.worked() == Calls::up_to(batches),
                      "worked on: " + calls.worked() + with);
        check::expect(in_caller == 0, "prepare is called on the caller's thread" + with);
        check::expect(width == 1, "prepare may use " + std::to_string(width) +
                                      " cores: call td::set_parallel_width(1) in its thread");
        expect_sums(sums, with);
      }
}

TEST_CASE("batches are prepared while work is enqueued, and not more than `ahead`", "[pipeline]") {
  for (const std::size_t ahead : {1u, 3u}) {
    std::atomic<std::int64_t> begun{0};
    const std::int64_t most =
        static_cast<std::int64_t>(ahead) + 1;  // and the one that is worked on
    run_pipeline(
        8,
        [&](std::int64_t index) {
          ++begun;
          return number_batch(index);
        },
        [&](std::int64_t index, const Batch&) {
          if (index > 0) return;
          const bool came = comes([&] { return begun >= most; });
          check::expect(came, "while the work on batch 0 is enqueued, with " +
                                  std::to_string(ahead) + " ahead, " + std::to_string(most) +
                                  " batches should be begun; there are " + std::to_string(begun));
          give_it_time();
          check::expect(begun == most,
                        std::to_string(begun) + " batches were begun before the work on batch 1; " +
                            std::to_string(ahead) + " may wait, so expected " +
                            std::to_string(most) + ": with a slow device all of them would wait");
        },
        kSim, ahead);
  }
}

TEST_CASE("a batch is copied while the device works on the one before", "[pipeline]") {
  constexpr double kMark = 1234567;
  const td::Stream compute = td::getCurrentStream(kSim);
  std::atomic<bool> held{false}, arrived{false};
  Gate gate;
  run_pipeline(
      2,
      [&](std::int64_t index) {
        if (index == 1) comes([&] { return held.load(); });
        return number_batch(index, kSim, kMark + static_cast<double>(index));
      },
      [&](std::int64_t index, const Batch& batch) {
        if (index == 0) {
          gate.hold(compute);
          held = true;
          return;
        }
        // Looks at the device's memory as a kernel does, without a place in any stream.
        const volatile float* there = static_cast<const volatile float*>(
            td::sim::kernel_view(kSim.index(), batch.data.data_ptr()));
        arrived = comes([&] { return there[kSize - 1] == static_cast<float>(kMark + 1); }) &&
                  !gate.has_expired();
        gate.open();
      },
      kSim, 2);
  check::expect(arrived,
                "batch 1 does not arrive while the device works on batch 0: is it copied on a "
                "stream of its own?");
}

TEST_CASE("the work waits for its copy", "[pipeline]") {
  const LinkOf slow({.gb_per_s = 12, .latency_us = 10000});
  std::vector<td::Tensor> sums;
  td::sim::find_races(true);
  td::sim::take_races();
  run_pipeline(
      4, [](std::int64_t index) { return number_batch(index); },
      [&](std::int64_t, const Batch& batch) { sums.push_back(batch.data.sum()); }, kSim, 2);
  td::sim::find_races(false);
  for (const td::sim::Race& race : td::sim::take_races()) check::expect(false, race.text);
  expect_sums(sums);
}

TEST_CASE("host memory is kept until its copy is done", "[pipeline]") {
  const LinkOf slow({.gb_per_s = 12, .latency_us = 10000});
  td::Allocator& pinned = td::pinned_allocator(td::kSIM);
  constexpr std::size_t kBytes = kSize * sizeof(float);
  std::atomic<int> freed{0};
  std::vector<td::Tensor> sums;
  run_pipeline(
      4,
      [&](std::int64_t index) {
        Batch batch = number_batch(index);
        const auto give_back = [&](void* memory) {
          std::fill_n(static_cast<float*>(memory), kSize, -1e6f);
          pinned.release(memory, kBytes);
          ++freed;
        };
        batch.data = td::from_blob(pinned.allocate(kBytes), {kSize}, give_back);
        batch.data.fill_(static_cast<double>(index));
        return batch;
      },
      [&](std::int64_t, const Batch& batch) { sums.push_back(batch.data.sum()); }, kSim, 2);
  check::expect(freed == 4, std::to_string(freed) + " of 4 batches were freed at the end");
  expect_sums(sums, " (its host memory is overwritten when it is freed)");
}

namespace {

void expect_one_batch_ahead(const td::Stream& compute, const std::string& what) {
  const td::StreamGuard guard(compute);
  Gate gate, last(kSoon);
  std::jthread opener;  // joins when the test is left
  bool waited_for_work = false, ran_ahead = false;
  run_pipeline(
      4, [](std::int64_t index) { return number_batch(index); },
      [&](std::int64_t index, const Batch&) {
        if (index == 0) gate.hold(compute);
        if (index == 1) {
          waited_for_work = gate.has_expired();
          opener = std::jthread([&] {
            give_it_time();
            gate.open();
          });
        }
        if (index == 2) ran_ahead = !gate.is_open();
        if (index == 3) last.hold(compute);
      },
      kSim, 2);
  const bool done = last.is_open();
  check::expect(!waited_for_work,
                "the work on batch 1 is enqueued only when that on batch 0 is done: the device "
                "has nothing to do meanwhile");
  check::expect(!ran_ahead,
                "the work on batch 2 is enqueued while the device works on batch 0: batches pile "
                "up on a slow device" +
                    what);
  check::expect(done, "run_pipeline returned before all work was done" + what);
}

}  // namespace

TEST_CASE("the host is one batch ahead of the device, not more", "[pipeline]") {
  expect_one_batch_ahead(td::getDefaultStream(kSim), "");
  expect_one_batch_ahead(td::getStreamFromPool(kSim),
                         " (the current stream is not the default stream)");
}

TEST_CASE("the exception of prepare is thrown itself, and not another one with its words",
          "[pipeline]") {
  struct Damaged : std::runtime_error {
    using std::runtime_error::runtime_error;
  };
  bool came = false;
  try {
    run_pipeline(
        2, [](std::int64_t) -> Batch { throw Damaged("image 17 is damaged"); },
        [](std::int64_t, const Batch&) {}, kSim, 1);
  } catch (const td::NotDoneYet&) {
    throw;
  } catch (const Damaged&) {
    came = true;
  } catch (const std::exception& error) {
    check::expect(false, std::string("prepare threw an exception of its own type, and another one "
                                     "was thrown, which says: ") +
                             error.what() +
                             ". Pass std::current_exception() on to the caller's thread");
  }
  check::expect(came, "prepare threw, and run_pipeline did not");
}

TEST_CASE("an error in prepare is thrown instead of its batch", "[pipeline]") {
  for (const char* name : {"cpu", "sim:0"})
    for (const std::int64_t bad : {0, 3, 5}) {
      const td::Device device(name);
      Calls calls;
      const int before = threads_ended;
      check::expect_throws<std::runtime_error>(
          [&] {
            run_pipeline(
                6,
                [&](std::int64_t index) {
                  watch_this_thread();
                  if (index == bad) throw std::runtime_error("image 17 is damaged");
                  return number_batch(index, device);
                },
                [&](std::int64_t index, const Batch&) { calls.add('w', index); }, device, 4);
          },
          {"image 17 is damaged"}, "prepare threw at batch " + std::to_string(bad));
      check::expect(calls.worked() == Calls::up_to(bad),
                    "with an error at batch " + std::to_string(bad) +
                        " work was called on batches " + calls.worked());
      check::expect(threads_ended == before + 1, "the thread of prepare has not ended");
    }
}

TEST_CASE("an error in work ends the thread, whatever the thread is doing", "[pipeline]") {
  for (const char* name : {"cpu", "sim:0"})
    for (const bool full : {true, false}) {  // the thread waits for a free slot, or prepares
      const td::Device device(name);
      std::atomic<int> begun{0};
      std::atomic<bool> leaving{false};
      const int before = threads_ended;
      check::expect_throws<std::runtime_error>(
          [&] {
            run_pipeline(
                50,
                [&](std::int64_t index) {
                  watch_this_thread();
                  ++begun;
                  if (!full && index == 2) {
                    comes([&] { return leaving.load(); });
                    give_it_time();
                  }
                  return number_batch(index, device);
                },
                [&](std::int64_t index, const Batch& batch) {
                  batch.data.mul(2);
                  if (index == 0) return;
                  comes([&] { return begun >= (full ? 4 : 3); });
                  if (full) give_it_time();
                  leaving = true;
                  throw std::runtime_error("the loss is no number");
                },
                device, 2);
          },
          {"the loss is no number"}, "work threw at batch 1");
      const int when_it_returned = begun;
      check::expect(threads_ended == before + 1, "the thread of prepare has not ended");
      check::expect(when_it_returned < 10, std::to_string(when_it_returned) +
                                               " batches were prepared although the work on "
                                               "batch 1 threw");
    }
}

TEST_CASE("the work runs on the current stream of the caller, whichever it is", "[pipeline]") {
  const LinkOf slow({.gb_per_s = 12, .latency_us = 5000});
  const td::Stream current = td::getStreamFromPool(kSim);
  const td::StreamGuard guard(current);
  std::vector<td::Tensor> sums;
  RaceWatch races;
  Gate last(kSoon);
  run_pipeline(
      4, [](std::int64_t index) { return number_batch(index); },
      [&](std::int64_t index, const Batch& batch) {
        check::expect(td::getCurrentStream(kSim) == current,
                      "work is called while another stream is current");
        sums.push_back(batch.data.sum());
        if (index == 3) last.hold(current);
      },
      kSim, 2);
  check::expect(last.is_open(),
                "run_pipeline returned before the work on the caller's current stream was done");
  races.expect_none();
  expect_sums(sums, " (the current stream is one of the pool)");
}

TEST_CASE("whichever batch fails, the work before it is done and its memory is free",
          "[pipeline]") {
  td::Allocator& pinned = td::pinned_allocator(td::kSIM);
  constexpr std::size_t kBytes = kSize * sizeof(float);
  constexpr std::int64_t kBatches = 5;
  for (const bool in_prepare : {false, true})
    for (const std::int64_t bad : {0, 2, 4}) {
      const std::string when = std::string(in_prepare ? "prepare" : "work") + " threw at batch " +
                               std::to_string(bad) + " of " + std::to_string(kBatches);
      std::atomic<int> made{0}, freed{0};
      const int before = threads_ended;
      Calls calls;
      Gate gate(kSoon);
      check::expect_throws<std::runtime_error>(
          [&] {
            run_pipeline(
                kBatches,
                [&](std::int64_t index) {
                  watch_this_thread();
                  if (in_prepare && index == bad) throw std::runtime_error("a damaged image");
                  Batch batch = number_batch(index);
                  batch.data = td::from_blob(pinned.allocate(kBytes), {kSize}, [&](void* memory) {
                    pinned.release(memory, kBytes);
                    ++freed;
                  });
                  ++made;
                  return batch;
                },
                [&](std::int64_t index, const Batch&) {
                  calls.add('w', index);
                  if (index + (in_prepare ? 1 : 0) == bad) gate.hold(td::getCurrentStream(kSim));
                  if (!in_prepare && index == bad)
                    throw std::runtime_error("the loss is not finite");
                },
                kSim, 2);
          },
          {in_prepare ? "a damaged image" : "the loss is not finite"}, when);
      const bool held = in_prepare ? bad > 0 : true;
      check::expect(!held || gate.is_open(),
                    when + ": run_pipeline returned while work that was enqueued is still pending");
      check::expect(calls.worked() == Calls::up_to(in_prepare ? bad : bad + 1),
                    when + ": work was called on batches " + calls.worked());
      check::expect(threads_ended == before + 1, when + ": the thread of prepare has not ended");
      check::expect(made == freed, when + ": " + std::to_string(made - freed) +
                                       " batches still occupy host memory");
    }
}

TEST_CASE("after an error in work no copy is in flight", "[pipeline]") {
  const LinkOf slow({.gb_per_s = 12, .latency_us = 200000});
  std::atomic<int> begun{0};
  check::expect_throws<std::runtime_error>(
      [&] {
        run_pipeline(
            5,
            [&](std::int64_t index) {
              ++begun;
              return number_batch(index);
            },
            [&](std::int64_t, const Batch&) {
              comes([&] { return begun >= 2; });
              give_it_time();
              throw std::runtime_error("the loss is not finite");
            },
            kSim, 2);
      },
      {"not finite"}, "work threw at batch 0");
  // The end of a tensor may record an event on its stream, which takes a moment.
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  for (int i = 0; i < 32; ++i)  // all streams of the pool
    check::expect(td::getStreamFromPool(kSim).query(),
                  "work threw at batch 0, and run_pipeline returned while a copy is still in "
                  "flight, perhaps of batch 1, whose memory is free already: wait for the stream "
                  "of the copies, too");
}

TEST_CASE("only a few batches exist at a time", "[pipeline]") {
  td::Allocator& pinned = td::pinned_allocator(td::kSIM);
  constexpr std::size_t kBytes = kSize * sizeof(float);
  for (const std::size_t ahead : {1u, 3u}) {
    std::atomic<int> made{0}, freed{0};
    int most = 0;
    run_pipeline(
        12,
        [&](std::int64_t index) {
          Batch batch = number_batch(index);
          batch.data = td::from_blob(pinned.allocate(kBytes), {kSize}, [&](void* memory) {
            pinned.release(memory, kBytes);
            ++freed;
          });
          ++made;
          return batch;
        },
        [&](std::int64_t, const Batch& batch) {
          batch.data.mul(2);
          most = std::max(most, made - freed);
        },
        kSim, ahead);
    const int allowed = static_cast<int>(ahead) + 2;  // those that wait, this one, the one before
    check::expect(most <= allowed,
                  "with " + std::to_string(ahead) + " ahead, " + std::to_string(most) +
                      " batches were in memory at the same time; expected at most " +
                      std::to_string(allowed) +
                      ": release a batch when the work on it has finished");
  }
}

TEST_CASE("the work on a batch is enqueued while the batch is still copied", "[pipeline]") {
  const LinkOf slow({.gb_per_s = 12, .latency_us = 400000});
  bool early = false;
  for (int attempt = 0; attempt < 3 && !early; ++attempt) {  // the machine may be busy
    const float mark = 7654321.0f + static_cast<float>(attempt);
    run_pipeline(
        1, [&](std::int64_t index) { return number_batch(index, kSim, mark); },
        [&](std::int64_t, const Batch& batch) {
          const volatile float* there = static_cast<const volatile float*>(
              td::sim::kernel_view(kSim.index(), batch.data.data_ptr()));
          early = there[kSize - 1] != mark;
        },
        kSim, 1);
  }
  check::expect(early,
                "work is called only when the copy of its batch is done: let the current stream "
                "wait for the copy (Event::block), not the host");
}

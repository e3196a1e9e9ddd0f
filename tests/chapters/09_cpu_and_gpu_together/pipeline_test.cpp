// Tests of pipeline: who is called when, on which thread and stream, and how it ends. Batch i is
// filled with the number i. What the preparing thread sees is kept, and judged by the main thread.
#include <algorithm>

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
        std::vector<td::Tensor> sums;
        run_pipeline(
            batches,
            [&](std::int64_t index) {
              calls.add('p', index);
              in_caller += std::this_thread::get_id() == caller ? 1 : 0;
              width = std::max(width.load(), td::parallel_width());
              return number_batch(index, device);
            },
            [&](std::int64_t index, const Batch& batch) {
              check::expect(std::this_thread::get_id() == caller,
                            "work is called on another thread than the caller's" + with);
              check::expect_on(batch.data, device, "the batch's data" + with);
              check::expect_on(batch.target, device, "the batch's target" + with);
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

TEST_CASE("batches are prepared while the work is asked for, and no more than agreed",
          "[pipeline]") {
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
          check::expect(came, "while the work on batch 0 is asked for, with " +
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

TEST_CASE("the host is one batch ahead of the device, not more", "[pipeline]") {
  const td::Stream compute = td::getCurrentStream(kSim);
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
                "the work on batch 1 is asked for only when that on batch 0 is done: the device "
                "has nothing to do meanwhile");
  check::expect(!ran_ahead,
                "the work on batch 2 is asked for while the device works on batch 0: batches pile "
                "up on a slow device");
  check::expect(done, "run_pipeline returned before all work was done");
}

TEST_CASE("an error of prepare arrives in its place", "[pipeline]") {
  for (const char* name : {"cpu", "sim:0"})
    for (const std::int64_t bad : {0, 3}) {
      const td::Device device(name);
      Calls calls;
      const int before = threads_ended;
      check::expect_throws<std::runtime_error>(
          [&] {
            run_pipeline(
                6,
                [&](std::int64_t index) {
                  watch_this_thread();
                  if (index == bad) throw std::runtime_error("picture 17 is damaged");
                  return number_batch(index, device);
                },
                [&](std::int64_t index, const Batch&) { calls.add('w', index); }, device, 4);
          },
          {"picture 17 is damaged"}, "prepare threw at batch " + std::to_string(bad));
      check::expect(calls.worked() == Calls::up_to(bad),
                    "with an error at batch " + std::to_string(bad) +
                        " the work was asked for on batches " + calls.worked());
      check::expect(threads_ended == before + 1, "the thread of prepare has not ended");
    }
}

TEST_CASE("an error of work ends the thread, whatever it is doing", "[pipeline]") {
  for (const char* name : {"cpu", "sim:0"})
    for (const bool full : {true, false}) {  // the thread waits for a place, or prepares
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

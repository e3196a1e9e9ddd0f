// Tests of repair_pipeline: one for each report, and what a repair must keep. File i is filled with
// the number i + 1, and its scores are twice the file. A wrong answer may wait forever, so each
// call has a thread of its own, and shares all that it uses with it.
#include <future>
#include <memory>
#include <mutex>

#include "copies.h"
#include "exercises.h"
#include "lanes.h"

namespace {

constexpr std::int64_t kFiles = 6;
const std::vector<std::int64_t> kSizes = {33, 31};

struct Damaged : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// What the callbacks of a call do, and what they have seen.
struct Files {
  std::int64_t damaged = -1, refused = -1;  ///< read or predict throws here
  std::function<void(std::int64_t)> before_predict = [](std::int64_t) {};
  std::function<void(std::int64_t)> after_read = [](std::int64_t) {};
  std::atomic<std::int64_t> read{0}, predicted{0};
  std::atomic<bool> in_order{true}, in_caller{false}, other_thread{false}, other_stream{false};
  std::atomic<int> threads_ended{0};
  std::atomic<std::int64_t> most{0};   ///< files that were read before one was predicted
  std::atomic<bool> meanwhile{false};  ///< file 2 was read while the device predicted file 0
  Gate gate, last{kSoon};
  std::vector<td::Tensor> scores;
  bool complete = true;  ///< nothing was pending when predict_files returned
};

/// Counts the end of the thread that reads.
struct Leaving {
  explicit Leaving(std::shared_ptr<Files> f) : files(std::move(f)) {}
  std::shared_ptr<Files> files;
  ~Leaving() { ++files->threads_ended; }
};

/// Calls predict_files, and keeps the scores.
void call(const std::shared_ptr<Files>& files, std::int64_t count, td::Device device) {
  const std::thread::id caller = std::this_thread::get_id();
  const td::Stream current = td::getCurrentStream(device);
  files->scores = predict_files(
      count, kSizes,
      [files, caller](std::int64_t index, const td::Tensor& batch) {
        thread_local std::unique_ptr<Leaving> leaving;
        if (!leaving || leaving->files != files) leaving = std::make_unique<Leaving>(files);
        if (index != files->read++) files->in_order = false;
        if (std::this_thread::get_id() == caller) files->in_caller = true;
        if (index == files->damaged) throw Damaged("file " + std::to_string(index) + " is damaged");
        batch.fill_(static_cast<double>(index + 1));
        files->after_read(index);
      },
      [files, caller, current, device](const td::Tensor& batch) {
        const std::int64_t index = files->predicted++;
        if (std::this_thread::get_id() != caller) files->other_thread = true;
        if (td::getCurrentStream(device) != current) files->other_stream = true;
        if (index == files->refused)
          throw Damaged("batch " + std::to_string(index) + " is refused");
        files->before_predict(index);
        return batch * 2;
      },
      device);
}

/// Returns the seconds after which a call counts as hanging. A call takes milliseconds, and a user
/// of a debugger has time.
std::chrono::seconds patience() {
  return std::chrono::seconds(check::verdict().stopping ? 3600 : 8);
}

/// Runs `work` in a thread of its own. Fails if it does not return, and throws what it throws.
template <class Work>
void run(const std::string& when, Work work) {
  const auto result = std::make_shared<std::promise<void>>();
  std::future<void> returned = result->get_future();
  std::thread thread([result, work] {
    try {
      work();
      result->set_value();
    } catch (...) {
      result->set_exception(std::current_exception());
    }
  });
  if (returned.wait_for(patience()) != std::future_status::ready) {
    thread.detach();  // it waits forever, with all that it uses
    check::expect(false, when +
                             ": predict_files hangs. What does each of its threads wait for, "
                             "and which line should end this wait?");
  }
  thread.join();
  returned.get();
}

void expect_scores(const Files& files, std::int64_t count, const std::string& when) {
  check::expect(static_cast<std::int64_t>(files.scores.size()) == count,
                when + ": expected the scores of " + std::to_string(count) + " files, got " +
                    std::to_string(files.scores.size()));
  for (std::int64_t i = 0; i < count; ++i) {
    const td::Tensor& scores = files.scores[static_cast<std::size_t>(i)];
    check::expect_on(scores, td::kCPU, "the scores of file " + std::to_string(i));
    check::expect_close(scores, td::full(kSizes, 2.0 * static_cast<double>(i + 1)), 0,
                        "the scores of file " + std::to_string(i) + " " + when +
                            " (file i is filled with i + 1, and its scores are twice the file)");
  }
}

}  // namespace

TEST_CASE("files get the scores of other files", "[repair_pipeline]") {
  const LinkOf slow({.gb_per_s = 12, .latency_us = 10000});
  const auto files = std::make_shared<Files>();
  RaceWatch races;
  run("on a slow link", [files] { call(files, kFiles, kSim); });
  races.expect_none();
  expect_scores(*files, kFiles, "on a slow link");
  for (const td::Device device : check::devices()) {
    const auto again = std::make_shared<Files>();
    run("on " + device.str(), [again, device] { call(again, kFiles, device); });
    td::synchronize(device);
    expect_scores(*again, kFiles, "on " + device.str());
  }
}

TEST_CASE("the last scores are read before they are there", "[repair_pipeline]") {
  for (const bool other_stream : {false, true})
    for (const std::int64_t count : {1, 5}) {
      const auto files = std::make_shared<Files>();
      files->before_predict = [f = files.get(), count](std::int64_t index) {
        if (index == count - 1) f->last.hold(td::getCurrentStream(kSim));
      };
      run("with a slow last prediction", [files, count, other_stream] {
        td::optional<td::StreamGuard> guard;
        if (other_stream) guard.emplace(td::getStreamFromPool(kSim));
        call(files, count, kSim);
        files->complete = files->last.is_open();
      });
      check::expect(files->complete,
                    "predict_files returned while the device still computed the "
                    "scores of the last of " +
                        std::to_string(count) + " files" +
                        (other_stream ? ", on another current stream" : ""));
      expect_scores(*files, count, "after a slow last prediction");
    }
}

TEST_CASE("a damaged file: the program hangs", "[repair_pipeline]") {
  for (const char* name : {"cpu", "sim:0"})
    for (const std::int64_t bad : {0, 1, 5}) {
      const auto files = std::make_shared<Files>();
      files->damaged = bad;
      const std::string when = "read throws at file " + std::to_string(bad) + " of 6, on " + name;
      check::expect_throws<Damaged>(
          [&] { run(when, [files, name] { call(files, kFiles, td::Device(name)); }); },
          {"is damaged"}, when);
      check::expect(files->predicted == bad, when + ": predict was called for " +
                                                 std::to_string(files->predicted) + " files");
      check::expect(files->read == bad + 1,
                    when + ": " + std::to_string(files->read) + " files were read");
      check::expect(files->threads_ended == 1, when + ": the thread that reads has not ended");
    }
}

TEST_CASE("the files before a damaged one are predicted", "[repair_pipeline]") {
  for (const std::int64_t bad : {1, 2}) {
    const auto files = std::make_shared<Files>();
    files->damaged = bad;
    files->before_predict = [f = files.get(), bad](std::int64_t index) {
      if (index > 0) return;
      // The reader is ahead: it reads the damaged file while file 0 is being predicted.
      for (int i = 0; i < 100 && f->read <= bad; ++i) give_it_time();
      give_it_time();
    };
    const std::string when =
        "read throws at file " + std::to_string(bad) + " while file 0 is being predicted";
    check::expect_throws<Damaged>([&] { run(when, [files] { call(files, kFiles, kSim); }); },
                                  {"is damaged"}, when);
    check::expect(files->predicted == bad, when + ": predict was called for " +
                                               std::to_string(files->predicted) +
                                               " files; predict those before it, then throw");
  }
}

TEST_CASE("predict throws something that is no std::exception", "[repair_pipeline]") {
  const auto files = std::make_shared<Files>();
  files->before_predict = [](std::int64_t index) {
    if (index == 1) throw 7;
  };
  int thrown = 0;
  try {
    run("predict throws the int 7 at file 1 of 50", [files] { call(files, 50, kSim); });
  } catch (const int number) {
    thrown = number;
  }
  check::expect(thrown == 7, "predict throws the int 7, and predict_files should throw it, too");
}

TEST_CASE("predict throws: the program hangs", "[repair_pipeline]") {
  for (const char* name : {"cpu", "sim:0"})
    for (const std::int64_t bad : {0, 1, 3})
      for (const std::int64_t count : {4, 50}) {
        const auto files = std::make_shared<Files>();
        files->refused = bad;
        const std::string when = "predict throws at file " + std::to_string(bad) + " of " +
                                 std::to_string(count) + ", on " + name;
        check::expect_throws<Damaged>(
            [&] { run(when, [files, name, count] { call(files, count, td::Device(name)); }); },
            {"is refused"}, when);
        check::expect(files->read <= bad + 4, when + ": " + std::to_string(files->read) +
                                                  " files were read; expected at most " +
                                                  std::to_string(bad + 4));
        check::expect(files->threads_ended == 1, when + ": the thread that reads has not ended");
      }
}

TEST_CASE("files are read while the device predicts, and not more than two", "[repair_pipeline]") {
  const auto files = std::make_shared<Files>();
  files->before_predict = [f = files.get()](std::int64_t index) {
    if (index == 0) f->gate.hold(td::getCurrentStream(kSim));
    if (index == 0) give_it_time();
    if (index < 3) f->most = std::max(f->most.load(), f->read - index);
  };
  files->after_read = [f = files.get()](std::int64_t index) {
    if (index < 2) return;
    if (index == 2) f->meanwhile = !f->gate.has_expired();
    f->gate.open();
  };
  run("with a slow first prediction", [files] { call(files, kFiles, kSim); });
  check::expect(files->meanwhile,
                "file 2 is read only when the device has predicted file 0: the reader "
                "waits for the device, so both never work at the same time");
  check::expect(files->most <= 3, std::to_string(files->most) +
                                      " files had been read when one was predicted; "
                                      "two may wait besides it");
  check::expect(files->in_order && files->read == kFiles,
                "each file should be read once, in order");
  check::expect(!files->in_caller, "read is called on the caller's thread");
  check::expect(!files->other_thread, "predict is called on another thread than the caller's");
  check::expect(!files->other_stream, "predict is called while another stream is current");
}

TEST_CASE("no file, and one", "[repair_pipeline]") {
  for (const td::Device device : check::devices())
    for (const std::int64_t count : {0, 1}) {
      const auto files = std::make_shared<Files>();
      run(std::to_string(count) + " files", [files, count, device] { call(files, count, device); });
      expect_scores(*files, count, "on " + device.str());
    }
}

// Tests of send: the three orders of the exercise, each with a stream that is held up on purpose.
// What is held up is a sim stream, because only there a test can decide when work goes on.
#include <atomic>
#include <chrono>
#include <thread>

#include "check_tensors.h"
#include "exercises.h"
#include "td/device/backend.h"

namespace {

using Clock = std::chrono::steady_clock;

/// Holds a sim stream up until open() is called, or for two seconds: a wrong answer must not hang.
class Gate {
 public:
  explicit Gate(const td::Stream& stream) : stream_(stream) {
    td::Record record("gate");
    record.set_work(Work{&open_});
    td::backend(td::kSIM).submit(record, stream.device().index(), stream.native());
  }
  ~Gate() {
    open();
    stream_.synchronize();  // the work reads open_
  }
  Gate(const Gate&) = delete;
  Gate& operator=(const Gate&) = delete;
  void open() { open_ = true; }

 private:
  struct Work {
    const std::atomic<bool>* open;
    void operator()() const {
      const auto until = Clock::now() + std::chrono::seconds(2);
      while (!*open && Clock::now() < until)
        std::this_thread::sleep_for(std::chrono::microseconds(200));
    }
  };
  td::Stream stream_;
  std::atomic<bool> open_{false};
};

/// A tensor on sim:0 that holds 1, one on sim:1 that holds 2, and a stream of each.
struct Pair {
  td::Tensor from = td::full({1023}, 1.0, td::Device("sim:0"));
  td::Tensor to = td::full({1023}, 2.0, td::Device("sim:1"));
  td::Stream from_stream = td::getStreamFromPool(td::Device("sim:0"));
  td::Stream to_stream = td::getStreamFromPool(td::Device("sim:1"));

  Pair() {
    td::synchronize(from.device());
    td::synchronize(to.device());
  }
  ~Pair() {
    from_stream.synchronize();
    to_stream.synchronize();
  }
  void send() const { ::send(from, from_stream, to, to_stream); }
};

void need_two() {
  if (td::device_count(td::kSIM) < 2) check::skip("needs two sim devices: TD_SIM_DEVICES=2");
}

td::Tensor tens(double value) { return td::full({1023}, value); }

/// Gives work that should not be running yet the time to run.
void give_time() { std::this_thread::sleep_for(std::chrono::milliseconds(60)); }

}  // namespace

TEST_CASE("the values arrive on every other device", "[send]") {
  for (const td::Device a : check::devices())
    for (const td::Device b : check::devices()) {
      if (a.is_cpu() || a.type() != b.type() || a == b) continue;
      for (const int n : check::odd_sizes()) {
        const auto x = td::arange(n, td::device(a).dtype(td::kFloat));
        const auto y = td::empty({n}, b);
        check::poison(y);
        send(x, td::getCurrentStream(a), y, td::getCurrentStream(b));
        check::expect_close(y, x, 0, a.str() + " to " + b.str());
      }
    }
}

TEST_CASE("1: the copy reads what earlier work on from_stream wrote", "[send]") {
  need_two();
  const Pair p;
  Gate gate(p.from_stream);
  {
    const td::StreamGuard on(p.from_stream);
    td::Tensor(p.from).fill_(10);
  }
  p.send();
  give_time();
  gate.open();
  td::synchronize(p.from.device());
  td::synchronize(p.to.device());
  check::expect_close(p.to, tens(10), 0,
                      "from was filled with 10 by work that was still queued when send was called");
}

TEST_CASE("2: the copy does not overwrite what earlier work on to_stream reads", "[send]") {
  need_two();
  const Pair p;
  Gate gate(p.to_stream);
  td::Tensor seen;
  {
    const td::StreamGuard on(p.to_stream);
    seen = p.to * 1;
  }
  p.send();
  give_time();
  gate.open();
  td::synchronize(p.from.device());
  td::synchronize(p.to.device());
  check::expect_close(seen, tens(2), 0,
                      "work on to_stream, queued before send, should still see the old values");
}

TEST_CASE("3: later work on to_stream sees the copy", "[send]") {
  need_two();
  const Pair p;
  Gate gate(p.from_stream);
  p.send();
  td::Tensor seen;
  {
    const td::StreamGuard on(p.to_stream);
    seen = p.to * 1;
  }
  give_time();
  gate.open();
  td::synchronize(p.from.device());
  td::synchronize(p.to.device());
  check::expect_close(seen, tens(1), 0,
                      "work on to_stream, queued after send, should see the new values");
}

TEST_CASE("the host goes on", "[send]") {
  need_two();
  const Pair p;
  Gate gate(p.from_stream);
  p.send();
  const bool still_working = !p.from_stream.query();
  gate.open();
  check::expect(
      still_working,
      "send came back only when from_stream was done: the host waited, or took part in the copy");
}

// Tests of send: the three orders of the exercise, each with a stream that is held up on purpose.
// The stream is one of sim, because only there a test can decide when work continues.
#include <chrono>
#include <thread>

#include "exercises.h"
#include "streams.h"

namespace {

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

TEST_CASE("each order is kept by a wait, and not by luck", "[send]") {
  need_two();
  const RaceFinder finder;
  const Pair p;
  {
    const td::StreamGuard on(p.from_stream);
    td::Tensor(p.from).fill_(10);
  }
  {
    const td::StreamGuard on(p.to_stream);
    td::Tensor(p.to).fill_(20);
  }
  p.send();
  const td::StreamGuard on(p.to_stream);
  const td::Tensor seen = p.to * 1;
  td::synchronize(p.to.device());
  td::synchronize(p.from.device());
  finder.expect_none(
      "work of the two streams, before and after send, is not ordered with the copy");
}

TEST_CASE("the host waits for neither stream", "[send]") {
  need_two();
  for (const bool source : {true, false}) {
    const Pair p;
    Gate gate(source ? p.from_stream : p.to_stream, 1000);
    p.send();
    const bool waited = gate.passed();
    gate.open();
    check::expect(!waited, std::string("send came back only when the work on ") +
                               (source ? "from_stream" : "to_stream") +
                               " was done: the host waited, or took part in the copy");
  }
}

TEST_CASE("the host does not wait for the copy either", "[send]") {
  need_two();
  const SlowLink slow;
  const Pair p;
  p.send();
  check::expect(!p.to_stream.query(),
                "the copy takes 50 ms here, but to_stream was idle when send returned: the host "
                "waited for the copy, or to_stream does not wait for it");
}

TEST_CASE("the current streams and devices stay as they are", "[send]") {
  need_two();
  const Pair p;
  const td::Stream before0 = td::getCurrentStream(p.from.device());
  const td::Stream before1 = td::getCurrentStream(p.to.device());
  for (const int current : {0, 1}) {
    const td::DeviceGuard guard(td::Device(td::kSIM, current));
    p.send();
    check::expect(td::current_device(td::kSIM) == current,
                  "sim:" + std::to_string(current) +
                      " was the current sim device before send, and is not afterwards: see "
                      "td::DeviceGuard");
  }
  check::expect(before0 == td::getCurrentStream(p.from.device()) &&
                    before1 == td::getCurrentStream(p.to.device()),
                "send changed the current stream of a device: see td::StreamGuard");
}

TEST_CASE("element sizes, and views of larger tensors", "[send]") {
  need_two();
  const td::Device a("sim:0"), b("sim:1");
  for (const td::ScalarType type : {td::kFloat, td::kDouble, td::kHalf, td::kLong, td::kUInt8}) {
    const auto source = td::arange(100, td::device(a).dtype(type));
    const auto target = td::full({100}, 113, td::device(b).dtype(type));
    td::synchronize(a);
    td::synchronize(b);
    send(source.narrow(0, 40, 7), td::getCurrentStream(a), target.narrow(0, 5, 7),
         td::getCurrentStream(b));
    auto expected = std::vector<double>(100, 113);
    for (int i = 0; i < 7; ++i) expected[static_cast<std::size_t>(5 + i)] = 40 + i;
    check::expect_close(check::values(target), expected, 0,
                        std::string("7 elements of ") + td::dtype_name(type) +
                            " from index 40 of from to index 5 of to, all other elements 113");
  }
}

TEST_CASE("one element, and none", "[send]") {
  need_two();
  const td::Device a("sim:0"), b("sim:1");
  const auto one = td::full({}, 3.0, a), there = td::full({}, 4.0, b);
  td::synchronize(b);
  send(one, td::getCurrentStream(a), there, td::getCurrentStream(b));
  check::expect_close(there, td::full({}, 3.0), 0, "a tensor without dimensions");
  const auto none = td::empty({0, 3}, a), nothing = td::empty({0, 3}, b);
  send(none, td::getCurrentStream(a), nothing, td::getCurrentStream(b));
  td::synchronize(a);
  td::synchronize(b);
}

TEST_CASE("one copy, directly between the devices", "[send]") {
  need_two();
  const Pair p;
  const auto allocations = [] {
    return td::memory_stats("sim:0").allocations + td::memory_stats("sim:1").allocations;
  };
  const auto before = allocations();
  expect_transfers(transfers_of([&] { p.send(); }), 1, p.from.nbytes(),
                   "1023 floats from sim:0 to sim:1");
  check::expect(allocations() == before,
                "send allocated memory of a device: copy from the memory of `from` to that of "
                "`to`, without another tensor between them");
}

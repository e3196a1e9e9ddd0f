// Tests of chapter 09's AsyncTransfer: a tensor arrives complete on any device, and no stream that
// computes waits before receive(). The race finder looks on.
#include "../../../../chapters/09_cpu_and_gpu_together/async_transfer.h"
#include "catch.h"
#include "sim_work.h"

namespace {

constexpr std::int64_t kMany = 200000;  // more than is copied aside before a call returns

td::Tensor counted(td::Device device) {
  return td::arange(kMany).to(td::kFloat32).reshape({2, kMany / 2}).to(device);
}

struct Way {
  td::Device from, to;
};
const Way kWays[] = {
    {"cpu", "sim:0"}, {"sim:0", "cpu"}, {"sim:0", "sim:1"}, {"sim:0", "sim:0"}, {"cpu", "cpu"}};

}  // namespace

TEST_CASE("values of any layout arrive, and the sender may drop its tensor") {
  for (const auto& [from, to] : kWays) {
    INFO("from " << from << " to " << to);
    const AsyncTransfer transfer(from, to);
    for (const bool transposed : {false, true}) {
      td::Tensor there;
      {
        td::Tensor source = transposed ? counted(from).t() : counted(from);
        const PendingTensor sent = transfer.send(source.requires_grad_());
        source = td::Tensor();
        counted(from).fill_(-1);  // allocates the memory that was dropped, and writes to it
        there = receive(sent);
      }
      CHECK(there.device() == to);
      CHECK(!there.requires_grad());
      const td::Tensor expected = transposed ? counted("cpu").t() : counted("cpu");
      CHECK(td::equal(there.cpu(), expected));
    }
  }
}

TEST_CASE("send waits for the work that makes the values, and the host does not") {
  for (const auto& [from, to] : kWays) {
    if (from.is_cpu()) continue;
    INFO("from " << from << " to " << to);
    const AsyncTransfer transfer(from, to);
    const td::Tensor source = td::zeros({kMany}, from);
    test::Gate gate;
    gate.hold(td::getCurrentStream(from));
    source.fill_(3);
    const PendingTensor sent = transfer.send(source);
    CHECK(!sent.ready.query());
    gate.open();
    CHECK(td::equal(receive(sent).cpu(), td::full({kMany}, 3.f)));
  }
}

TEST_CASE("a busy receiver delays neither the copy nor the sender") {
  for (const auto& [from, to] : kWays) {
    if (to.is_cpu() || from == to) continue;
    INFO("from " << from << " to " << to);
    const AsyncTransfer transfer(from, to);
    const td::Tensor source = counted(from);
    test::Gate gate;
    gate.hold(td::getCurrentStream(to));
    const PendingTensor sent = transfer.send(source);
    sent.ready.synchronize();  // would never come if the copy waited for the receiver's work
    td::getCurrentStream(from).synchronize();
    gate.open();
    CHECK(td::equal(receive(sent).cpu(), counted("cpu")));
  }
}

TEST_CASE("a received tensor may be dropped while the device still reads it") {
  for (const auto& [from, to] : kWays) {
    if (to.is_cpu() || from == to) continue;
    INFO("from " << from << " to " << to);
    const AsyncTransfer transfer(from, to);
    const td::Tensor first = td::full({kMany}, 1.f).to(from),
                     next = td::full({kMany}, 2.f).to(from);
    test::Gate gate;
    gate.hold(td::getCurrentStream(to));
    const td::Tensor used = receive(transfer.send(first)) * 1;
    const PendingTensor sent = transfer.send(next);  // must not take the first one's memory
    sent.ready.synchronize();
    gate.open();
    CHECK(td::equal(used.cpu(), td::full({kMany}, 1.f)));
  }
}

// What the process group over NCCL does around NCCL: streams, order, failures. A communicator that
// logs its calls replaces NCCL, and sim:0 replaces the GPU and is busy as long as the test wants;
// so these tests need no GPU. td/backends/cuda/gpu/nccl_test.cpp tests NCCL itself.
#include <sys/resource.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "catch.h"
#include "child_process.h"
#include "distributed/transport/process_group_nccl.h"
#include "td/device/backend.h"
#include "td/td.h"

using namespace td;
using namespace td::distributed;

namespace {

const Device kDevice("sim:0");

// A gate that a stream waits at. Works on a stream point to it, so it outlives all of them.
struct Gate {
  std::atomic<bool> open{true};
  std::atomic<int> passed{0};
};

// Queues on `stream` a wait at the gate.
void queue_gate(Gate* gate, NativeStream* stream) {
  struct Wait {
    Gate* gate;
    void operator()() const {
      while (!gate->open) std::this_thread::sleep_for(std::chrono::milliseconds(1));
      ++gate->passed;
    }
  };
  Record record("gate");
  record.set_work(Wait{gate});
  backend(kSIM).submit(record, 0, stream);
}

class FakeCommunicator final : public Communicator {
 public:
  bool ready() override {
    std::lock_guard lock(mutex_);
    if (answers_until_ready > 0) return --answers_until_ready == 0;
    if (!error_.empty()) throw DeviceError(error_);
    const bool called =
        !calls_.empty() && std::string("[]i").find(calls_.back()[0]) == std::string::npos;
    if (keeps_spans && called) calls_.push_back("is ready");
    return true;
  }
  void broadcast(void*, Elements e, int root, NativeStream* stream) override {
    note("broadcast from " + std::to_string(root), e, stream);
  }
  void all_reduce(void*, Elements e, ReduceOp how, NativeStream* stream) override {
    note("all_reduce by " + std::to_string(static_cast<int>(how)), e, stream);
  }
  void reduce(void*, Elements e, ReduceOp, int root, NativeStream* stream) override {
    note("reduce to " + std::to_string(root), e, stream);
  }
  void all_gather(const void*, void*, Elements e, NativeStream* stream) override {
    note("all_gather", e, stream);
  }
  void reduce_scatter(const void*, void*, Elements e, ReduceOp, NativeStream* stream) override {
    note("reduce_scatter", e, stream);
  }
  void exchange(const std::vector<P2POp>& parcels, NativeStream* stream) override {
    std::string text = "exchange";
    for (const P2POp& p : parcels) text += (p.is_sent ? " to " : " from ") + std::to_string(p.peer);
    note(text, parcels[0].elements, stream);
  }
  // The brackets hold the calls inside the span.
  std::shared_ptr<void> span(const char* name, std::size_t bytes, NativeStream*) override {
    if (!keeps_spans) return nullptr;
    std::lock_guard lock(mutex_);
    calls_.push_back(std::string("[ ") + name + ", " + std::to_string(bytes) + " bytes");
    return std::shared_ptr<void>(this, [this](void*) {
      std::lock_guard lock(mutex_);
      calls_.push_back("]");
    });
  }
  void abort() override {
    aborted = true;
    gate.open = true;
  }

  void break_with(const std::string& error) {
    std::lock_guard lock(mutex_);
    error_ = error;
  }
  std::vector<std::string> calls() {
    std::lock_guard lock(mutex_);
    return calls_;
  }

  Gate gate;
  std::atomic<bool> aborted{false};
  std::atomic<bool> keeps_spans{false};
  std::atomic<int> answers_until_ready{0};

 private:
  void note(const std::string& text, Elements e, NativeStream* stream) {
    std::lock_guard lock(mutex_);
    calls_.push_back(text + ", " + std::to_string(e.count) + " x " + dtype_name(e.dtype));
    queue_gate(&gate, stream);
  }

  std::mutex mutex_;
  std::vector<std::string> calls_;
  std::string error_;
};

class NotingObserver final : public CollectiveObserver {
 public:
  void started(const CollectiveFingerprint& key) override { note("started " + describe(key)); }
  void finished(const CollectiveFingerprint& key) override { note("finished " + describe(key)); }
  void failed(const std::string& why) override { note("failed: " + why); }
  void on_failure(std::function<void(const std::string&)> tell) override { tell_ = tell; }
  void leave() override { note("left"); }
  void tell(const std::string& why) { tell_(why); }
  std::vector<std::string> notes() {
    std::lock_guard lock(mutex_);
    return notes_;
  }

 private:
  void note(const std::string& text) {
    std::lock_guard lock(mutex_);
    notes_.push_back(text);
  }
  std::mutex mutex_;
  std::vector<std::string> notes_;
  std::function<void(const std::string&)> tell_;
};

struct Ranks {
  explicit Ranks(std::chrono::milliseconds timeout = std::chrono::seconds(10))
      : group(std::make_unique<ProcessGroupNCCL>(
            0, 2, timeout, kDevice,
            std::vector<std::shared_ptr<Communicator>>{collectives, parcels}, observer)) {}
  ~Ranks() {
    group.reset();
    for (const auto& nccl : {collectives, parcels}) nccl->gate.open = true;
    synchronize(kDevice);  // streams still look at the gates
  }
  std::shared_ptr<FakeCommunicator> collectives = std::make_shared<FakeCommunicator>();
  std::shared_ptr<FakeCommunicator> parcels = std::make_shared<FakeCommunicator>();
  std::shared_ptr<NotingObserver> observer = std::make_shared<NotingObserver>();
  std::unique_ptr<ProcessGroupNCCL> group;
};

Tensor on_device(std::int64_t n) { return zeros({n}, TensorOptions().device(kDevice)); }

std::string error_of(const std::function<void()>& work) {
  try {
    work();
  } catch (const DistributedError& e) {
    return e.what();
  }
  return "";
}

void eventually(const std::function<bool()>& condition) {
  for (int i = 0; i < 5000 && !condition(); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  CHECK(condition());
}

}  // namespace

TEST_CASE("every call reaches NCCL with what it needs") {
  Ranks ranks;
  ProcessGroup& group = *ranks.group;
  const Tensor t = on_device(3), both = on_device(6);
  group.broadcast(t, 1)->wait();
  group.all_reduce(t, ReduceOp::AVG)->wait();
  group.reduce(t, 1)->wait();
  group.all_gather_into_tensor(both, t)->wait();
  group.reduce_scatter_tensor(t, both)->wait();
  group.barrier()->wait();
  group.all_reduce(on_device(0))->wait();
  CHECK(ranks.collectives->calls() ==
        std::vector<std::string>{"broadcast from 1, 3 x float32", "all_reduce by 1, 3 x float32",
                                 "reduce to 1, 3 x float32", "all_gather, 3 x float32",
                                 "reduce_scatter, 3 x float32", "all_reduce by 0, 1 x float32"});
}

TEST_CASE(
    "NCCL's stream waits for the program's, the program's for NCCL's, and the host for none") {
  Ranks ranks;
  Gate before, after;
  before.open = ranks.collectives->gate.open = false;
  const Stream stream = getCurrentStream(kDevice);
  queue_gate(&before, stream.native());
  const auto work = ranks.group->all_reduce(on_device(3));
  work->wait();
  queue_gate(&after, stream.native());
  CHECK_FALSE(work->is_completed());
  ranks.collectives->gate.open = true;
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  CHECK(ranks.collectives->gate.passed == 0);  // the program's earlier work is not done
  ranks.collectives->gate.open = false;
  before.open = true;
  eventually([&] { return before.passed == 1; });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  CHECK(after.passed == 0);  // the collective is not done
  ranks.collectives->gate.open = true;
  stream.synchronize();
  CHECK(ranks.collectives->gate.passed == 1);
  CHECK(after.passed == 1);
  CHECK(work->is_completed());
}

TEST_CASE("a barrier waits on the host") {
  Ranks ranks;
  ranks.collectives->gate.open = false;
  std::thread opener([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    ranks.collectives->gate.open = true;
  });
  ranks.group->barrier()->wait();
  CHECK(ranks.collectives->gate.passed == 1);
  opener.join();
}

TEST_CASE("sends and recvs start together when one of them is waited for") {
  Ranks ranks;
  const auto sent = ranks.group->send(on_device(3), 1);
  const auto taken = ranks.group->recv(on_device(5), 1);
  CHECK(ranks.parcels->calls().empty());
  taken->wait();
  sent->wait();
  CHECK(ranks.parcels->calls() == std::vector<std::string>{"exchange to 1 from 1, 3 x float32"});
  CHECK(ranks.collectives->calls().empty());
  // An operation without a wait is sent before the group ends.
  ranks.group->send(on_device(2), 1);
  ranks.group.reset();
  CHECK(ranks.parcels->calls().back() == "exchange to 1, 2 x float32");
}

TEST_CASE("a span is around each call until NCCL has queued it") {
  Ranks ranks;
  ranks.collectives->keeps_spans = ranks.parcels->keeps_spans = true;
  ranks.group->all_reduce(on_device(3))->wait();
  CHECK(ranks.collectives->calls() == std::vector<std::string>{"[ all_reduce, 12 bytes",
                                                               "all_reduce by 0, 3 x float32",
                                                               "is ready", "]"});
  const auto sent = ranks.group->send(on_device(3), 1);
  ranks.group->recv(on_device(5), 1)->wait();
  ranks.group->send(on_device(1), 1)->wait();
  CHECK(ranks.parcels->calls() ==
        std::vector<std::string>{"[ send and recv, 32 bytes", "exchange to 1 from 1, 3 x float32",
                                 "is ready", "]", "[ send, 4 bytes", "exchange to 1, 1 x float32",
                                 "is ready", "]"});
}

TEST_CASE("a collective that does not end is named and aborted, and ends the group") {
  Ranks ranks(std::chrono::milliseconds(150));
  ranks.group->all_reduce(on_device(2))->wait();
  eventually([&] { return ranks.observer->notes().size() == 2; });
  ranks.collectives->gate.open = false;
  const auto stuck = ranks.group->all_reduce(on_device(3), ReduceOp::AVG);
  const auto barrier = ranks.group->barrier();
  const std::string text =
      "rank 0: all_reduce #2 (avg, 3 x float32) on sim:0 has not ended within 150 ms; the last "
      "call that ended is all_reduce #1 (sum, 2 x float32). A rank has not made this call, or its "
      "GPU is stuck";
  CHECK(error_of([&] { barrier->wait(); }) == text);
  CHECK(error_of([&] { stuck->wait(); }) == text);
  CHECK(stuck->is_completed());
  CHECK(error_of([&] { ranks.group->all_reduce(on_device(1))->wait(); }) == text);
  eventually([&] { return ranks.collectives->aborted && ranks.parcels->aborted; });
  CHECK(ranks.observer->notes().back() == "failed: " + text);
}

TEST_CASE("an error of NCCL is reported with the rank that sees it") {
  Ranks ranks;
  ranks.collectives->break_with("communicating: NCCL reports unhandled system error");
  // The call or the watching thread, whichever sees it first.
  const std::string text = error_of([&] { ranks.group->all_reduce(on_device(3))->wait(); });
  CHECK(text.find("rank 0: ") == 0);
  CHECK_THAT(text, Catch::EndsWith("communicating: NCCL reports unhandled system error"));
  Ranks idle;  // without a call: the watching thread finds it
  idle.parcels->break_with("communicating: NCCL reports remote process exited");
  eventually([&] { return idle.parcels->aborted.load(); });
  CHECK(error_of([&] { idle.group->barrier()->wait(); }) ==
        "rank 0: communicating: NCCL reports remote process exited");
}

TEST_CASE("an error from the coordination service ends the wait of the host") {
  Ranks ranks;
  ranks.collectives->gate.open = false;
  const auto barrier = ranks.group->barrier();
  ranks.observer->tell("rank 1 was killed");
  CHECK(error_of([&] { barrier->wait(); }) == "rank 1 was killed");
  eventually([&] { return ranks.collectives->aborted.load(); });
}

TEST_CASE("the observer sees one collective after another, and the end") {
  Ranks ranks;
  const Tensor t = on_device(3);
  ranks.group->all_reduce(t);
  ranks.group->broadcast(t);
  ranks.group.reset();
  CHECK(ranks.observer->notes() ==
        std::vector<std::string>{"started all_reduce #1 (sum, 3 x float32)",
                                 "finished all_reduce #1 (sum, 3 x float32)",
                                 "started broadcast #2 (from rank 0, 3 x float32)",
                                 "finished broadcast #2 (from rank 0, 3 x float32)", "left"});
}

TEST_CASE("an exception that leaves a rank does not wait for the other ranks") {
  Ranks ranks;
  ranks.collectives->gate.open = false;
  try {
    const auto group = std::move(ranks.group);
    group->all_reduce(on_device(3));
    throw Error("bad batch");
  } catch (const Error&) {
  }
  CHECK(ranks.collectives->aborted);
  // The watching thread may have seen the call begin, but must not have seen it end.
  const std::vector<std::string> notes = ranks.observer->notes();
  CHECK(std::count(notes.begin(), notes.end(), "failed: rank 0 ended with an error") == 1);
  for (const std::string& note : notes) CHECK(note.find("finished") == std::string::npos);
}

TEST_CASE("a tensor on another device is an error, and does not count as a call") {
  Ranks ranks;
  CHECK_THROWS_WITH(
      ranks.group->all_reduce(zeros({2})),
      "all_reduce: the tensor is on cpu but this group's backend \"nccl\" works on "
      "sim:0; move the tensor with to(\"sim:0\"), or use the backend \"gloo\" for cpu "
      "and sim tensors");
  CHECK(ranks.group->sequence() == 0);
}

TEST_CASE("without enough GPUs the backend nccl is an error of one line") {
  const int count = device_count(kCUDA);
  if (count == 0) {
    const std::string text =
        "the backend \"nccl\" needs a GPU for each rank: " + backend(kCUDA).unavailable_reason() +
        " The backend for sim and cpu tensors is \"gloo\".";
    CHECK_THROWS_WITH(nccl_device(0), text);
    CHECK_THROWS_AS(init_process_group("nccl"), DeviceError);
    CHECK_THROWS_WITH(init_process_group("nccl"), text);
    CHECK_FALSE(is_initialized());
  }
}

TEST_CASE("a rank takes the GPU of its number, or the only one that its launcher shows it") {
  CHECK(gpu_of_rank(0, 2) == 0);
  CHECK(gpu_of_rank(1, 2) == 1);
  CHECK(gpu_of_rank(0, 1) == 0);
  CHECK(gpu_of_rank(3, 1) == 0);
  CHECK_THROWS_WITH(gpu_of_rank(2, 2),
                    "the backend \"nccl\" needs a GPU for each rank, and rank 2 of this host finds "
                    "2 GPUs: start at most 2 ranks on a host, or use the backend \"gloo\"");
}

TEST_CASE("a call that NCCL queues soon does not put the host to sleep") {
  Ranks ranks;
  const Tensor t = on_device(3);
  ranks.group->all_reduce(t)->wait();  // the first call of a thread does more
  ranks.collectives->answers_until_ready = 200;
  rusage before{}, after{};
  getrusage(RUSAGE_THREAD, &before);
  ranks.group->all_reduce(t)->wait();
  getrusage(RUSAGE_THREAD, &after);
  CHECK(ranks.collectives->answers_until_ready == 0);
  CHECK(after.ru_nvcsw - before.ru_nvcsw < 100);  // a sleep is a voluntary switch of the thread
}

// The end of a program that never calls destroy_process_group. CUDA's driver registers its own end
// when it is first used: after the first question for a group, before a group is made.
TEST_CASE("child: the process ends with its group", "[.child]") {
  CHECK_FALSE(is_initialized());
  std::atexit([] { std::puts("the driver ends"); });
  const std::shared_ptr<Communicator> nccl(new FakeCommunicator, [](FakeCommunicator* nccl) {
    std::puts("the group ends");
    delete nccl;
  });
  set_default_group(std::make_shared<ProcessGroupNCCL>(
      0, 1, std::chrono::seconds(10), kDevice, std::vector<std::shared_ptr<Communicator>>{nccl}));
}

TEST_CASE("a group that the program does not destroy ends before the driver does") {
  const test::ChildResult child = test::run_child("child: the process ends with its group");
  INFO(child.output);
  CHECK(child.exit_code == 0);
  const auto group = child.output.find("the group ends"),
             driver = child.output.find("the driver ends");
  REQUIRE(group != std::string::npos);
  CHECK(group < driver);
}

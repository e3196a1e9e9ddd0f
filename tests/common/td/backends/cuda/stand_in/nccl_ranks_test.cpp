// The core's process group over the stand-in for NCCL, where ranks fail: a rank that does not make
// a call, a process that is killed, communicators of one GPU that the ranks use in different
// orders.
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <iostream>

#include "catch.h"
#include "child_process.h"
#include "distributed/distributed.h"
#include "nccl_groups.h"
#include "nccl_ranks.h"

using namespace td;
using namespace td::distributed;
using fake::must;
using std::chrono::milliseconds;
using Texts = std::vector<std::string>;

namespace {

Tensor ones_of(std::int64_t n, Device device) { return ones({n}, TensorOptions().device(device)); }

// What the ranks throw when only rank 0 does `work`. The others leave without a message.
Texts rank_0_alone(const std::function<void(ProcessGroup&, Device)>& work) {
  return nccl_groups::on_all_gpus(
      [&](ProcessGroup& group, Device device) {
        const Tensor t = ones_of(3, device);
        group.all_reduce(t)->wait();
        if (group.rank() == 0) work(group, device);
        std::this_thread::sleep_for(milliseconds(1000));
        throw Error("leaves");
      },
      [](Member& member) { member.timeout = milliseconds(400); });
}

TEST_CASE("a collective that a rank does not make is named after the group's timeout") {
  if (device_count(kCUDA) < 2) return;
  const Texts errors = rank_0_alone([](ProcessGroup& group, Device device) {
    group.all_reduce(ones_of(5, device))->wait();
    synchronize(device);  // the abort ends the operation in the stream
    group.barrier()->wait();
  });
  CHECK(errors[0] ==
        "rank 0: all_reduce #2 (sum, 5 x float32) on cuda:0 has not ended within 400 ms; the last "
        "call that ended is all_reduce #1 (sum, 3 x float32). A rank has not made this call, or "
        "its GPU is stuck");
  CHECK(errors[1] == "leaves");
}

TEST_CASE("a send that no rank receives is named after the group's timeout") {
  if (device_count(kCUDA) < 2) return;
  const Texts errors = rank_0_alone([](ProcessGroup& group, Device device) {
    group.send(ones_of(5, device), 1)->wait();
    synchronize(device);
    group.barrier()->wait();
  });
  CHECK_THAT(errors[0], Catch::StartsWith("rank 0: send (to rank 1, 5 x float32) on cuda:0 has not "
                                          "ended within 400 ms"));
}

TEST_CASE("memory that a collective uses goes to no other tensor before the collective has ended") {
  CHECK(nccl_groups::on_all_gpus([](ProcessGroup& group, Device device) {
          for (int round = 0; round < 10; ++round) {
            const auto work = group.all_reduce(ones_of(1000, device));  // the last reference goes
            const Tensor other = full({1000}, 5.0, TensorOptions().device(device));
            work->wait();
            must(other.sum().item<double>() == 5000, "the other tensor was written");
          }
        }) == Texts(static_cast<std::size_t>(device_count(kCUDA))));
}

TEST_CASE("a communicator works on its own device, whatever device the thread has chosen") {
  const Stream stream = getStreamFromPool(fake::gpu(1));
  const Tensor t = ones_of(4, fake::gpu(1));
  synchronize(fake::gpu(1));
  const auto nccl = join_communicator(new_communicator_id(), 0, 1, fake::gpu(1));
  while (!nccl->ready()) std::this_thread::yield();
  set_device(fake::gpu(0));
  synchronize(fake::gpu(0));
  nccl->all_reduce(t.data_ptr(), {4, kFloat}, ReduceOp::AVG, stream.native());
  while (!nccl->ready()) std::this_thread::yield();
  stream.synchronize();
  CHECK(t.sum().item<double>() == 4);
}

TEST_CASE("collectives need no order with sends and receives") {
  if (device_count(kCUDA) < 2) return;
  CHECK(nccl_groups::on_all_gpus([](ProcessGroup& group, Device device) {
          const int rank = group.rank(), other = 1 - rank;
          for (int round = 0; round < 20; ++round) {
            const Tensor sum = ones_of(7, device), in = empty({5}, sum.options());
            const auto collective = [&] { return group.all_reduce(sum); };
            std::shared_ptr<Work> first = rank % 2 ? nullptr : collective();
            if (rank < 2) {
              const auto sent = group.send(full({5}, rank + 1.0, sum.options()), other);
              group.recv(in, other)->wait();
              sent->wait();
            }
            if (!first) first = collective();
            first->wait();
            must(sum.sum().item<double>() == 7.0 * group.size(), "the sum");
            must(rank >= 2 || in.sum().item<double>() == 5.0 * (other + 1), "what was received");
          }
        }) == Texts(static_cast<std::size_t>(device_count(kCUDA))));
}

// Two communicators with an operation each. All ranks queue the first one's before the second
// one's, and the second stream waits for the first; or, crossed, rank 1 begins with the second.
void two_communicators(bool crossed) {
  const ncclUniqueId ids[] = {fake::new_id(), fake::new_id()};
  const Texts errors = fake::in_threads(2, [&](int r) {
    const bool swaps = crossed && r == 1;
    const fake::Rank first(ids[swaps], r, 2), second(ids[!swaps], r, 2);
    const Tensor t = ones_of(4, first.device), u = ones_of(4, first.device);
    synchronize(first.device);
    const auto all_reduce = [](const fake::Rank& rank, const Tensor& data) {
      rank.done(rank.begun);
      rank.done(ncclAllReduce(data.data_ptr(), data.data_ptr(), 4, ncclFloat, ncclSum, rank.comm,
                              rank.native()));
    };
    all_reduce(first, t);
    Event queued(kCUDA);
    queued.record(first.stream);
    if (crossed) std::this_thread::sleep_for(milliseconds(100));  // it occupies the device
    if (!crossed) queued.block(second.stream);
    all_reduce(second, u);
    synchronize(first.device);
    must(t.cpu().sum().item<double>() == 8 && u.cpu().sum().item<double>() == 8, "the sums");
    for (const fake::Rank* rank : {swaps ? &second : &first, swaps ? &first : &second})
      rank->leave();
  });
  for (const std::string& error : errors) CHECK(error == "");
}

TEST_CASE("two communicators in one order", "[.child]") { two_communicators(false); }
TEST_CASE("two communicators in crossed orders", "[.child]") { two_communicators(true); }

TEST_CASE("operations of two communicators may depend on each other only where both can run") {
  const auto run = [](const std::string& order, const std::string& setting) {
    return test::run_child("two communicators in " + order, setting);
  };
  const std::string one = "TD_STAND_IN_NCCL=one_at_a_time:500";
  CHECK(run("one order", "").exit_code == 0);
  CHECK(run("one order", one).exit_code == 0);
  CHECK(run("crossed orders", "").exit_code == 0);
  const test::ChildResult crossed = run("crossed orders", one);
  CHECK(crossed.exit_code != 0);
  CHECK_THAT(crossed.output,
             Catch::Contains("refuses ncclAllReduce of 4 x float32 (ncclSum): rank ") &&
                 Catch::Contains("of another communicator, which does not end: the ranks begin "
                                 "the operations of their communicators in different orders"));
}

// What a process says when it is one of two ranks and rank 1 is killed between two calls.
TEST_CASE("rank: rank 1 is killed", "[.child]") {
  std::string why = "nothing";
  try {
    init_process_group("nccl");
    const Device device = fake::gpu(get_rank());
    const Tensor t = ones_of(1000, device);
    all_reduce(t);
    must(t.sum().item<double>() == 2000, "the sum");
    if (get_rank() == 1) raise(SIGKILL);
    all_reduce(t);
    synchronize(device);
    barrier();
  } catch (const std::exception& error) {
    why = error.what();
  }
  destroy_process_group();
  std::cout << "error: " << why << std::endl;
  std::_Exit(3);
}

TEST_CASE("a killed process is named, and the operation that waits for it ends") {
  if (device_count(kCUDA) < 2) return;
  std::string folder = std::filesystem::temp_directory_path() / "td-nccl-XXXXXX";
  REQUIRE(mkdtemp(folder.data()));
  std::vector<test::ChildResult> results(2);
  fake::in_threads(2, [&](int r) {
    const std::string rank = std::to_string(r);
    results[static_cast<std::size_t>(r)] = test::run_child(
        "rank: rank 1 is killed", "RANK=" + rank + " LOCAL_RANK=" + rank +
                                      " WORLD_SIZE=2 LOCAL_WORLD_SIZE=2 TD_RENDEZVOUS=file://" +
                                      folder + " timeout -s KILL 20");
  });
  std::filesystem::remove_all(folder);
  CHECK(results[1].exit_code == 128 + SIGKILL);
  INFO(results[0].output);
  CHECK(results[0].exit_code == 3);
  CHECK_THAT(results[0].output, Catch::Contains("error: rank 1 (process ") &&
                                    Catch::Contains(") is gone: it was killed, crashed or ended"));
}

}  // namespace

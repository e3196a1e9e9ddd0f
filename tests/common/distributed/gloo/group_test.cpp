// Groups that joined as processes do: the errors when a rank does not do what the others do.
#include "catch.h"
#include "td/td.h"
#include "thread_ranks.h"

using namespace td;
using namespace td::distributed;
using std::chrono::milliseconds;

namespace {

InitOptions short_waits(int timeout = 2000) {
  InitOptions options;
  options.timeout = milliseconds(timeout);
  return options;
}

const std::string kOrder =
    "the ranks do not make the same call: rank 0 makes all_reduce #1 (sum, 4 x float32), rank 1 "
    "makes broadcast #1 (from rank 0, 4 x float32). All ranks must call the same collectives in "
    "the same order, with as many elements of the same type";

}  // namespace

TEST_CASE("ranks that joined reduce together and leave without an error") {
  for (const int ranks : {2, 3}) {
    std::vector<double> sums(static_cast<std::size_t>(ranks));
    const auto errors = test::with_groups(ranks, [&](ProcessGroup& group) {
      for (int step = 0; step < 20; ++step) {
        Tensor t = full({1000}, group.rank() + 1.0);
        group.all_reduce(t)->wait();
        sums[static_cast<std::size_t>(group.rank())] = t[999].item<double>();
      }
    });
    CHECK(errors == std::vector<std::string>(static_cast<std::size_t>(ranks)));
    CHECK(sums == std::vector<double>(static_cast<std::size_t>(ranks), ranks * (ranks + 1) / 2));
  }
}

TEST_CASE("another order of calls is the same error on every rank, on every transport") {
  for (const char* transport : {"gloo", "shm"}) {
    setenv("TD_TRANSPORT", transport, 1);
    const auto errors = test::with_groups(2, [](ProcessGroup& group) {
      Tensor t = zeros({4});
      if (group.rank() == 0) group.all_reduce(t)->wait();
      group.broadcast(t)->wait();
      if (group.rank() == 1) group.all_reduce(t)->wait();
    });
    unsetenv("TD_TRANSPORT");
    INFO(transport);
    CHECK(errors == std::vector<std::string>{kOrder, kOrder});
  }
}

TEST_CASE("a rank that leaves while others wait is named in the errors of the others") {
  const auto errors = test::with_groups(3, [](ProcessGroup& group) {
    group.barrier()->wait();
    if (group.rank() == 1) return;
    group.all_reduce(zeros({4}))->wait();
  });
  CHECK(errors[0] ==
        "rank 1 has left the group while rank 0 is in all_reduce #2 (sum, 4 x float32). All ranks "
        "must make as many calls: has one of them fewer batches, or an error?");
  CHECK(errors[1] == "");
  CHECK(errors[2] == errors[0]);
}

TEST_CASE("rank 0 is named as well when it leaves") {
  const auto errors = test::with_groups(2, [](ProcessGroup& group) {
    if (group.rank() == 1) group.barrier()->wait();
  });
  CHECK(errors[0] == "");
  CHECK(errors[1].find("rank 0 has left the group while rank 1 is in barrier #1. ") == 0);
}

TEST_CASE("a rank that computes for too long is named, with its last finished collective") {
  const auto errors = test::with_groups(
      3,
      [](ProcessGroup& group) {
        Tensor t = zeros({4});
        group.all_reduce(t)->wait();
        if (group.rank() == 2) std::this_thread::sleep_for(milliseconds(900));
        group.barrier()->wait();
      },
      short_waits(300));
  CHECK(errors[0] ==
        "rank 2 did not come to barrier #2 within 300 ms. Rank 2 last finished all_reduce #1 (sum, "
        "4 x float32)");
  CHECK(errors[1] == errors[0]);
  CHECK(errors[2] == errors[0]);
}

TEST_CASE("an error of one rank ends the others' waiting with its reason") {
  const auto errors = test::with_groups(3, [](ProcessGroup& group) {
    if (group.rank() == 2) throw Error("bad batch");
    group.barrier()->wait();
  });
  CHECK(errors == std::vector<std::string>{"rank 2 ended with an error",
                                           "rank 2 ended with an error", "bad batch"});
}

TEST_CASE("a send and a recv of different sizes are an error on both sides") {
  setenv("TD_TRANSPORT", "gloo", 1);
  const auto errors = test::with_groups(2, [](ProcessGroup& group) {
    Tensor t = zeros({group.rank() + 3});
    (group.rank() ? group.recv(t, 0) : group.send(t, 1))->wait();
  });
  unsetenv("TD_TRANSPORT");
  CHECK(errors[0] ==
        "rank 0 makes send (to rank 1, 3 x float32), but rank 1 makes recv (from rank 0, 4 x "
        "float32); both need as many elements of the same type");
  CHECK(errors[1] == errors[0]);
}

TEST_CASE("a group of one rank needs no other process") {
  init_process_group("gloo", "env:");
  CHECK(default_group().transport() == std::string("one rank"));
  Tensor t = full({3}, 2.0), all = zeros({3});
  default_group().all_reduce(t, ReduceOp::AVG)->wait();
  default_group().all_gather_into_tensor(all, t)->wait();
  barrier();
  CHECK(all[2].item<double>() == 2);
  CHECK_THROWS_WITH(init_process_group("gloo"),
                    "init_process_group: there is a process group already; call "
                    "destroy_process_group first");
  destroy_process_group();
  CHECK_FALSE(is_initialized());
}

// Collectives between thread ranks, on every device: values against plain loops, and the errors.
#include <mutex>
#include <thread>

#include "catch.h"
#include "distributed/distributed.h"
#include "distributed/thread_group.h"
#include "td/td.h"

using namespace td;
using namespace td::distributed;

namespace {

const Device kDevices[] = {Device("cpu"), Device("sim:0")};

// Rank r's element i: small integers, so that sums are exact in every type.
Tensor values(int rank, std::int64_t n, ScalarType dtype, Device device) {
  Tensor t = empty({n}, kDouble);
  for (std::int64_t i = 0; i < n; ++i) t[i].fill_(static_cast<double>((i * 7 + rank * 3) % 11 + 1));
  return t.to(dtype).to(device);
}

double value(int rank, std::int64_t i) { return static_cast<double>((i * 7 + rank * 3) % 11 + 1); }

// The error each rank got, "" for none.
std::vector<std::string> errors_of(int ranks, const std::function<void(ProcessGroup&)>& work,
                                   std::chrono::milliseconds timeout = std::chrono::seconds(5)) {
  std::vector<std::string> texts(static_cast<std::size_t>(ranks));
  run_as_threads(
      ranks,
      [&](ProcessGroup& group) {
        try {
          work(group);
        } catch (const DistributedError& e) {
          texts[static_cast<std::size_t>(group.rank())] = e.what();
        }
      },
      timeout);
  return texts;
}

}  // namespace

TEST_CASE("all_reduce gives every rank the same reduced elements") {
  std::mutex mutex;
  for (const Device device : kDevices)
    for (const int ranks : {1, 2, 3, 4})
      for (const std::int64_t n : {0, 1, 31, 33, 1023})
        for (const ScalarType dtype : {kFloat, kDouble, kLong, kInt, kHalf, kBFloat16})
          for (const ReduceOp op : {ReduceOp::SUM, ReduceOp::MAX, ReduceOp::MIN}) {
            std::string fault;
            run_as_threads(ranks, [&](ProcessGroup& group) {
              Tensor t = values(group.rank(), n, dtype, device);
              group.all_reduce(t, op)->wait();
              const Tensor got = t.to(kCPU).to(kDouble);
              for (std::int64_t i = 0; i < n; ++i) {
                double expected = value(0, i);
                for (int r = 1; r < ranks; ++r) {
                  const double v = value(r, i);
                  expected = op == ReduceOp::SUM   ? expected + v
                             : op == ReduceOp::MAX ? std::max(expected, v)
                                                   : std::min(expected, v);
                }
                std::lock_guard lock(mutex);
                if (!(got.data_ptr<double>()[i] == expected))
                  fault =
                      "element " + std::to_string(i) + " of rank " + std::to_string(group.rank());
              }
            });
            INFO(device << ", " << ranks << " ranks, " << n << " x " << dtype << ' '
                        << reduce_name(op));
            CHECK(fault == "");
          }
}

TEST_CASE("the average is the sum divided by the ranks") {
  std::vector<double> got(3);
  run_as_threads(3, [&](ProcessGroup& group) {
    Tensor t = full({5}, group.rank() + 1.0);
    group.all_reduce(t, ReduceOp::AVG)->wait();
    got[static_cast<std::size_t>(group.rank())] = t[4].item<double>();
  });
  CHECK(got == std::vector<double>{2, 2, 2});
}

TEST_CASE("broadcast, reduce, all_gather, reduce_scatter, barrier, send and recv") {
  for (const Device device : kDevices) {
    std::vector<std::string> faults(3);
    run_as_threads(3, [&](ProcessGroup& group) {
      const int rank = group.rank();
      const auto expect = [&](const char* what, const Tensor& t, std::vector<double> expected) {
        const Tensor got = t.to(kCPU).to(kDouble);
        for (std::size_t i = 0; i < expected.size(); ++i)
          if (!(got.data_ptr<double>()[i] == expected[i])) faults[rank] += what;
      };
      const auto mine = [&] { return full({2}, rank + 1.0, TensorOptions().device(device)); };
      Tensor t = mine();
      group.broadcast(t, 2)->wait();
      expect("broadcast ", t, {3, 3});
      t = mine();
      group.reduce(t, 1)->wait();
      if (rank == 1) expect("reduce ", t, {6, 6});
      TensorList all = {mine(), mine(), mine()};
      group.all_gather(all, mine())->wait();
      for (int r = 0; r < 3; ++r) expect("all_gather ", all[r], {r + 1.0, r + 1.0});
      t = mine();
      group.reduce_scatter(t, {mine(), mine() * 10, mine() * 100})->wait();
      const double scattered = rank == 0 ? 6 : rank == 1 ? 60 : 600;
      expect("reduce_scatter ", t, {scattered, scattered});
      group.barrier()->wait();
      const auto sent = group.send(mine(), (rank + 1) % 3, 5);
      t = mine();
      group.recv(t, (rank + 2) % 3, 5)->wait();
      sent->wait();
      const double from = (rank + 2) % 3 + 1;
      expect("recv ", t, {from, from});
    });
    INFO(device);
    CHECK(faults == std::vector<std::string>(3));
  }
}

TEST_CASE("work in flight is done in order while the rank goes on") {
  std::vector<double> got(2);
  run_as_threads(2, [&](ProcessGroup& group) {
    Tensor a = full({1000}, group.rank() + 1.0), b = full({3}, group.rank() + 10.0);
    const auto first = group.all_reduce(a), second = group.all_reduce(b);
    second->wait();
    got[static_cast<std::size_t>(group.rank())] =
        first->is_completed() ? a[999].item<double>() + b[0].item<double>() : -1;
  });
  CHECK(got == std::vector<double>{24, 24});
}

TEST_CASE("a list's work is completed when the list has its values, also without wait()") {
  std::vector<double> got(2);
  run_as_threads(2, [&](ProcessGroup& group) {
    const TensorList all = {zeros({2}), zeros({2})};
    const auto work = group.all_gather(all, full({2}, group.rank() + 1.0));
    while (!work->is_completed()) std::this_thread::yield();
    got[static_cast<std::size_t>(group.rank())] = (all[0] + all[1] * 10).sum().item<double>();
    work->wait();
  });
  CHECK(got == std::vector<double>{42, 42});
}

TEST_CASE("a blocking call after one in flight runs on any thread that is free") {
  std::vector<double> got(2);
  run_as_threads(2, [&](ProcessGroup& group) {
    Tensor large = ones({100000}), small = ones({1});
    for (int i = 0; i < 300; ++i) {
      const auto in_flight = group.all_reduce(large, ReduceOp::AVG);
      if (i % 2) in_flight->wait();  // when it has just ended, its thread is not idle yet
      all_reduce(small, ReduceOp::AVG);
      in_flight->wait();
    }
    got[static_cast<std::size_t>(group.rank())] = large[0].item<double>() + small.item<double>();
  });
  CHECK(got == std::vector<double>{2, 2});
}

TEST_CASE("calls in another order are the same error on every rank") {
  const auto texts = errors_of(2, [](ProcessGroup& group) {
    Tensor t = zeros({4});
    if (group.rank() == 0) group.all_reduce(t)->wait();
    group.broadcast(t)->wait();
    if (group.rank() == 1) group.all_reduce(t)->wait();
  });
  CHECK(
      texts[0] ==
      "the ranks do not make the same call: rank 0 makes all_reduce #1 (sum, 4 x float32), rank 1 "
      "makes broadcast #1 (from rank 0, 4 x float32). All ranks must call the same collectives in "
      "the same order, with as many elements of the same type");
  CHECK(texts[1] == texts[0]);
}

TEST_CASE("different sizes and types are an error before any data is sent") {
  const auto sizes = errors_of(3, [](ProcessGroup& group) {
    Tensor t = zeros({group.rank() == 2 ? 5 : 4});
    group.all_reduce(t)->wait();
  });
  CHECK(sizes[0].find("rank 2 makes all_reduce #1 (sum, 5 x float32)") != std::string::npos);
  CHECK(sizes[1] == sizes[0]);
  CHECK(sizes[2] == sizes[0]);
  const auto types = errors_of(2, [](ProcessGroup& group) {
    Tensor t = zeros({4}, group.rank() ? kDouble : kFloat);
    group.all_reduce(t)->wait();
  });
  CHECK(types[0].find("4 x float64") != std::string::npos);
  CHECK(types[1] == types[0]);
}

TEST_CASE("a rank that leaves ends the wait of the others with an error that names it") {
  const auto texts = errors_of(3, [](ProcessGroup& group) {
    if (group.rank() == 1) return;
    Tensor t = zeros({4});
    group.all_reduce(t)->wait();
  });
  CHECK(texts[0].find("rank 1 has left the group while rank ") == 0);
  CHECK(texts[0].find("in all_reduce #1 (sum, 4 x float32)") != std::string::npos);
  CHECK(texts[1] == "");
  CHECK(texts[2] == texts[0]);
}

TEST_CASE("a rank that is stuck is named after the timeout") {
  const auto texts = errors_of(
      2,
      [](ProcessGroup& group) {
        if (group.rank() == 1) std::this_thread::sleep_for(std::chrono::milliseconds(300));
        group.barrier()->wait();
      },
      std::chrono::milliseconds(50));
  CHECK(texts[0] ==
        "rank 1 did not come to barrier #1 within 50 ms. Rank 1 last finished no call yet");
  CHECK(texts[1] == texts[0]);
}

TEST_CASE("an error of one rank reaches the caller, and the others do not hang") {
  CHECK_THROWS_WITH(run_as_threads(3,
                                   [](ProcessGroup& group) {
                                     if (group.rank() == 2) throw Error("bad batch");
                                     group.barrier()->wait();
                                   }),
                    "bad batch");
}

TEST_CASE("arguments are checked before anything is started") {
  run_as_threads(1, [](ProcessGroup& group) {
    CHECK_THROWS_WITH(
        group.all_reduce(zeros({2, 3}).t()),
        "all_reduce: \"tensor\" must be contiguous; pass tensor.contiguous() and copy "
        "the result back");
    CHECK_THROWS_WITH(group.all_reduce(zeros({2}, kLong), ReduceOp::AVG),
                      "all_reduce: the average of int64 tensors is not an integer; use "
                      "ReduceOp::SUM and divide");
    CHECK_THROWS_WITH(group.broadcast(zeros({2}), 1),
                      "broadcast: there is no rank 1; the group has ranks 0 to 0");
    CHECK_THROWS_WITH(group.all_gather({}, zeros({2})),
                      "all_gather: \"outputs\" has 0 tensors, but the group has 1 ranks; give one "
                      "tensor a rank");
    CHECK(group.sequence() == 0);
  });
}

TEST_CASE("a part may be where it belongs in the whole, and nowhere else") {
  for (const Device device : kDevices) {
    const std::string text =
        ": \"input\" shares memory with the tensor that is changed; use its clone()";
    const auto place = [](int of) { return 2 * of; };
    run_as_threads(1, [&](ProcessGroup& group) {  // of one rank, half of it is in no place
      const Tensor all = zeros({4}, TensorOptions(device));
      CHECK_THROWS_WITH(group.all_gather_into_tensor(all.narrow(0, 0, 2), all.narrow(0, 1, 2)),
                        "all_gather_into_tensor" + text);
      CHECK_THROWS_WITH(group.reduce_scatter_tensor(all.narrow(0, 1, 2), all.narrow(0, 0, 2)),
                        "reduce_scatter_tensor" + text);
    });
    std::vector<Tensor> gathered(2), reduced(2);
    run_as_threads(2, [&](ProcessGroup& group) {
      const Tensor all = full({4}, group.rank(), TensorOptions(kFloat).device(device));
      const Tensor mine = all.narrow(0, place(group.rank()), 2);
      group.all_gather_into_tensor(all, mine)->wait();
      gathered[static_cast<std::size_t>(group.rank())] = all.cpu().clone();
      group.reduce_scatter_tensor(mine, all)->wait();
      reduced[static_cast<std::size_t>(group.rank())] = mine.cpu().clone();
    });
    for (const Tensor& all : gathered) CHECK(all.equal(tensor({0.f, 0.f, 1.f, 1.f})));
    CHECK(reduced[0].equal(tensor({0.f, 0.f})));
    CHECK(reduced[1].equal(tensor({2.f, 2.f})));
  }
}

TEST_CASE("the blocking functions use the thread's own group") {
  std::vector<int> sums(2);
  CHECK_FALSE(is_initialized());
  run_as_threads(2, [&](ProcessGroup&) {
    Tensor t = full({1}, get_rank() + 1.0);
    all_reduce(t);
    sums[static_cast<std::size_t>(get_rank())] = t.item<int>() * get_world_size();
  });
  CHECK(sums == std::vector<int>{6, 6});
  CHECK_THROWS_WITH(get_rank(), Catch::Contains("call td::distributed::init_process_group"));
}

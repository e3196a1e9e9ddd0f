// Every collective over gloo's connections, between threads: values against plain loops.
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>

#include "catch.h"
#include "distributed/transport/gloo_connection.h"
#include "distributed/transport/transport.h"
#include "td/td.h"
#include "thread_ranks.h"

using namespace td;
using namespace td::distributed;

namespace {

// Rank r's element i: small integers, so that sums are exact in every type.
double value(int rank, std::int64_t i) { return static_cast<double>((i * 7 + rank * 3) % 11 + 1); }

Tensor values(int rank, std::int64_t n, ScalarType dtype) {
  Tensor t = empty({n}, kDouble);
  double* data = t.data_ptr<double>();
  for (std::int64_t i = 0; i < n; ++i) data[i] = value(rank, i);
  return t.to(dtype);
}

double expected(int ranks, std::int64_t i, ReduceOp op) {
  double result = value(0, i);
  for (int r = 1; r < ranks; ++r) {
    const double v = value(r, i);
    if (op == ReduceOp::MAX)
      result = std::max(result, v);
    else
      result += v;
  }
  return op == ReduceOp::AVG ? result / ranks : result;
}

CollectiveFingerprint key_of(CollectiveType type, std::uint64_t sequence, std::int64_t n,
                             ScalarType dtype, ReduceOp op = ReduceOp::SUM, int peer = 0) {
  CollectiveFingerprint key;
  key.sequence = sequence;
  key.numel = n;
  key.peer = peer;
  key.type = type;
  key.reduce = op;
  key.dtype = dtype;
  return key;
}

// The first element that is not `want(i)`, as text.
std::string fault(const Tensor& got, const std::function<double(std::int64_t)>& want) {
  const Tensor g = got.to(kDouble);
  for (std::int64_t i = 0; i < g.numel(); ++i)
    if (!(g.data_ptr<double>()[i] == want(i)))
      return "element " + std::to_string(i) + " is " + std::to_string(g.data_ptr<double>()[i]) +
             ", expected " + std::to_string(want(i));
  return "";
}

}  // namespace

TEST_CASE("all_reduce over gloo gives every rank the reduced elements") {
  // 0 and 1; odd; around the border between the two ways; several segments of a slice.
  const std::int64_t sizes[] = {0, 1, 31, 1023, 16384, 16385, 262145, 1000003};
  for (const int ranks : {1, 2, 3, 4}) {
    const auto transports = test::gloo_transports(ranks);
    std::uint64_t sequence = 0;
    for (const std::int64_t n : sizes)
      for (const ScalarType dtype : {kFloat, kDouble, kLong, kHalf, kBFloat16, kByte})
        for (const ReduceOp op : {ReduceOp::SUM, ReduceOp::AVG, ReduceOp::MAX}) {
          const bool whole = dtype == kLong || dtype == kByte;
          if (op == ReduceOp::AVG && (whole || ranks == 3)) continue;
          if (n > 20000 && dtype != kFloat && dtype != kBFloat16) continue;
          ++sequence;
          std::vector<std::string> faults(static_cast<std::size_t>(ranks));
          const auto errors = test::on_threads(ranks, [&](int rank) {
            Tensor t = values(rank, n, dtype);
            transports[rank]->all_reduce(key_of(CollectiveType::kAllReduce, sequence, n, dtype, op),
                                         t.data_ptr());
            faults[rank] = fault(t, [&](std::int64_t i) { return expected(ranks, i, op); });
          });
          INFO(ranks << " ranks, " << n << " x " << dtype << ' ' << reduce_name(op));
          CHECK(errors == std::vector<std::string>(static_cast<std::size_t>(ranks)));
          CHECK(faults == errors);
        }
  }
}

TEST_CASE("all_reduce over gloo is bitwise identical on all ranks, and adds in rank order") {
  for (const std::int64_t n : {4099, 300007}) {
    const auto transports = test::gloo_transports(3);
    std::vector<Tensor> data;
    manual_seed(7);
    for (int r = 0; r < 3; ++r) data.push_back(randn({n}));
    Tensor want = empty({n});
    const void* arrays[] = {data[0].data_ptr(), data[1].data_ptr(), data[2].data_ptr()};
    reduce_all(want.data_ptr(), arrays, 3, n, kFloat, ReduceOp::AVG);
    test::on_threads(3, [&](int rank) {
      transports[rank]->all_reduce(key_of(CollectiveType::kAllReduce, 1, n, kFloat, ReduceOp::AVG),
                                   data[rank].data_ptr());
    });
    for (const Tensor& t : data)
      CHECK(std::memcmp(t.data_ptr(), want.data_ptr(), static_cast<std::size_t>(n) * 4) == 0);
  }
}

TEST_CASE("the other collectives over gloo") {
  for (const int ranks : {1, 2, 3, 5})
    for (const std::int64_t n : {0, 1, 31, 1023, 262145}) {
      const auto transports = test::gloo_transports(ranks);
      std::vector<std::string> faults(static_cast<std::size_t>(ranks));
      const auto errors = test::on_threads(ranks, [&](int rank) {
        Transport& transport = *transports[rank];
        std::uint64_t sequence = 0;
        for (int root = 0; root < ranks; ++root) {
          Tensor t = values(rank, n, kFloat);
          transport.broadcast(
              key_of(CollectiveType::kBroadcast, ++sequence, n, kFloat, ReduceOp::SUM, root),
              t.data_ptr());
          faults[rank] += fault(t, [&](std::int64_t i) { return value(root, i); });
        }
        Tensor t = values(rank, n, kFloat);
        transport.reduce(key_of(CollectiveType::kReduce, ++sequence, n, kFloat, ReduceOp::SUM, 0),
                         t.data_ptr());
        if (rank == 0)
          faults[rank] +=
              fault(t, [&](std::int64_t i) { return expected(ranks, i, ReduceOp::SUM); });
        Tensor all = full({ranks * n}, -1.0);
        transport.all_gather(key_of(CollectiveType::kAllGather, ++sequence, n, kFloat),
                             values(rank, n, kFloat).data_ptr(), all.data_ptr());
        faults[rank] +=
            fault(all, [&](std::int64_t i) { return value(static_cast<int>(i / n), i % n); });
        Tensor mine = full({n}, -1.0);
        transport.reduce_scatter(key_of(CollectiveType::kReduceScatter, ++sequence, n, kFloat),
                                 values(rank, ranks * n, kFloat).data_ptr(), mine.data_ptr());
        faults[rank] += fault(
            mine, [&](std::int64_t i) { return expected(ranks, rank * n + i, ReduceOp::SUM); });
        transport.barrier(key_of(CollectiveType::kBarrier, ++sequence, 0, kFloat));
      });
      INFO(ranks << " ranks, " << n << " elements");
      CHECK(errors == std::vector<std::string>(static_cast<std::size_t>(ranks)));
      CHECK(faults == errors);
    }
}

TEST_CASE("messages over gloo run in both directions and keep their order") {
  const auto transports = test::gloo_transports(2);
  std::vector<std::string> faults(2);
  const auto errors = test::on_threads(2, [&](int rank) {
    for (int round = 0; round < 3; ++round) {
      const Tensor out = values(rank + round, 1023, kFloat);
      Tensor in = zeros({1023});
      CollectiveFingerprint key =
          key_of(CollectiveType::kSend, 0, 1023, kFloat, ReduceOp::SUM, 1 - rank);
      key.tag = 5;
      std::thread sender([&] { transports[rank]->send(key, out.data_ptr()); });
      key.type = CollectiveType::kReceive;
      transports[rank]->receive(key, in.data_ptr());
      sender.join();
      faults[rank] += fault(in, [&](std::int64_t i) { return value(1 - rank + round, i); });
    }
  });
  CHECK(errors == std::vector<std::string>(2));
  CHECK(faults == errors);
}

TEST_CASE("a connection that breaks while gloo writes does not terminate the process") {
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  ::close(ends[0]);
  {
    const NoPipeSignal quiet;
    CHECK(::write(ends[1], "x", 1) == -1);
  }
  ::close(ends[1]);
  sigset_t pending, blocked;
  sigpending(&pending);
  pthread_sigmask(SIG_BLOCK, nullptr, &blocked);
  CHECK_FALSE(sigismember(&pending, SIGPIPE));
  CHECK_FALSE(sigismember(&blocked, SIGPIPE));
  // gloo's threads write as well.
  const auto transports = test::gloo_transports(2);
  int held_off = 0;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
    std::ifstream status(task.path() / "status");
    for (std::string line; std::getline(status, line);)
      if (line.rfind("SigBlk:", 0) == 0)
        held_off += std::stoull(line.substr(7), nullptr, 16) >> (SIGPIPE - 1) & 1;
  }
  CHECK(held_off >= 2);  // a sanitizer has a thread of its own
}

TEST_CASE("abort ends a wait immediately, and every later call") {
  const auto transports = test::gloo_transports(2);
  std::string later;
  const auto errors = test::on_threads(2, [&](int rank) {
    if (rank == 1) {
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
      transports[0]->abort("because");
      return;
    }
    Tensor t = zeros({300000});
    try {
      transports[0]->all_reduce(key_of(CollectiveType::kAllReduce, 1, 300000, kFloat),
                                t.data_ptr());
    } catch (const DistributedError& e) {
      later = e.what();
    }
    transports[0]->barrier(key_of(CollectiveType::kBarrier, 2, 0, kFloat));
  });
  CHECK(later == "because");
  CHECK(errors[0] == "because");
}

// NCCL on this machine's GPUs, one thread per rank: on one GPU every collective is a copy, which
// still goes through the streams and events; on several the values are checked against plain loops.
#include <thread>

#include "catch.h"
#include "distributed/distributed.h"
#include "nccl_groups.h"

using namespace td;
using namespace td::distributed;
using nccl_groups::member_of;
using nccl_groups::on_all_gpus;
using nccl_groups::Table;

namespace {

double value(int rank, std::int64_t i) { return static_cast<double>((i * 7 + rank * 3) % 11 + 1); }

Tensor values(int rank, std::int64_t n, ScalarType dtype, Device device) {
  std::vector<double> numbers(static_cast<std::size_t>(n));
  for (std::int64_t i = 0; i < n; ++i) numbers[static_cast<std::size_t>(i)] = value(rank, i);
  return from_blob(numbers.data(), {n}, kDouble).to(dtype).to(device);
}

template <class Expected>
void require(const char* what, const Tensor& t, Expected&& expected) {
  const Tensor got = t.to(kCPU).to(kDouble);
  for (std::int64_t i = 0; i < got.numel(); ++i)
    if (!(got.data_ptr<double>()[i] == expected(i)))
      throw Error(std::string(what) + ": element " + std::to_string(i) + " is " +
                  std::to_string(got.data_ptr<double>()[i]));
}

double sum(int ranks, std::int64_t i) {
  double result = 0;
  for (int r = 0; r < ranks; ++r) result += value(r, i);
  return result;
}

const std::vector<std::string> none() {
  return std::vector<std::string>(static_cast<std::size_t>(device_count(kCUDA)));
}

}  // namespace

TEST_CASE("all_reduce over NCCL, in every type") {
  CHECK(on_all_gpus([](ProcessGroup& group, Device device) {
          for (const ScalarType dtype : {kFloat, kDouble, kLong, kInt, kByte, kHalf, kBFloat16})
            for (const std::int64_t n : {0, 1, 33, 100'003}) {
              const Tensor t = values(group.rank(), n, dtype, device);
              group.all_reduce(t)->wait();
              require("sum", t, [&](std::int64_t i) { return sum(group.size(), i); });
            }
          const Tensor mean = full({5}, group.rank() + 1.0, TensorOptions().device(device));
          group.all_reduce(mean, ReduceOp::AVG)->wait();
          require("avg", mean, [&](std::int64_t) { return (group.size() + 1) / 2.0; });
          const Tensor any = full({3}, 0.0, TensorOptions().device(device)).to(kBool);
          if (group.rank() == 0) any.fill_(1.0);
          group.all_reduce(any, ReduceOp::MAX)->wait();
          require("any", any, [](std::int64_t) { return 1; });
        }) == none());
}

TEST_CASE("the other collectives over NCCL") {
  CHECK(on_all_gpus([](ProcessGroup& group, Device device) {
          const int ranks = group.size(), rank = group.rank();
          const std::int64_t n = 1023;
          const auto mine = [&] { return values(rank, n, kFloat, device); };
          Tensor t = mine();
          group.broadcast(t, ranks - 1)->wait();
          require("broadcast", t, [&](auto i) { return value(ranks - 1, i); });
          t = mine();
          group.reduce(t, 0)->wait();
          if (rank == 0) require("reduce", t, [&](auto i) { return sum(ranks, i); });
          Tensor all = empty({ranks * n}, t.options());
          group.all_gather_into_tensor(all, mine())->wait();
          require("all_gather", all, [&](auto i) { return value(static_cast<int>(i / n), i % n); });
          group.reduce_scatter_tensor(t, values(rank, ranks * n, kFloat, device))->wait();
          require("reduce_scatter", t, [&](auto i) { return sum(ranks, rank * n + i); });
          group.barrier()->wait();
          if (ranks == 1) return;
          const auto sent = group.send(mine(), (rank + 1) % ranks);
          group.recv(t, (rank + ranks - 1) % ranks)->wait();
          sent->wait();
          while (!sent->is_completed()) std::this_thread::yield();
          require("recv", t, [&](auto i) { return value((rank + ranks - 1) % ranks, i); });
        }) == none());
}

TEST_CASE("NCCL waits for the work before it, and the work after it for NCCL") {
  CHECK(on_all_gpus([](ProcessGroup& group, Device device) {
          const std::int64_t n = 1 << 22;
          for (int round = 0; round < 20; ++round) {
            Tensor t = zeros({n}, TensorOptions().device(device));
            for (int k = 0; k < 10; ++k) t.add_(1.0);  // still running when NCCL is asked
            const auto work = group.all_reduce(t);
            work->wait();
            t.mul_(2.0);
            const double expected = 20.0 * group.size();
            if (t.min().item<double>() != expected || t.max().item<double>() != expected)
              throw Error("round " + std::to_string(round));
          }
        }) == none());
}

TEST_CASE("a collective is a span in the row of its stream, after its launch") {
  const auto sums_on_all_gpus = [] {
    return on_all_gpus([](ProcessGroup& group, Device device) {
      const Tensor t = full({1000}, 1.0, TensorOptions().device(device));
      group.all_reduce(t)->wait();
      synchronize(device);
    });
  };
  CHECK(sums_on_all_gpus() == none());  // the first use takes its time
  trace::start();
  CHECK(sums_on_all_gpus() == none());
  const trace::Trace seen = trace::stop();
  int sums = 0, launches = 0;
  for (const trace::SpanRecord& span : seen.spans) {
    if (std::string(span.name) != "all_reduce") continue;
    launches += span.category == trace::Category::kLaunch;
    if (span.category != trace::Category::kCollective) continue;
    ++sums;
    CHECK(span.bytes == 4000);
    CHECK(span.end > span.begin);
    const trace::Track& row = seen.tracks[span.track];
    CHECK(row.kind == trace::TrackKind::kStream);
    CHECK(row.device.find("cuda:") == 0);
    CHECK_THAT(row.name, Catch::EndsWith(", collectives"));
  }
  CHECK(sums == device_count(kCUDA));
  CHECK(launches == sums);
}

TEST_CASE("two ranks on one GPU are an error before NCCL is called") {
  Table table(2);
  std::vector<std::string> errors(2);
  std::vector<std::thread> threads;
  for (int r = 0; r < 2; ++r)
    threads.emplace_back([&, r] {
      try {
        join_nccl(member_of(r, 2, table), nccl_device(0));
      } catch (const DeviceError& e) {
        errors[static_cast<std::size_t>(r)] = e.what();
      }
    });
  for (auto& thread : threads) thread.join();
  CHECK(errors[0].find("ranks 0 and 1 have the same GPU of host ") == 0);
  CHECK(errors[1] == errors[0]);
}

TEST_CASE("a group of one GPU is made without a launcher") {
  init_process_group("nccl");
  CHECK(std::string(default_group().transport()) == "nccl");
  Tensor t = full({3}, 2.0, TensorOptions().device(Device(kCUDA, 0)));
  all_reduce(t, ReduceOp::AVG);
  barrier();
  CHECK(t.sum().item<double>() == 6);
  CHECK_THROWS_WITH(all_reduce(zeros({2})), Catch::Contains("the tensor is on cpu"));
  destroy_process_group();
}

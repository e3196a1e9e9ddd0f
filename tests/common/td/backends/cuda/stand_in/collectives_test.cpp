// What the collectives of the stand-in for NCCL compute, in every element type, with counts that
// are not multiples of a block, in place and out of place. They must agree with loops over float64.
// There are as many ranks as GPUs.
#include <cmath>

#include "catch.h"
#include "nccl_ranks.h"

using namespace td;
using fake::must;
using fake::Rank;

namespace {

using Texts = std::vector<std::string>;

int ranks() { return static_cast<int>(device_count(kCUDA)); }
const std::int64_t kCounts[] = {1, 3, 33, 9'001};  // the last one needs several pieces

ncclDataType_t nccl_type(ScalarType type) {
  constexpr ncclDataType_t kTypes[] = {ncclUint8,   ncclInt32,   ncclInt64, ncclFloat16,
                                       ncclFloat32, ncclFloat64, ncclUint8, ncclBfloat16};
  return kTypes[static_cast<int>(type)];
}

// Small integers, so that sums and products of three ranks are exact in every type.
double value(int rank, std::int64_t i) { return static_cast<double>((i * 7 + rank * 5) % 4 + 1); }

Tensor values(const Rank& rank, std::int64_t n, ScalarType type) {
  std::vector<double> numbers(static_cast<std::size_t>(n));
  for (std::int64_t i = 0; i < n; ++i) numbers[static_cast<std::size_t>(i)] = value(rank.rank, i);
  return from_blob(numbers.data(), {n}, kDouble).to(type).to(rank.device);
}

/// What all ranks' elements i combine to.
double combined(ncclRedOp_t op, int ranks, std::int64_t i) {
  double result = value(0, i);
  for (int r = 1; r < ranks; ++r) {
    const double next = value(r, i);
    if (op == ncclSum || op == ncclAvg) result += next;
    if (op == ncclProd) result *= next;
    if (op == ncclMin) result = std::min(result, next);
    if (op == ncclMax) result = std::max(result, next);
  }
  return op == ncclAvg ? result / ranks : result;
}

template <class Expected>
void require(const std::string& what, const Tensor& t, double tolerance, Expected expected) {
  const Tensor host = t.to(kCPU).to(kDouble);
  for (std::int64_t i = 0; i < host.numel(); ++i) {
    const double got = host.data_ptr<double>()[i];
    must(std::abs(got - expected(i)) <= tolerance, what + ": element " + std::to_string(i) +
                                                       " is " + std::to_string(got) + ", not " +
                                                       std::to_string(expected(i)));
  }
}

/// Calls work(type, count, op, name, tolerance) for all that may be combined.
template <class Work>
void for_all_reductions(Work work) {
  constexpr const char* kNames[] = {"sum", "prod", "max", "min", "avg"};
  for (const ScalarType type : {kByte, kInt, kLong, kHalf, kFloat, kDouble, kBFloat16})
    for (const ncclRedOp_t op : {ncclSum, ncclProd, ncclMax, ncclMin, ncclAvg})
      for (const std::int64_t n : kCounts) {
        if (op == ncclAvg && !is_floating_point(type)) continue;
        const double tolerance = op != ncclAvg ? 0 : type == kBFloat16 ? 0.02 : 0.003;
        work(type, n, op, std::string(dtype_name(type)) + ' ' + kNames[op], tolerance);
      }
}

TEST_CASE("all_reduce and reduce combine the elements of all ranks") {
  CHECK(fake::on_ranks(ranks(), [](const Rank& rank) {
          for_all_reductions([&](ScalarType type, std::int64_t n, ncclRedOp_t op,
                                 const std::string& what, double tolerance) {
            const auto expected = [&](std::int64_t i) { return combined(op, rank.size, i); };
            const auto count = static_cast<std::size_t>(n);
            const int root = static_cast<int>(n) % rank.size;
            Tensor in = values(rank, n, type), out = zeros({n}, in.options());
            rank.done(ncclAllReduce(in.data_ptr(), out.data_ptr(), count, nccl_type(type), op,
                                    rank.comm, rank.native()));
            require("all_reduce " + what, out, tolerance, expected);
            require("its input", in, 0, [&](std::int64_t i) { return value(rank.rank, i); });
            rank.done(ncclReduce(in.data_ptr(), in.data_ptr(), count, nccl_type(type), op, root,
                                 rank.comm, rank.native()));
            if (rank.rank == root) require("reduce " + what, in, tolerance, expected);
          });
        }) == Texts(static_cast<std::size_t>(ranks())));
}

TEST_CASE("reduce_scatter gives each rank its part") {
  CHECK(fake::on_ranks(ranks(), [](const Rank& rank) {
          for_all_reductions([&](ScalarType type, std::int64_t n, ncclRedOp_t op,
                                 const std::string& what, double tolerance) {
            const auto expected = [&](std::int64_t i) {
              return combined(op, rank.size, rank.rank * n + i);
            };
            const auto count = static_cast<std::size_t>(n);
            Tensor in = values(rank, n * rank.size, type), out = zeros({n}, in.options());
            rank.done(ncclReduceScatter(in.data_ptr(), out.data_ptr(), count, nccl_type(type), op,
                                        rank.comm, rank.native()));
            require("reduce_scatter " + what, out, tolerance, expected);
            Tensor own = in.narrow(0, rank.rank * n, n);
            rank.done(ncclReduceScatter(in.data_ptr(), own.data_ptr(), count, nccl_type(type), op,
                                        rank.comm, rank.native()));
            require("reduce_scatter in place " + what, own, tolerance, expected);
          });
        }) == Texts(static_cast<std::size_t>(ranks())));
}

TEST_CASE("broadcast and all_gather move the elements of ranks") {
  CHECK(fake::on_ranks(ranks(), [](const Rank& rank) {
          for (const ScalarType type : {kByte, kInt, kLong, kHalf, kFloat, kDouble, kBFloat16})
            for (const std::int64_t n : kCounts) {
              const auto count = static_cast<std::size_t>(n);
              const int root = static_cast<int>(n) % rank.size;
              Tensor in = values(rank, n, type), out = zeros({n}, in.options());
              Tensor all = zeros({n * rank.size}, in.options());
              rank.done(ncclBroadcast(in.data_ptr(), out.data_ptr(), count, nccl_type(type), root,
                                      rank.comm, rank.native()));
              require("broadcast", out, 0, [&](std::int64_t i) { return value(root, i); });
              const auto expected = [&](std::int64_t i) {
                return value(static_cast<int>(i / n), i % n);
              };
              rank.done(ncclAllGather(in.data_ptr(), all.data_ptr(), count, nccl_type(type),
                                      rank.comm, rank.native()));
              require("all_gather", all, 0, expected);
              all.zero_();
              Tensor own = all.narrow(0, rank.rank * n, n);
              own.copy_(in);
              rank.done(ncclAllGather(own.data_ptr(), all.data_ptr(), count, nccl_type(type),
                                      rank.comm, rank.native()));
              require("all_gather in place", all, 0, expected);
            }
        }) == Texts(static_cast<std::size_t>(ranks())));
}

TEST_CASE("sums of 16-bit elements are rounded once") {
  if (ranks() < 3) return;
  CHECK(
      fake::on_ranks(3, [](const Rank& rank) {
        for (const auto& [type, large] : {std::pair(kHalf, 2048.0), std::pair(kBFloat16, 256.0)}) {
          const Tensor t =
              full({5}, rank.rank == 0 ? large : 1, TensorOptions(rank.device)).to(type);
          rank.done(ncclAllReduce(t.data_ptr(), t.data_ptr(), 5, nccl_type(type), ncclSum,
                                  rank.comm, rank.native()));
          require("sum", t, 0, [&, exact = large + 2](std::int64_t) { return exact; });
        }
      }) == Texts(3));
}

TEST_CASE("sends and receives of one group form a ring") {
  CHECK(fake::on_ranks(ranks(), [](const Rank& rank) {
          const int next = (rank.rank + 1) % rank.size;
          const int last = (rank.rank + rank.size - 1) % rank.size;
          for (const std::int64_t n : kCounts) {
            const auto count = static_cast<std::size_t>(n);
            const Tensor in = values(rank, n, kHalf), twice = in + in;
            const Tensor out = zeros({n}, in.options()), second = zeros({n}, in.options());
            ncclGroupStart();
            ncclSend(in.data_ptr(), count, ncclFloat16, next, rank.comm, rank.native());
            ncclSend(twice.data_ptr(), count, ncclFloat16, next, rank.comm, rank.native());
            ncclRecv(out.data_ptr(), count, ncclFloat16, last, rank.comm, rank.native());
            ncclRecv(second.data_ptr(), count, ncclFloat16, last, rank.comm, rank.native());
            rank.done(ncclGroupEnd());
            require("the first", out, 0, [&](std::int64_t i) { return value(last, i); });
            require("the second", second, 0, [&](std::int64_t i) { return 2 * value(last, i); });
          }
        }) == Texts(static_cast<std::size_t>(ranks())));
}

}  // namespace

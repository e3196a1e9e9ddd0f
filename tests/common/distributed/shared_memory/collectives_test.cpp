// The collectives of the shared-memory transport, in place and through the stage, against plain
// loops.
#include <cmath>

#include "catch.h"
#include "shared_ranks.h"

using namespace td;
using namespace td::distributed;

namespace {

// Where a rank's tensors are stored: in shared memory, outside of it, or one in each.
enum class Where { kShared, kOutside, kMixed };

const std::int64_t kSizes[] = {0, 1, 31, 33, 1023};
// More floats than a piece of the stage.
constexpr std::int64_t kLarge = 70000;

double value(int rank, std::int64_t i) { return static_cast<double>((i * 7 + rank * 3) % 11 + 1); }

Tensor make(ProcessGroupHost& group, Where where, std::int64_t n, ScalarType dtype) {
  const bool shared = where == Where::kShared || (where == Where::kMixed && group.rank() % 2 == 0);
  const TensorOptions options = TensorOptions().dtype(dtype);
  return shared ? group.empty_shared(n, options) : empty({n}, options);
}

// Rank r's element i, small integers: sums are exact in every type.
Tensor values(ProcessGroupHost& group, Where where, std::int64_t n, ScalarType dtype) {
  std::vector<double> numbers(static_cast<std::size_t>(n));
  for (std::int64_t i = 0; i < n; ++i) numbers[i] = value(group.rank(), i);
  Tensor t = make(group, where, n, dtype);
  if (n) t.copy_(from_blob(numbers.data(), {n}, kDouble));
  return t;
}

// The first element that is wrong, "" when all are right.
template <class Expected>
std::string fault(const char* what, const Tensor& t, Expected&& expected) {
  const Tensor got = t.to(kDouble);
  const double* p = got.numel() ? got.data_ptr<double>() : nullptr;
  for (std::int64_t i = 0; i < got.numel(); ++i)
    if (!(p[i] == expected(i)))
      return std::string(what) + ": element " + std::to_string(i) + " is " + std::to_string(p[i]) +
             ", expected " + std::to_string(expected(i));
  return {};
}

double reduced(int ranks, std::int64_t i, ReduceOp op) {
  double result = value(0, i);
  for (int r = 1; r < ranks; ++r) {
    const double v = value(r, i);
    result = op == ReduceOp::MAX       ? std::max(result, v)
             : op == ReduceOp::MIN     ? std::min(result, v)
             : op == ReduceOp::PRODUCT ? result * v
                                       : result + v;
  }
  return op == ReduceOp::AVG ? result / ranks : result;
}

void require_none(const std::string& fault) {
  if (!fault.empty()) throw Error(fault);
}

void check_all_reduce(ProcessGroupHost& group, Where where, std::int64_t n, ScalarType dtype,
                      ReduceOp op) {
  Tensor t = values(group, where, n, dtype);
  group.all_reduce(t, op)->wait();
  const CollectiveFingerprint key{0, n, 0, 0, CollectiveType::kAllReduce, op, dtype};
  require_none(
      fault(describe(key).c_str(), t, [&](auto i) { return reduced(group.size(), i, op); }));
}

void check_collectives(ProcessGroupHost& group, Where where, std::int64_t n, ScalarType dtype) {
  const int ranks = group.size(), rank = group.rank();
  const TensorOptions options = TensorOptions().dtype(dtype);
  Tensor t = values(group, where, n, dtype);
  for (const int root : {0, ranks - 1}) {
    t = values(group, where, n, dtype);
    group.broadcast(t, root)->wait();
    require_none(fault("broadcast", t, [&](std::int64_t i) { return value(root, i); }));
    t = values(group, where, n, dtype);
    group.reduce(t, root)->wait();
    if (rank == root)
      require_none(fault("reduce", t, [&](auto i) { return reduced(ranks, i, ReduceOp::SUM); }));
    else  // the others' tensors are as they were
      require_none(fault("reduce", t, [&](auto i) { return value(rank, i); }));
  }
  Tensor all = empty({n * ranks}, options);
  group.all_gather_into_tensor(all, values(group, where, n, dtype))->wait();
  require_none(
      fault("all_gather", all, [&](auto i) { return value(static_cast<int>(i / n), i % n); }));

  Tensor slice = empty({n}, options), many = make(group, where, n * ranks, dtype);
  many.copy_(values(group, Where::kOutside, n * ranks, dtype));
  group.reduce_scatter_tensor(slice, many)->wait();
  require_none(fault("reduce_scatter", slice,
                     [&](auto i) { return reduced(ranks, rank * n + i, ReduceOp::SUM); }));
  group.barrier()->wait();
}

}  // namespace

TEST_CASE("all_reduce over shared memory gives every rank the reduced elements") {
  for (const Where where : {Where::kShared, Where::kOutside, Where::kMixed})
    for (const int ranks : {1, 2, 3, 4}) {
      INFO(static_cast<int>(where) << ", " << ranks << " ranks");
      CHECK(run_shared(ranks, Views::kOwn, [&](ProcessGroupHost& group) {
              for (const std::int64_t n : kSizes)
                for (const ScalarType dtype : {kFloat, kDouble, kLong, kInt, kHalf, kBFloat16})
                  for (const ReduceOp op : {ReduceOp::SUM, ReduceOp::MAX, ReduceOp::MIN})
                    check_all_reduce(group, where, n, dtype, op);
              check_all_reduce(group, where, kLarge, kFloat, ReduceOp::SUM);
              check_all_reduce(group, where, 2 * kLarge, kHalf, ReduceOp::MAX);
            }) == std::vector<std::string>(static_cast<std::size_t>(ranks)));
    }
}

TEST_CASE("the other collectives over shared memory") {
  for (const Where where : {Where::kShared, Where::kOutside, Where::kMixed})
    for (const int ranks : {1, 2, 3}) {
      INFO(static_cast<int>(where) << ", " << ranks << " ranks");
      CHECK(run_shared(ranks, Views::kOwn, [&](ProcessGroupHost& group) {
              for (const std::int64_t n : kSizes)
                for (const ScalarType dtype : {kFloat, kLong, kHalf})
                  check_collectives(group, where, n, dtype);
              check_collectives(group, where, kLarge, kFloat);
            }) == std::vector<std::string>(static_cast<std::size_t>(ranks)));
    }
}

TEST_CASE("collectives of all kinds follow each other in one mapping") {
  const auto errors = run_shared(3, Views::kOne, [](ProcessGroupHost& group) {
    for (int round = 0; round < 4; ++round)
      for (const Where where : {Where::kShared, Where::kOutside, Where::kMixed})
        check_collectives(group, where, round == 2 ? kLarge : 33, kInt);
    for (int round = 0; round < 200; ++round) {
      Tensor t = values(group, round % 3 ? Where::kShared : Where::kOutside, 100, kFloat);
      group.all_reduce(t)->wait();
      require_none(fault("all_reduce", t, [](auto i) { return reduced(3, i, ReduceOp::SUM); }));
    }
  });
  CHECK(errors == std::vector<std::string>(3));
}

TEST_CASE("the sum of rounded numbers is bitwise identical on all ranks, in any memory") {
  for (const int ranks : {2, 3, 5}) {
    std::vector<std::vector<float>> results(static_cast<std::size_t>(2 * ranks));
    const auto errors = run_shared(ranks, Views::kOwn, [&](ProcessGroupHost& group) {
      for (const bool shared : {false, true}) {
        Tensor t = make(group, shared ? Where::kShared : Where::kOutside, 70001, kFloat);
        for (std::int64_t i = 0; i < t.numel(); ++i)
          t.data_ptr<float>()[i] = std::sin(static_cast<float>(i * ranks + group.rank()));
        group.all_reduce(t, ReduceOp::AVG)->wait();
        results[2 * group.rank() + shared].assign(t.data_ptr<float>(),
                                                  t.data_ptr<float>() + t.numel());
      }
    });
    INFO(ranks << " ranks");
    CHECK(errors == std::vector<std::string>(static_cast<std::size_t>(ranks)));
    std::string different;
    for (std::size_t r = 1; r < results.size(); ++r)
      if (results[r] != results[0]) different += std::to_string(r) + " ";
    CHECK(different == "");
    double worst = 0;
    for (std::int64_t i = 0; i < 70001; ++i) {
      double sum = 0;
      for (int r = 0; r < ranks; ++r)
        sum += static_cast<double>(std::sin(static_cast<float>(i * ranks + r)));
      worst = std::max(worst, std::abs(sum / ranks - static_cast<double>(results[0][i])));
    }
    CHECK(worst < 2e-7);
  }
}

TEST_CASE("parts of tensors in shared memory are reduced in place, at other offsets in each rank") {
  const auto errors = run_shared(2, Views::kOwn, [](ProcessGroupHost& group) {
    Tensor whole = group.empty_shared(1000, kFloat);
    whole.fill_(-1.0);
    Tensor part = whole.slice(0, 3 + group.rank() * 100, 503 + group.rank() * 100);
    for (std::int64_t i = 0; i < 500; ++i) part.data_ptr<float>()[i] = value(group.rank(), i);
    group.all_reduce(part)->wait();
    require_none(fault("part", part, [](auto i) { return reduced(2, i, ReduceOp::SUM); }));
    require_none(
        fault("before", whole.slice(0, 0, 3 + group.rank() * 100), [](auto) { return -1.0; }));
    require_none(
        fault("behind", whole.slice(0, 503 + group.rank() * 100, 1000), [](auto) { return -1.0; }));
  });
  CHECK(errors == std::vector<std::string>(2));
}

TEST_CASE("send and recv over shared memory, small and large, both ways concurrently") {
  for (const Views views : {Views::kOwn, Views::kOne})
    CHECK(run_shared(3, views, [](ProcessGroupHost& group) {
            const int rank = group.rank(), next = (rank + 1) % 3, last = (rank + 2) % 3;
            for (const std::int64_t n : {0, 1, 1023, 16384, 70001})
              for (int round = 0; round < 5; ++round) {
                const auto sent =
                    group.send(values(group, Where::kOutside, n, kFloat), next, round);
                Tensor t = empty({n});
                group.recv(t, last, round)->wait();
                sent->wait();
                require_none(fault("recv", t, [&](auto i) { return value(last, i); }));
              }
          }) == std::vector<std::string>(3));
}

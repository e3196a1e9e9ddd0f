// Tests of metric: accuracies that are known without a model, for all ways in which samples divide.
#include "exercises.h"
#include "ranks.h"

namespace {

// The rows of one rank: row i is sample (i * ranks + rank) % size. The class of sample n is n % 3,
// and the target of the samples in `wrong` is another one.
struct Rows {
  td::Tensor output, target;
};

Rows rows_of(std::int64_t size, int ranks, int rank, const std::vector<std::int64_t>& wrong) {
  const std::int64_t each = (size + ranks - 1) / ranks;
  Rows rows{td::zeros({each, 3}), td::zeros({each}, td::TensorOptions(td::kInt64))};
  for (std::int64_t i = 0; i < each; ++i) {
    const std::int64_t n = (i * ranks + rank) % size;
    const bool right = std::find(wrong.begin(), wrong.end(), n) == wrong.end();
    rows.output.data_ptr<float>()[i * 3 + n % 3] = 2;
    rows.target.data_ptr<std::int64_t>()[i] = right ? n % 3 : (n + 1) % 3;
  }
  return rows;
}

void expect_accuracy(std::int64_t size, int ranks, const std::vector<std::int64_t>& wrong,
                     const std::string& why, const td::Device& device = td::kCPU) {
  std::vector<double> got(static_cast<std::size_t>(ranks));
  run_ranks(ranks, [&](ProcessGroup& group) {
    const Rows rows = rows_of(size, ranks, group.rank(), wrong);
    got[static_cast<std::size_t>(group.rank())] =
        accuracy(rows.output.to(device), rows.target.to(device), size, group);
    group.barrier()->wait();
  });
  const double expected = static_cast<double>(size - std::ssize(wrong)) / static_cast<double>(size);
  for (int r = 0; r < ranks; ++r)
    check::expect_close(got[static_cast<std::size_t>(r)], expected, 1e-12,
                        "the accuracy on " + rank_name(r, ranks) + ", " + std::to_string(size) +
                            " samples, " + why);
}

}  // namespace

TEST_CASE("padded samples do not count", "[metric]") {
  expect_accuracy(5, 2, {0}, "of which sample 0, which rank 1 has again, is wrong");
  expect_accuracy(10, 4, {0, 1}, "of which the two that are padded are wrong");
  expect_accuracy(10, 4, {8, 9}, "of which the last two are wrong");
  expect_accuracy(31, 3, {30}, "of which the last one is wrong");
}

TEST_CASE("all samples count if none is padded", "[metric]") {
  expect_accuracy(12, 3, {0, 11}, "which divide evenly");
  expect_accuracy(7, 1, {6}, "on one rank");
}

TEST_CASE("there may be fewer samples than ranks", "[metric]") {
  expect_accuracy(2, 5, {1}, "for 5 ranks");
  expect_accuracy(1, 3, {}, "for 3 ranks");
  expect_accuracy(3, 4, {0, 2}, "for 4 ranks");
}

TEST_CASE("any number of samples and ranks", "[metric]") {
  for (const std::int64_t size : {4, 9, 13, 33})
    for (const int ranks : {2, 3, 4})
      expect_accuracy(size, ranks, {0, size / 2, size - 1}, "of which three are wrong");
}

TEST_CASE("outputs on an accelerator", "[metric]") {
  expect_accuracy(5, 2, {0, 4}, "of which two are wrong, on sim:0", "sim:0");
}

TEST_CASE("ranks without samples make the same calls", "[metric]") {
  for (const std::int64_t size : {1, 5, 6}) {
    std::vector<std::size_t> calls(3);
    run_ranks(
        3,
        [&](ProcessGroup& group) {
          CountedGroup counted(group);
          const Rows rows = rows_of(size, 3, group.rank(), {});
          try {  // a rank that waits for another one ends with an error after 2 seconds
            accuracy(rows.output, rows.target, size, counted);
          } catch (const std::exception&) {
          }
          calls[static_cast<std::size_t>(group.rank())] = counted.calls.size();
        },
        std::chrono::seconds(2));
    check::expect(calls != std::vector<std::size_t>(3),
                  "no rank calls a collective, so no rank knows the results of the others");
    for (std::size_t r = 1; r < 3; ++r)
      check::expect(calls[r] == calls[0],
                    "with " + std::to_string(size) + " samples, rank 0 calls " +
                        std::to_string(calls[0]) + " collectives and rank " + std::to_string(r) +
                        " calls " + std::to_string(calls[r]) + ": the program hangs");
  }
}

TEST_CASE("the sum of the counts is waited for", "[metric]") {
  expect_waits([](ProcessGroup& group) {
    const Rows rows = rows_of(5, 2, group.rank(), {});
    accuracy(rows.output, rows.target, 5, group);
  });
}

TEST_CASE("counts are summed exactly", "[metric]") {
  std::vector<td::distributed::CollectiveFingerprint> calls;
  run_ranks(1, [&](ProcessGroup& group) {
    CountedGroup counted(group);
    const Rows rows = rows_of(5, 1, 0, {});
    accuracy(rows.output, rows.target, 5, counted);
    calls = counted.calls;
  });
  for (const auto& call : calls)
    check::expect(call.dtype == td::kInt64 || call.dtype == td::kDouble || call.numel == 0,
                  "a count is summed as " + td::str(call.dtype) +
                      ", which cannot hold all counts: use kInt64 or kDouble");
}

// Tests of repair_hang: that every rank takes part and waits, and that each sample counts once.
#include "exercises.h"
#include "ranks.h"

namespace {

/// Returns its input, and writes down which samples it has seen: the first elements of the rows.
struct SeenImpl : td::nn::Module {
  explicit SeenImpl(std::vector<double>& seen) : samples(seen) {}
  td::Tensor forward(const td::Tensor& x) {
    for (const double first : check::values(x.select(1, 0))) samples.push_back(first);
    trained = trained || is_training();
    return x;
  }
  std::vector<double>& samples;
  bool trained = false;
};
TD_MODULE(Seen);

/// Keeps the order of the outputs, so the class is the index of the largest input.
td::nn::Sequential make_model() { return td::nn::Sequential(td::nn::Tanh()); }

/// Evaluates `samples` samples, of which those with an index in `wrong` have another target, on
/// every rank. The expected accuracy needs no model.
void expect_accuracy(std::int64_t samples, std::int64_t batch_size, int ranks,
                     const std::vector<std::int64_t>& wrong, const std::string& why) {
  td::Tensor data = td::zeros({samples, 3});
  td::Tensor target = td::zeros({samples}, td::TensorOptions(td::kInt64));
  for (std::int64_t i = 0; i < samples; ++i) {
    data.data_ptr<float>()[i * 3 + i % 3] = 1;
    target.data_ptr<std::int64_t>()[i] = i % 3;
  }
  for (const std::int64_t i : wrong) target.data_ptr<std::int64_t>()[i] = (i + 1) % 3;
  std::vector<double> got(static_cast<std::size_t>(ranks));
  run_ranks(ranks, [&](ProcessGroup& group) {
    td::nn::Sequential model = make_model();
    got[static_cast<std::size_t>(group.rank())] = evaluate(model, data, target, batch_size, group);
    group.barrier()->wait();
  });
  const double expected =
      static_cast<double>(samples - std::ssize(wrong)) / static_cast<double>(samples);
  for (int r = 0; r < ranks; ++r)
    check::expect_close(got[static_cast<std::size_t>(r)], expected, 1e-12,
                        "the accuracy on " + rank_name(r, ranks) + ", " + std::to_string(samples) +
                            " samples in batches of " + std::to_string(batch_size) + ", " + why);
}

}  // namespace

TEST_CASE("every rank calls the same collectives", "[repair_hang]") {
  for (const std::int64_t samples : {1, 8, 13}) {
    std::vector<std::size_t> calls(3);
    run_ranks(
        3,
        [&](ProcessGroup& group) {
          // A rank that waits for a missing one ends with an error after 2 seconds; its calls
          // count.
          const auto rank = static_cast<std::size_t>(group.rank());
          td::nn::Sequential model = make_model();
          CountedGroup counted(group);
          try {
            evaluate(model, td::ones({samples, 2}),
                     td::zeros({samples}, td::TensorOptions(td::kInt64)), 4, counted);
          } catch (const std::exception&) {
          }
          calls[rank] = counted.calls.size();
        },
        std::chrono::seconds(2));
    check::expect(calls != std::vector<std::size_t>(3),
                  "no rank calls a collective, so no rank knows the results of the others");
    for (std::size_t r = 1; r < 3; ++r)
      check::expect(calls[r] == calls[0],
                    "with " + std::to_string(samples) + " samples in batches of 4, rank 0 calls " +
                        std::to_string(calls[0]) + " collectives and rank " + std::to_string(r) +
                        " calls " + std::to_string(calls[r]) + ": the program hangs");
  }
}

TEST_CASE("each collective is waited for", "[repair_hang]") {
  expect_waits([](ProcessGroup& group) {
    td::nn::Sequential model = make_model();
    evaluate(model, td::ones({9, 2}), td::zeros({9}, td::TensorOptions(td::kInt64)), 4, group);
  });
}

TEST_CASE("a shorter batch counts as many samples as it has", "[repair_hang]") {
  expect_accuracy(5, 4, 2, {4}, "of which the last one is wrong");
  expect_accuracy(9, 4, 3, {0, 8}, "of which the last one is wrong");
}

TEST_CASE("each batch counts once", "[repair_hang]") {
  expect_accuracy(16, 4, 3, {0, 1, 5}, "4 batches for 3 ranks");
  expect_accuracy(10, 2, 2, {0}, "5 batches for 2 ranks");
  expect_accuracy(5003, 1000, 2, {0, 7}, "of which 2 are wrong");
}

TEST_CASE("one rank, and fewer batches than ranks", "[repair_hang]") {
  expect_accuracy(7, 3, 1, {2, 3}, "on one rank");
  expect_accuracy(3, 4, 3, {1}, "one batch for 3 ranks");
  expect_accuracy(6, 4, 4, {1, 5}, "2 batches for 4 ranks");
}

TEST_CASE("each rank evaluates its own batches", "[repair_hang]") {
  constexpr int kRanks = 3;
  std::vector<std::vector<double>> seen(kRanks);
  std::vector<int> trained(kRanks);
  run_ranks(kRanks, [&](ProcessGroup& group) {
    const auto rank = static_cast<std::size_t>(group.rank());
    Seen layer(seen[rank]);
    td::nn::Sequential model(layer);
    evaluate(model, td::arange(13).to(td::kFloat).unsqueeze(1).expand({13, 2}),
             td::zeros({13}, td::TensorOptions(td::kInt64)), 2, group);
    trained[rank] = layer->trained;
    group.barrier()->wait();
  });
  const std::vector<std::vector<double>> expected = {
      {0, 1, 6, 7, 12}, {2, 3, 8, 9}, {4, 5, 10, 11}};
  for (int r = 0; r < kRanks; ++r) {
    const auto rank = static_cast<std::size_t>(r);
    check::expect(seen[rank].size() == expected[rank].size(),
                  "13 samples in batches of 2: " + rank_name(r, kRanks) + " evaluates " +
                      std::to_string(seen[rank].size()) + " samples; batch b is for rank b % 3, " +
                      "which gives this rank " + std::to_string(expected[rank].size()));
    check::expect_close(seen[rank], expected[rank], 0,
                        "the samples of " + rank_name(r, kRanks) +
                            ", of 13 in batches of 2: batch b is for rank b % 3");
    check::expect(!trained[rank],
                  "the model is in training mode, in which a dropout layer drops elements");
  }
}

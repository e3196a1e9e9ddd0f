// Tests of repair_steps: the weights against a loop on the host, and the programs that were
// compiled, from a trace.
#include <cstring>
#include <set>

#include "plugin.h"
#include "trace/recorder.h"

namespace {

using Rate = std::function<double(std::size_t)>;

/// Returns a tensor of different numbers that no other step or replica has.
td::Tensor numbers(td::IntArrayRef sizes, double first) {
  td::Tensor tensor = td::zeros(sizes);
  float* const data = tensor.data_ptr<float>();
  for (std::int64_t i = 0; i < tensor.numel(); ++i)
    data[i] = static_cast<float>(first + 0.25 * static_cast<double>(i));
  return tensor;
}

/// A training, and what it returned.
struct Training {
  Training(int replica_count, const std::vector<std::int64_t>& rows_of_steps, std::int64_t features)
      : replicas(replica_count), weight(numbers({features}, -1)) {
    for (std::size_t n = 0; n < rows_of_steps.size(); ++n) {
      TensorList batch;
      for (int r = 0; r < replicas; ++r)
        batch.push_back(numbers({rows_of_steps[n], features}, static_cast<double>(n) + 10 * r));
      batches.push_back(batch);
    }
  }

  /// Runs the training. @return how many programs it compiled.
  int run(const Rate& rate, std::size_t every) {
    const td::xla::Client& client = client_with(replicas);
    const td::Tensor before = weight.clone();
    td::trace::start();
    std::string problem;
    try {
      kept = train_and_keep(client, weight, batches, rate, every);
    } catch (const td::xla::XlaError& error) {
      problem = error.what();
    } catch (...) {
      td::trace::stop();
      throw;
    }
    int compiled = 0;
    for (const td::trace::SpanRecord& span : td::trace::stop().spans)
      compiled += std::strcmp(span.name, "compile") == 0;
    check::expect(problem.empty(), "with " + std::to_string(batches.size()) +
                                       " steps, the weights kept after every " +
                                       std::to_string(every) +
                                       ", XLA ended the training with this error: " + problem);
    check::expect_close(weight, before, 0, "the weight of the caller");
    return compiled;
  }

  /// Compares what was kept with a loop on the host.
  void expect_kept(const Rate& rate, std::size_t every) const {
    const std::size_t count = batches.size() / every;
    check::expect(kept.size() == count,
                  std::to_string(batches.size()) + " steps with every = " + std::to_string(every) +
                      ": expected the weights of steps " + std::to_string(every) + ", " +
                      std::to_string(2 * every) + " ..., which are " + std::to_string(count) +
                      "; got " + std::to_string(kept.size()));
    std::vector<double> w = check::values(weight);
    for (std::size_t n = 0; n < batches.size(); ++n) {
      std::vector<double> mean(w.size());
      const auto all = static_cast<double>(batches[n][0].size(0) * replicas);
      for (const td::Tensor& batch : batches[n]) {
        const std::vector<double> x = check::values(batch);
        for (std::size_t i = 0; i < x.size(); ++i) mean[i % w.size()] += x[i] / all;
      }
      for (std::size_t f = 0; f < w.size(); ++f) w[f] -= rate(n) * (w[f] - mean[f]);
      if ((n + 1) % every != 0) continue;
      check::expect_close(check::values(kept[(n + 1) / every - 1]), w, 1e-4,
                          "the weight that was kept after step " + std::to_string(n + 1) +
                              ", with " + std::to_string(replicas) +
                              (replicas == 1 ? " replica" : " replicas"));
    }
  }

  int replicas;
  td::Tensor weight;
  std::vector<TensorList> batches;
  TensorList kept;
};

double falling(std::size_t step) { return 0.5 / static_cast<double>(1 + step); }

}  // namespace

TEST_CASE("every step compiles a program", "[repair_steps]") {
  for (const std::vector<std::int64_t>& rows :
       {std::vector<std::int64_t>{4, 4, 4, 4}, {3, 1, 3, 1, 3}}) {
    Training training(1, rows, 3);
    const int compiled = training.run(falling, rows.size());
    const int expected = static_cast<int>(std::set<std::int64_t>(rows.begin(), rows.end()).size());
    check::expect(compiled == expected,
                  std::to_string(compiled) + " programs were compiled in " +
                      std::to_string(rows.size()) + " steps. One for each number of rows is " +
                      std::to_string(expected) + ": what else differs between the programs?");
  }
}

TEST_CASE("two replicas move the weight twice as far", "[repair_steps]") {
  for (const int replicas : {1, 2, 3}) {
    Training training(replicas, {3}, 5);
    training.run(falling, 1);
    training.expect_kept(falling, 1);
  }
}

TEST_CASE("a buffer was deleted or donated", "[repair_steps]") {
  for (const std::size_t every : {1, 2, 5, 6}) {
    Training training(1, {2, 2, 2, 2, 2}, 2);
    training.run(falling, every);
    training.expect_kept(falling, every);
  }
}

TEST_CASE("each step has its own rate, its own rows and all replicas", "[repair_steps]") {
  const Rate rising = [](std::size_t step) { return step == 2 ? 0 : 0.1 * (1.0 + step); };
  Training training(2, {7, 7, 1, 7, 2}, 1);
  const int compiled = training.run(rising, 2);
  training.expect_kept(rising, 2);
  check::expect(compiled == 3,
                std::to_string(compiled) + " programs were compiled for steps of 7, 1 and 2 rows");
}

TEST_CASE("no step", "[repair_steps]") {
  Training training(1, {}, 4);
  const int compiled = training.run(falling, 1);
  check::expect(training.kept.empty() && compiled == 0,
                "without a step nothing is kept, and no program is needed");
}

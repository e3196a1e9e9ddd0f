// Tests of accumulate_step: the gradient, the number of all-reduces, and what an error leaves
// behind.
#include <algorithm>

#include "exercises.h"
#include "ranks.h"
#include "trace/trace.h"

namespace {

using Batches = std::vector<td::data::Example<>>;
using td::distributed::CollectiveType;

td::nn::Sequential double_net(std::uint64_t seed) {
  td::manual_seed(seed);
  td::nn::Sequential net(td::nn::Linear(5, 4), td::nn::Tanh(), td::nn::Linear(4, 3));
  net->to(td::kDouble);
  return net;
}

// Micro-batches with these numbers of rows.
Batches make_batches(const std::vector<std::int64_t>& rows, std::uint64_t seed) {
  td::manual_seed(seed);
  Batches batches;
  for (const std::int64_t n : rows)
    batches.emplace_back(td::randn({n, 5}, td::kDouble),
                         td::randint(0, 3, {n}, td::TensorOptions(td::kInt64)));
  return batches;
}

td::Tensor cross_entropy(const td::Tensor& output, const td::Tensor& target) {
  return td::nn::functional::cross_entropy(output, target);
}

td::data::Example<> joined(const Batches& batches) {
  std::vector<td::Tensor> data, target;
  for (const auto& batch : batches) {
    data.push_back(batch.data);
    target.push_back(batch.target);
  }
  return {td::cat(data), td::cat(target)};
}

td::distributed::DistributedDataParallel wrapped(const td::nn::Sequential& model,
                                                 std::shared_ptr<ProcessGroup> group) {
  return td::distributed::DistributedDataParallel(
      model, td::distributed::DistributedDataParallelOptions().process_group(std::move(group)));
}

// Steps of ranks with these rows per micro-batch, compared with the mean over ranks of the mean
// loss over all rows of each rank.
void expect_steps(const std::vector<std::vector<std::int64_t>>& rows, int steps = 3) {
  const int ranks = static_cast<int>(rows.size());
  std::vector<Batches> batches;
  for (std::size_t r = 0; r < rows.size(); ++r) batches.push_back(make_batches(rows[r], 10 + r));
  td::nn::Sequential alone = double_net(1);
  td::optim::SGD reference(alone->parameters(), td::optim::SGDOptions(0.3).momentum(0.9));
  std::vector<std::vector<double>> losses(rows.size());
  for (int step = 0; step < steps; ++step) {
    reference.zero_grad();
    for (std::size_t r = 0; r < rows.size(); ++r) {
      const auto all = joined(batches[r]);
      const td::Tensor loss = cross_entropy(alone->forward(all.data), all.target);
      losses[r].push_back(loss.item<double>());
      (loss / static_cast<double>(ranks)).backward();
    }
    reference.step();
  }
  std::vector<td::nn::Sequential> models;
  for (int r = 0; r < ranks; ++r) models.push_back(double_net(1));
  std::vector<std::vector<double>> got(rows.size());
  std::vector<int> graphs(rows.size());
  std::vector<std::int64_t> dims(rows.size());
  std::vector<std::vector<std::ptrdiff_t>> reduced(rows.size());  // all_reduces per step
  run_ranks(ranks, [&](ProcessGroup& group) {
    const auto r = static_cast<std::size_t>(group.rank());
    const auto counted = std::make_shared<CountedGroup>(group);
    auto ddp = wrapped(models[r], counted);
    td::optim::SGD optimizer(ddp->parameters(), td::optim::SGDOptions(0.3).momentum(0.9));
    for (int step = 0; step < steps; ++step) {
      counted->calls.clear();
      const td::Tensor loss = accumulate_step(ddp, cross_entropy, optimizer, batches[r]);
      got[r].push_back(loss.item<double>());
      graphs[r] += loss.requires_grad();
      dims[r] = std::max(dims[r], loss.dim());
      reduced[r].push_back(
          std::count_if(counted->calls.begin(), counted->calls.end(),
                        [](const auto& call) { return call.type == CollectiveType::kAllReduce; }));
    }
  });
  for (int rank = 0; rank < ranks; ++rank) {
    const auto r = static_cast<std::size_t>(rank);
    std::string what = rank_name(rank, ranks) + ", micro-batches of";
    for (const std::int64_t n : rows[r]) what += " " + std::to_string(n);
    what += " rows: ";
    for (const std::ptrdiff_t count : reduced[r])
      check::expect(
          count == 1,
          what + "a step called all_reduce " + std::to_string(count) +
              " times; this model fits one bucket, to be reduced once per step. Does "
              "forward of the last micro-batch, and of that one only, run outside no_sync?");
    for (std::size_t p = 0; p < 4; ++p)
      check::expect_close(
          models[r]->parameters()[p], alone->parameters()[p], 1e-9,
          what + "parameter " + std::to_string(p) + " after " + std::to_string(steps) + " steps");
    check::expect_close(got[r], losses[r], 1e-9,
                        what + "the returned losses, each the mean over all rows of this rank");
    check::expect(graphs[r] == 0, what + "the returned loss still has a graph");
    check::expect(dims[r] == 0, what + "the returned loss has " + std::to_string(dims[r]) +
                                    " dimensions; expected none");
  }
}

}  // namespace

TEST_CASE("equal micro-batches, one all-reduce per step", "[accumulate]") {
  expect_steps({{4, 4}, {4, 4}});
  expect_steps({{2, 2, 2}});
}

TEST_CASE("each row counts the same in micro-batches of different sizes", "[accumulate]") {
  expect_steps({{3, 1}, {1, 5}});
  expect_steps({{7, 1, 2}, {2, 2, 2}, {1, 1, 1}});
}

TEST_CASE("one micro-batch is an ordinary step", "[accumulate]") { expect_steps({{5}, {3}}); }

TEST_CASE("forward and backward run for one micro-batch after the other", "[accumulate]") {
  std::vector<std::string> passes;
  run_ranks(1, [&](ProcessGroup& group) {
    const td::nn::Sequential model(
        double_net(1), td::nn::Functional([&](const td::Tensor& x) {
          passes.push_back("forward " + std::to_string(x.size(0)));
          if (x.requires_grad())
            x.register_hook([&](const td::Tensor&) { passes.back() += " backward"; });
          return x;
        }));
    auto ddp = wrapped(model, std::make_shared<CountedGroup>(group));
    td::optim::SGD optimizer(ddp->parameters(), td::optim::SGDOptions(0.3));
    accumulate_step(ddp, cross_entropy, optimizer, make_batches({3, 1, 2}, 10));
  });
  std::string text;
  for (const std::string& pass : passes) text += (text.empty() ? "" : ", ") + pass;
  std::sort(passes.begin(), passes.end());
  check::expect(passes == std::vector<std::string>{"forward 1 backward", "forward 2 backward",
                                                   "forward 3 backward"},
                "micro-batches of 3, 1 and 2 rows: expected forward 3 backward, forward 1 "
                "backward, forward 2 backward; got " +
                    text +
                    ". Join no micro-batches, and call backward for each of them, so that the "
                    "graph of only one is in memory");
}

TEST_CASE("gradients of before do not count", "[accumulate]") {
  std::vector<td::nn::Sequential> models = {double_net(1), double_net(1)};
  const Batches batches = make_batches({3, 1}, 10);
  run_ranks(1, [&](ProcessGroup& group) {
    for (auto& model : models) {
      auto ddp = wrapped(model, std::make_shared<CountedGroup>(group));
      td::optim::SGD optimizer(ddp->parameters(), td::optim::SGDOptions(0.3));
      if (&model == &models[1])
        cross_entropy(ddp->forward(batches[0].data), batches[0].target).backward();
      accumulate_step(ddp, cross_entropy, optimizer, batches);
    }
  });
  check::expect_close(models[1]->parameters()[0], models[0]->parameters()[0], 1e-12,
                      "parameter 0 after a step of a model with gradients of before, which the "
                      "step should clear first");
}

TEST_CASE("no micro-batches is an error", "[accumulate]") {
  run_ranks(1, [&](ProcessGroup& group) {
    auto ddp = wrapped(double_net(1), std::make_shared<CountedGroup>(group));
    td::optim::SGD optimizer(ddp->parameters(), td::optim::SGDOptions(0.3));
    bool thrown = false;
    try {
      accumulate_step(ddp, cross_entropy, optimizer, {});
    } catch (const td::NotDoneYet&) {
      throw;
    } catch (const td::Error&) {
      thrown = true;
    }
    if (!thrown)
      throw std::runtime_error("expected a td::Error for an empty list of micro-batches");
  });
}

TEST_CASE("after an error in the second of three micro-batches, gradients are averaged again",
          "[accumulate]") {
  std::vector<td::nn::Sequential> models = {double_net(1), double_net(1)};
  std::vector<Batches> batches = {make_batches({2, 2, 2}, 10), make_batches({2, 2, 2}, 11)};
  run_ranks(2, [&](ProcessGroup& group) {
    const auto r = static_cast<std::size_t>(group.rank());
    auto ddp = wrapped(models[r], std::make_shared<CountedGroup>(group));
    td::optim::SGD optimizer(ddp->parameters(), td::optim::SGDOptions(0.3));
    int calls = 0;
    const Loss fails = [&](const td::Tensor& output, const td::Tensor& target) {
      if (++calls == 2) throw std::domain_error("no such class");
      return cross_entropy(output, target);
    };
    try {
      accumulate_step(ddp, fails, optimizer, batches[r]);
    } catch (const std::domain_error&) {
    }
    for (int step = 0; step < 2; ++step) {  // an ordinary step of the caller
      optimizer.zero_grad();
      cross_entropy(ddp->forward(batches[r][0].data), batches[r][0].target).backward();
      optimizer.step();
    }
  });
  for (std::size_t p = 0; p < 4; ++p)
    check::expect_close(models[1]->parameters()[p], models[0]->parameters()[p], 0,
                        "after an error in accumulate_step and two ordinary steps, parameter " +
                            std::to_string(p) +
                            " of rank 1, compared with rank 0 (is the guard of "
                            "no_sync still alive?)");
}

TEST_CASE("more micro-batches do not make the host wait more often", "[accumulate]") {
  std::vector<std::ptrdiff_t> waits;
  for (const std::size_t count : {1u, 5u}) {
    run_ranks(1, [&](ProcessGroup& group) {
      td::nn::Sequential model = double_net(1);
      model->to("sim:0");
      Batches batches = make_batches(std::vector<std::int64_t>(count, 2), 4);
      for (auto& batch : batches) batch = {batch.data.to("sim:0"), batch.target.to("sim:0")};
      auto ddp = wrapped(model, std::make_shared<CountedGroup>(group));
      td::optim::SGD optimizer(ddp->parameters(), td::optim::SGDOptions(0.3));
      accumulate_step(ddp, cross_entropy, optimizer, batches);
      td::synchronize("sim:0");
      td::trace::start();
      accumulate_step(ddp, cross_entropy, optimizer, batches);
      const td::trace::Trace trace = td::trace::stop();
      waits.push_back(std::count_if(trace.spans.begin(), trace.spans.end(), [&](const auto& span) {
        return span.category == td::trace::Category::kWait &&
               trace.tracks[span.track].kind == td::trace::TrackKind::kThread;
      }));
    });
  }
  check::expect(waits[1] <= waits[0],
                "with 1 micro-batch the host waits " + std::to_string(waits[0]) +
                    " times for sim:0, with 5 it waits " + std::to_string(waits[1]) +
                    " times: something reads a value (item, cpu) in each micro-batch");
}

// Spans of the core that are no device's: operations on cpu, gradients, loaders, collectives.
#include <set>

#include "catch.h"
#include "distributed/thread_group.h"
#include "td/td.h"
#include "traces.h"

using namespace test;
namespace trace = td::trace;

TEST_CASE("the host's operations and gradients have their names") {
  td::Tensor x = td::ones({4, 4});
  x.requires_grad_(true);
  trace::start();
  {
    const Span forward("forward");
    x.tanh().sum().backward();
  }
  const Trace seen = trace::stop();
  const auto forward = find(seen, Category::kUser, "forward").at(0);
  CHECK(find(seen, Category::kOperator, "tanh").size() == 1);
  CHECK(!find(seen, Category::kOperator, "sum").empty());
  const auto gradients = find(seen, Category::kBackward);
  std::vector<std::string> names;
  for (const SpanRecord& span : gradients) names.push_back(span.name);
  REQUIRE(names.size() >= 2);
  CHECK(names[0] == "sum");
  CHECK(names[1] == "tanh");
  for (const SpanRecord& span : seen.spans) {
    CHECK(span.begin >= forward.begin);
    CHECK(span.end <= forward.end);
  }
  CHECK(find(seen, Category::kLaunch).empty());
}

TEST_CASE("an optimizer's step and zero_grad are spans around all of their work") {
  const auto check_spans = [](auto make, const char* step) {
    for (const char* device : {"cpu", "sim"}) {
      td::Tensor w = td::ones({4}, device).requires_grad_();
      auto optimizer = make(w);
      trace::start();
      optimizer.step([&] {
        const td::Tensor loss = w.square().sum();
        loss.backward();
        return loss;
      });
      optimizer.zero_grad();
      const Trace seen = trace::stop();
      const auto steps = find(seen, Category::kOperator, step);
      REQUIRE(steps.size() == 1);
      const auto cleared = find(seen, Category::kOperator, "Optimizer.zero_grad");
      REQUIRE(cleared.size() == 1);
      CHECK(cleared[0].begin >= steps[0].end);
      // The closure runs backward. From then to the end of the step, all work of the host is inside
      // the step.
      const std::int64_t begin = find(seen, Category::kBackward).back().end;
      const auto work = *device == 'c' ? Category::kOperator : Category::kLaunch;
      int parts = 0;
      for (const SpanRecord& span : find(seen, work)) {
        if (span.begin < begin || span.begin >= steps[0].end || span.name == steps[0].name)
          continue;
        ++parts;
        CHECK(span.begin >= steps[0].begin);
        CHECK(span.end <= steps[0].end);
      }
      CHECK(parts > 0);
      CHECK(partly_overlapping(seen).empty());
    }
  };
  check_spans([](auto& w) { return td::optim::SGD({w}, td::optim::SGDOptions(0.1)); }, "SGD.step");
  check_spans([](auto& w) { return td::optim::Adam({w}, td::optim::AdamOptions(0.1)); },
              "Adam.step");
  check_spans([](auto& w) { return td::optim::AdamW({w}, td::optim::AdamWOptions(0.1)); },
              "AdamW.step");
}

TEST_CASE("each worker of a loader has a track with the batches that it loaded") {
  td::data::TensorDataset dataset(td::randn({64, 3}), td::zeros({64}, td::kInt64));
  const auto batches = [&](std::size_t workers) {
    auto loader = td::data::make_data_loader(dataset.map(td::data::transforms::Stack<>()),
                                             td::data::DataLoaderOptions(8).workers(workers));
    trace::start();
    for (const auto& batch : *loader) static_cast<void>(batch);
    return trace::stop();
  };
  const Trace seen = batches(2);
  const auto loaded = find(seen, Category::kLoader, "load batch");
  CHECK(loaded.size() == 8);
  std::set<std::string> tracks;
  for (const SpanRecord& span : loaded) tracks.insert(track_of(seen, span));
  for (const std::string& track : tracks) CHECK_THAT(track, Catch::StartsWith("loader "));
  CHECK(find(seen, Category::kWait, "wait for batch").size() == 8);

  const Trace alone = batches(0);
  CHECK(find(alone, Category::kLoader, "load batch").size() == 8);
  CHECK(track_of(alone, find(alone, Category::kLoader).at(0)) == "main");
}

TEST_CASE("each rank's collectives are in the track of its lane, with their bytes") {
  trace::start();
  td::distributed::run_as_threads(2, [](td::distributed::ProcessGroup& group) {
    td::Tensor values = td::ones({300});
    group.all_reduce(values)->wait();
    group.barrier()->wait();
  });
  const Trace seen = trace::stop();
  const auto sums = find(seen, Category::kCollective, "all_reduce");
  REQUIRE(sums.size() == 2);
  CHECK(sums[0].bytes == 1200);
  CHECK(sums[0].track != sums[1].track);
  for (const SpanRecord& span : sums) {
    CHECK(track_of(seen, span) == "collectives");
    CHECK(seen.tracks[span.track].kind == TrackKind::kQueue);
  }
  CHECK(find(seen, Category::kCollective, "barrier").size() == 2);
  CHECK(partly_overlapping(seen).empty());
}

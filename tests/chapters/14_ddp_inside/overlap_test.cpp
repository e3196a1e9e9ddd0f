// Tests of overlap: a group that logs its calls checks the order, threads check the numbers.
#include <algorithm>

#include "exercises.h"
#include "ranks.h"

namespace {

using td::distributed::Collective;
using td::distributed::CollectiveType;
using td::distributed::ReduceOp;
using Notes = std::vector<std::string>;

// One rank of two; the other rank always has the same gradients. The result is poison
// until wait(), as it would be on a slow device or network.
class NotedGroup : public ProcessGroup {
 public:
  std::vector<std::vector<double>> started_with;  // values of each all_reduce at its start
  NotedGroup() : ProcessGroup(0, 2) {}
  const char* transport() const override { return "notes"; }
  Notes notes;

 protected:
  std::shared_ptr<td::distributed::Work> start(Collective call) override {
    const std::string name = std::to_string(call.key.numel);
    notes.push_back((call.key.type == CollectiveType::kAllReduce ? "start " : "other call ") +
                    name);
    started_with.push_back(check::values(call.input));
    return std::make_shared<NotedWork>(*this, name, call);
  }

 private:
  class NotedWork : public td::distributed::Work {
   public:
    NotedWork(NotedGroup& group, const std::string& name, const Collective& call)
        : group_(group), name_(name), output_(call.output), values_(call.output.clone()) {
      if (call.key.reduce == ReduceOp::SUM) values_.mul_(2);
      check::poison(output_);
    }
    void wait() override {
      group_.notes.push_back("wait " + name_);
      td::Tensor(output_).copy_(values_);
    }
    bool is_completed() const override { return false; }

   private:
    NotedGroup& group_;
    std::string name_;
    td::Tensor output_, values_;
  };
};

void expect_notes(const Notes& actual, const Notes& expected, const std::string& what) {
  const auto text = [](const Notes& notes) {
    std::string all;
    for (const auto& note : notes) all += (all.empty() ? "" : ", ") + note;
    return all.empty() ? std::string("nothing") : all;
  };
  check::expect(actual == expected,
                what + ": expected " + text(expected) + "; got " + text(actual));
}

// Four parameters of 10, 20, 30 and 40 elements with gradients 1, 2, 3, 4.
std::vector<td::Tensor> four_parameters() {
  return {parameter_with({10}, 1), parameter_with({20}, 2), parameter_with({30}, 3),
          parameter_with({40}, 4)};
}

void expect_gradients(const std::vector<td::Tensor>& parameters, std::vector<double> expected,
                      const std::string& what) {
  for (std::size_t p = 0; p < parameters.size(); ++p)
    check::expect_close(
        check::values(parameters[p].grad()),
        std::vector<double>(static_cast<std::size_t>(parameters[p].numel()), expected[p]), 1e-6,
        what + ": gradient of parameter " + std::to_string(p));
}

}  // namespace

TEST_CASE("the hooks run after a gradient was accumulated, one per parameter", "[overlap]") {
  NotedGroup group;
  const td::Tensor a = parameter_with({2}, 10), b = parameter_with({3}, 10);
  Overlap overlap({a, b}, {{1}, {0}}, group);
  attach(overlap);
  check::expect(overlap.hooks.size() == 2,
                "`hooks` has " + std::to_string(overlap.hooks.size()) +
                    " numbers for 2 parameters: the destructor of Overlap cannot remove a hook "
                    "whose number is not there, and the hook then refers to a dead object");
  (a.sum() + b.sum()).backward();  // adds 1 to the gradients, which are 10
  check::expect(group.started_with.size() == 2,
                "after backward " + std::to_string(group.started_with.size()) +
                    " of 2 all_reduces are started: does each parameter have a hook, and does "
                    "gradient_ready start every bucket that is complete?");
  for (const auto& values : group.started_with)
    check::expect_close(values, std::vector<double>(values.size(), 11), 0,
                        "the values that an all_reduce was started with (gradient 10, and backward "
                        "adds 1; use register_post_accumulate_grad_hook: a hook of register_hook "
                        "runs before the gradient is accumulated)");
  finish(overlap);
}

TEST_CASE("after Overlap is destroyed, backward no longer calls its hooks", "[overlap]") {
  NotedGroup group;
  const td::Tensor a = parameter_with({2}, 1), b = parameter_with({3}, 1);
  {
    Overlap overlap({a, b}, {{1, 0}}, group);
    attach(overlap);
    check::expect(overlap.hooks.size() == 2, "`hooks` needs one number per parameter");
  }
  (a.sum() + b.sum()).backward();
  expect_notes(group.notes, {}, "a backward pass after the end of Overlap");
  Overlap again({a, b}, {{1, 0}}, group);
  attach(again);
  (a.sum() + b.sum()).backward();
  expect_notes(group.notes, {"start 5"}, "a second Overlap of the same parameters");
  finish(again);
}

TEST_CASE("double parameters, and an empty one", "[overlap]") {
  NotedGroup group;
  std::vector<td::Tensor> parameters = {parameter_with({4}, 1, td::kDouble),
                                        parameter_with({0}, 0, td::kDouble),
                                        parameter_with({}, 2, td::kDouble)};
  Overlap overlap(parameters, {{2, 1}, {0}}, group);
  for (const std::size_t p : {2u, 1u, 0u}) gradient_ready(overlap, p);
  finish(overlap);
  for (const td::Tensor& parameter : parameters) {
    check::expect_dtype(parameter.grad(), td::kDouble, "the gradient of a double parameter");
    check::expect_sizes(parameter.grad(), parameter.sizes().vec(), "a gradient after finish");
  }
  check::expect_close(check::values(parameters[2].grad()), std::vector<double>{2}, 0,
                      "the gradient of a parameter without dimensions");
}

TEST_CASE("a bucket starts when its last gradient is complete", "[overlap]") {
  NotedGroup group;
  Overlap overlap(four_parameters(), {{3, 2}, {1, 0}}, group);
  gradient_ready(overlap, 3);
  expect_notes(group.notes, {}, "after 1 of 2 gradients of bucket 0");
  gradient_ready(overlap, 2);
  expect_notes(group.notes, {"start 70"}, "after both gradients of bucket 0");
  gradient_ready(overlap, 1);
  gradient_ready(overlap, 0);
  expect_notes(group.notes, {"start 70", "start 30"}, "after all gradients, before finish");
  finish(overlap);
  expect_gradients(overlap.parameters, {1, 2, 3, 4}, "two ranks with the same gradients");
}

TEST_CASE("buckets start in their order, whatever the order of gradients", "[overlap]") {
  NotedGroup group;
  Overlap overlap(four_parameters(), {{3}, {2}, {1}, {0}}, group);
  gradient_ready(overlap, 1);
  gradient_ready(overlap, 0);
  expect_notes(group.notes, {}, "buckets 2 and 3 are complete, 0 and 1 are not");
  gradient_ready(overlap, 3);
  expect_notes(group.notes, {"start 40"}, "bucket 0 is complete, 1 is not");
  gradient_ready(overlap, 2);
  expect_notes(group.notes, {"start 40", "start 30", "start 20", "start 10"},
               "all buckets are complete");
  finish(overlap);
}

TEST_CASE("finish waits for every bucket before the gradients are used", "[overlap]") {
  NotedGroup group;
  Overlap overlap(four_parameters(), {{3, 2}, {1}, {0}}, group);
  for (const std::size_t p : {3u, 2u, 1u, 0u}) gradient_ready(overlap, p);
  finish(overlap);
  for (const std::string bucket : {"70", "20", "10"})
    check::expect(std::count(group.notes.begin(), group.notes.end(), "wait " + bucket) == 1,
                  "finish did not wait for the bucket of " + bucket + " elements");
  expect_gradients(overlap.parameters, {1, 2, 3, 4}, "after finish");
}

TEST_CASE("finish starts the buckets that did not become complete", "[overlap]") {
  NotedGroup group;
  std::vector<td::Tensor> parameters = four_parameters();
  parameters[1].mutable_grad() = td::Tensor();  // not used by this rank
  Overlap overlap(parameters, {{3}, {2, 1}, {0}}, group);
  for (const std::size_t p : {3u, 2u, 0u}) gradient_ready(overlap, p);
  expect_notes(group.notes, {"start 40"}, "parameter 1 was not used");
  finish(overlap);
  check::expect(overlap.parameters[1].grad().defined(),
                "the unused parameter has no gradient: another rank may have used it");
  expect_gradients(overlap.parameters, {1, 0, 3, 4}, "with an unused parameter");
}

TEST_CASE("finish starts all buckets if backward has started none", "[overlap]") {
  NotedGroup group;
  std::vector<td::Tensor> parameters = four_parameters();
  parameters[3].mutable_grad() = td::Tensor();
  Overlap overlap(parameters, {{3}, {2, 1}, {0}}, group);
  for (const std::size_t p : {2u, 1u, 0u}) gradient_ready(overlap, p);
  finish(overlap);
  for (const std::string bucket : {"40", "50", "10"})
    check::expect(std::count(group.notes.begin(), group.notes.end(), "start " + bucket) == 1,
                  "bucket 0 did not become complete, so backward started none: finish did not "
                  "start the bucket of " +
                      bucket + " elements");
}

TEST_CASE("finish starts a bucket without any gradient, too", "[overlap]") {
  NotedGroup group;
  std::vector<td::Tensor> parameters = four_parameters();
  for (const std::size_t p : {1u, 2u}) parameters[p].mutable_grad() = td::Tensor();
  Overlap overlap(parameters, {{3}, {2, 1}, {0}}, group);
  for (const std::size_t p : {3u, 0u}) gradient_ready(overlap, p);
  finish(overlap);
  for (const std::string bucket : {"40", "50", "10"})
    check::expect(std::count(group.notes.begin(), group.notes.end(), "start " + bucket) == 1,
                  "this rank used no parameter of the bucket of 50 elements: finish did not start "
                  "the bucket of " +
                      bucket + " elements, for which another rank waits");
  for (const std::size_t p : {1u, 2u})
    check::expect(overlap.parameters[p].grad().defined(),
                  "parameter " + std::to_string(p) +
                      " of a bucket without any gradient has none after finish");
  expect_gradients(overlap.parameters, {1, 0, 0, 4}, "with an unused bucket");
}

TEST_CASE("a backward pass that uses all parameters follows one that does not", "[overlap]") {
  NotedGroup group;
  Overlap overlap(four_parameters(), {{3, 2}, {1, 0}}, group);
  for (const std::size_t p : {3u, 2u, 0u}) gradient_ready(overlap, p);  // without parameter 1
  finish(overlap);
  group.notes.clear();
  for (const std::size_t p : {3u, 2u, 1u}) gradient_ready(overlap, p);
  expect_notes(group.notes, {"start 70"},
               "the step after one that did not use parameter 1, with 3 of 4 gradients");
  gradient_ready(overlap, 0);
  expect_notes(group.notes, {"start 70", "start 30"},
               "the step after one that did not use parameter 1, before finish");
  finish(overlap);
}

TEST_CASE("the second backward is reduced like the first", "[overlap]") {
  NotedGroup group;
  Overlap overlap(four_parameters(), {{3, 2}, {1, 0}}, group);
  for (int step = 0; step < 3; ++step) {
    group.notes.clear();
    for (std::size_t p = 0; p < 4; ++p)
      overlap.parameters[p].mutable_grad() =
          td::full(overlap.parameters[p].sizes(), static_cast<double>(p + 1) + 10 * step);
    gradient_ready(overlap, 0);
    gradient_ready(overlap, 1);
    gradient_ready(overlap, 2);
    expect_notes(group.notes, {}, "step " + std::to_string(step) + ", one gradient is missing");
    gradient_ready(overlap, 3);
    expect_notes(group.notes, {"start 70", "start 30"}, "step " + std::to_string(step));
    finish(overlap);
    std::vector<double> expected;
    for (int p = 1; p <= 4; ++p) expected.push_back(p + 10 * step);
    expect_gradients(overlap.parameters, expected,
                     "after step " + std::to_string(step) + ", whose gradients are others");
  }
}

TEST_CASE("the hooks start a bucket before backward reaches the first layer", "[overlap]") {
  NotedGroup group;
  td::nn::Linear first(7, 5), second(5, 3);
  std::vector<td::Tensor> parameters = first->parameters();
  for (const td::Tensor& p : second->parameters()) parameters.push_back(p);
  Overlap overlap(parameters, {{3, 2}, {1, 0}}, group);
  attach(overlap);
  for (int step = 0; step < 2; ++step) {
    group.notes.clear();
    const td::Tensor hidden = first(td::ones({4, 7}));
    hidden.register_hook([&](const td::Tensor&) { group.notes.push_back("the first layer"); });
    second(hidden).sum().backward();
    expect_notes(group.notes, {"start 18", "the first layer", "start 40"},
                 "backward of step " + std::to_string(step));
    finish(overlap);
  }
}

TEST_CASE("two ranks of threads end with the mean, on every device", "[overlap]") {
  for (const td::Device device : check::devices()) {
    std::vector<td::nn::Sequential> models = {make_net(1, device), make_net(1, device)};
    std::vector<td::Tensor> inputs, expected;
    for (int r = 0; r < 2; ++r) {
      td::manual_seed(static_cast<std::uint64_t>(r) + 20);
      inputs.push_back(td::randn({33, 7}).to(device));
      td::nn::Sequential alone = make_net(1, device);
      alone->forward(inputs.back()).pow(2).mean().backward();
      const auto parameters = alone->parameters();
      for (std::size_t p = 0; p < parameters.size(); ++p) {
        const td::Tensor half = parameters[p].grad().cpu().to(td::kDouble) / 2;
        if (r == 0)
          expected.push_back(half);
        else
          expected[p].add_(half);
      }
    }
    run_ranks(2, [&](ProcessGroup& group) {
      const auto rank = static_cast<std::size_t>(group.rank());
      Overlap overlap(models[rank]->parameters(), {{5}, {4, 3}, {2, 1, 0}}, group);
      attach(overlap);
      for (int step = 0; step < 2; ++step) {
        for (td::Tensor parameter : models[rank]->parameters())
          parameter.mutable_grad() = td::Tensor();
        models[rank]->forward(inputs[rank]).pow(2).mean().backward();
        finish(overlap);
      }
    });
    for (int r = 0; r < 2; ++r) {
      const auto parameters = models[static_cast<std::size_t>(r)]->parameters();
      for (std::size_t p = 0; p < parameters.size(); ++p)
        check::expect_close(parameters[p].grad(), expected[p], 1e-5,
                            "gradient of parameter " + std::to_string(p) + " of " +
                                rank_name(r, 2) + " on " + device.str());
    }
  }
}

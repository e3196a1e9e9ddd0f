// Tests of spawn: a step that adds its batch to the one weight. Replica r gets batches full of
// n + 1 + 100 r.
#include <atomic>
#include <mutex>
#include <set>
#include <thread>

#include "plugin.h"

namespace {

struct Trained {
  std::vector<TensorList> weights;
  std::vector<double> losses;
  std::vector<std::size_t> steps;                  // what on_loss was called with
  std::vector<std::set<std::thread::id>> threads;  // [replica] on which next was called
  std::set<std::thread::id> loss_threads;
  std::vector<int> calls;  // of next, [replica]
};

/// What next throws when it fails: an error of its own type.
struct DiskFull : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct Plan {
  int replicas = 2;
  std::size_t steps = 3;
  std::size_t fails_in_next = SIZE_MAX;  // the step in which the last replica's next throws
  std::size_t fails_in_loss = SIZE_MAX;  // the step whose on_loss throws
  std::size_t bad_batch = SIZE_MAX;      // the step in which the last replica's batch is too large
  int devices = 0;                       // of the client; 0: as many as replicas
};

// After a step that failed, XLA may never finish another one: the other test cases would hang.
bool& gave_up() {
  static bool value = false;
  return value;
}

// Runs spawn; afterwards no thread may be left, also after an error.
Trained run_spawn(const Plan& plan) {
  if (gave_up()) check::skip("not tried after the failure above");
  const auto replicas = static_cast<std::size_t>(plan.replicas);
  const td::xla::Client& client = client_with(plan.devices ? plan.devices : plan.replicas);
  const Executable& step = add_step(plan.replicas, plan.devices);
  StepGroup group(
      replicas, [&](const auto& arguments) { return step.start(arguments); }, 2);
  const std::thread::id main = std::this_thread::get_id();
  ThreadCount threads;
  std::mutex mutex;
  std::string wrong;
  Trained trained;
  trained.threads.resize(replicas);
  trained.calls.resize(replicas);
  const TensorList start = {td::full({2}, 5.0)};
  const auto check_left = [&] {
    check::expect(threads.alive() == 0,
                  std::to_string(threads.alive()) + " of " + std::to_string(replicas) +
                      " threads are still there after spawn: join all of them, also after an "
                      "error");
    check::expect(wrong.empty(), wrong);
  };
  try {
    trained.weights = spawn(
        client, group, start,
        [&](std::size_t r) -> std::vector<Buffer> {
          std::size_t n = 0;
          {
            const std::lock_guard lock(mutex);
            if (r >= replicas) {
              wrong = "next(" + std::to_string(r) + ") was called";
              throw std::runtime_error(wrong);
            }
            if (std::this_thread::get_id() == main)
              wrong =
                  "next was called on the thread that called spawn; each replica needs a thread "
                  "of its own";
            else
              threads.enter();
            trained.threads[r].insert(std::this_thread::get_id());
            n = static_cast<std::size_t>(trained.calls[r]++);
          }
          if (n > plan.steps) throw std::runtime_error("next was called after its end");
          if (n == plan.steps) {
            // Replica 0 ends last, so that results in the order of the ends are seen.
            for (int i = 0; r == 0 && threads.alive() > 1 && i < 100; ++i)
              std::this_thread::sleep_for(std::chrono::milliseconds(1));
            return {};
          }
          const bool last = r + 1 == replicas;
          if (last && n == plan.fails_in_next) throw DiskFull("the disk is full");
          const std::int64_t size = last && n == plan.bad_batch ? 7 : 2;
          return {client.to_device(td::full({size}, static_cast<double>(n + 1 + 100 * r)), r)};
        },
        [&](std::size_t n, const Buffer& loss) {
          {
            const std::lock_guard lock(mutex);
            trained.steps.push_back(n);
            trained.loss_threads.insert(std::this_thread::get_id());
          }
          if (n == plan.fails_in_loss) throw std::runtime_error("the loss is too large");
          const double value = loss.to_host().view({-1})[0].item<double>();
          const std::lock_guard lock(mutex);
          trained.losses.push_back(value);
        });
  } catch (const std::exception& error) {
    const std::string text = error.what();
    gave_up() = dynamic_cast<const td::xla::XlaError*>(&error) != nullptr ||
                text.find("mark_step: only") != std::string::npos;
    check_left();
    throw;
  }
  check_left();
  if (std::min({plan.fails_in_next, plan.fails_in_loss, plan.bad_batch}) != SIZE_MAX)
    return trained;  // an error was expected
  check::expect_close(start[0], td::full({2}, 5.0), 0, "the weights that were passed to spawn");
  check::expect(trained.weights.size() == replicas,
                "expected the weights of " + std::to_string(replicas) + " replicas, got those of " +
                    std::to_string(trained.weights.size()));
  for (std::size_t r = 0; r < replicas; ++r) {
    const std::string what =
        std::to_string(replicas) + " replicas, the result of replica " + std::to_string(r);
    check::expect(trained.weights[r].size() == 1, what +
                                                      ": expected 1 weight (the loss is not one), "
                                                      "got " +
                                                      std::to_string(trained.weights[r].size()));
    check::expect_close(trained.weights[r][0],
                        td::full({2}, 5.0 + static_cast<double>(plan.steps * (plan.steps + 1)) / 2 +
                                          100.0 * static_cast<double>(r * plan.steps)),
                        1e-4, what);
  }
  return trained;
}

void expect_losses(const Trained& trained, std::size_t steps, const std::string& what) {
  std::vector<double> expected;
  for (std::size_t n = 0; n < steps; ++n)
    expected.push_back(5.0 + static_cast<double>((n + 1) * (n + 2)) / 2 +
                       static_cast<double>(n + 1));
  check::expect(trained.losses.size() == steps, what + ": expected " + std::to_string(steps) +
                                                    " calls of on_loss, got " +
                                                    std::to_string(trained.losses.size()));
  check::expect_close(trained.losses, expected, 1e-4, what + ": the losses of replica 0");
  for (std::size_t n = 0; n < steps; ++n)
    check::expect(trained.steps[n] == n, what + ": call " + std::to_string(n) +
                                             " of on_loss has the step " +
                                             std::to_string(trained.steps[n]));
}

}  // namespace

TEST_CASE("two replicas train, each on its own batches", "[spawn]") {
  expect_losses(run_spawn({}), 3, "2 replicas, 3 steps");
}

TEST_CASE("one replica, three replicas, one step", "[spawn]") {
  expect_losses(run_spawn({.replicas = 1, .steps = 4}), 4, "1 replica, 4 steps");
  expect_losses(run_spawn({.replicas = 3, .steps = 2}), 2, "3 replicas, 2 steps");
  expect_losses(run_spawn({.replicas = 2, .steps = 1}), 1, "2 replicas, 1 step");
}

TEST_CASE("there may be more devices than replicas", "[spawn]") {
  expect_losses(run_spawn({.replicas = 2, .steps = 1, .devices = 3}), 1,
                "2 replicas on a client with 3 devices, 1 step");
}

TEST_CASE("no batches: the weights do not change", "[spawn]") {
  expect_losses(run_spawn({.steps = 0}), 0, "no batches");
}

TEST_CASE("one thread per replica; replica 0 reports the losses", "[spawn]") {
  const Trained trained = run_spawn({.replicas = 3, .steps = 2});
  std::set<std::thread::id> all;
  for (std::size_t r = 0; r < 3; ++r) {
    check::expect(trained.threads[r].size() == 1, "next(" + std::to_string(r) + ") was called on " +
                                                      std::to_string(trained.threads[r].size()) +
                                                      " threads, expected 1");
    check::expect(trained.calls[r] == 3, "2 batches: next(" + std::to_string(r) +
                                             ") must be called until it returns an empty list, 3 "
                                             "times; it was called " +
                                             std::to_string(trained.calls[r]) + " times");
    all.insert(*trained.threads[r].begin());
  }
  check::expect(all.size() == 3,
                "3 replicas must have 3 threads, there were " + std::to_string(all.size()));
  check::expect(trained.loss_threads == trained.threads[0],
                "on_loss must be called on the thread of replica 0");
}

TEST_CASE("each replica keeps the order of several weights", "[spawn]") {
  if (gave_up()) check::skip("not tried after the failure above");
  const td::xla::Client& client = client_with(1);
  static const Executable& step = *new Executable(compile(client, R"(
module @two_weights {
  func.func public @main(%a: tensor<f32> {tf.aliasing_output = 0 : i32},
                         %b: tensor<f32> {tf.aliasing_output = 1 : i32},
                         %x: tensor<f32>, %y: tensor<f32>)
      -> (tensor<f32>, tensor<f32>, tensor<f32>) {
    %new_a = stablehlo.add %a, %x : tensor<f32>
    %new_b = stablehlo.subtract %b, %y : tensor<f32>
    %loss = stablehlo.multiply %a, %b : tensor<f32>
    return %new_a, %new_b, %loss : tensor<f32>, tensor<f32>, tensor<f32>
  }
}
)"));
  StepGroup group(
      1, [&](const auto& arguments) { return step.start(arguments); }, 2);
  int calls = 0;
  double loss_sum = 0;
  const auto scalar = [&](double value) { return client.to_device(td::full({}, value)); };
  const std::vector<TensorList> result = spawn(
      client, group, {td::full({}, 1.0), td::full({}, 2.0)},
      [&](std::size_t) -> std::vector<Buffer> {
        if (calls++ >= 2) return {};
        return {scalar(calls + 2), scalar(calls + 4)};
      },
      [&](std::size_t, const Buffer& loss) { loss_sum += loss.to_host().item<double>(); });
  check::expect(result.size() == 1 && result[0].size() == 2, "expected 1 replica with 2 weights");
  check::expect_close(result[0][0].item<double>(), 8, 1e-5, "the first weight");
  check::expect_close(result[0][1].item<double>(), -9, 1e-5, "the second weight");
  check::expect_close(loss_sum, -10, 1e-5, "the sum of the losses");
}

TEST_CASE("an error of one replica ends all threads and is thrown", "[spawn]") {
  for (const int replicas : {2, 3, 1})
    for (const std::size_t step : {0, 1})
      check::expect_throws<std::runtime_error>(
          [&] { run_spawn({.replicas = replicas, .fails_in_next = step}); }, {"the disk is full"},
          std::to_string(replicas) + " replicas, next of the last one throws in step " +
              std::to_string(step));
}

TEST_CASE("the error itself is thrown, and not another one with its words", "[spawn]") {
  check::expect_throws<DiskFull>([&] { run_spawn({.fails_in_next = 1}); }, {"the disk is full"},
                                 "2 replicas, next of the last one throws in step 1");
}

TEST_CASE("an error of on_loss ends all threads and is thrown", "[spawn]") {
  check::expect_throws<std::runtime_error>([&] { run_spawn({.fails_in_loss = 1}); },
                                           {"the loss is too large"},
                                           "2 replicas, on_loss of step 1 throws");
}

TEST_CASE("an error of the step reaches the caller", "[spawn]") {
  check::expect_throws<td::xla::XlaError>([&] { run_spawn({.bad_batch = 1}); }, {},
                                          "2 replicas, a batch of the wrong size in step 1");
}

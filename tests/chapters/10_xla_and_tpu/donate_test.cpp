// Tests of train: a step that adds its batch to the one weight and returns the sum as the loss too.
// XLA itself rejects weights that were donated; the order of calls shows the overlap.
#include <set>

#include "plugin.h"

namespace {

// Trains; the batch of step n on replica r is full of n + 1 + 100 r. Records the order of calls.
struct Trained {
  std::vector<std::vector<Buffer>> weights;
  std::vector<std::string> calls;
  std::vector<double> losses;
};

Trained train_so_many(std::size_t steps, int replicas) {
  const td::xla::Client& client = client_with(replicas);
  const Executable& step = add_step(replicas);
  std::vector<std::vector<Buffer>> weights;
  for (int r = 0; r < replicas; ++r)
    weights.push_back({client.to_device(td::full({2}, 1000.0 * r), static_cast<std::size_t>(r))});
  const Buffer first = weights[0][0];  // deleted when step 0 starts: it is donated
  Trained trained;
  std::set<std::pair<std::size_t, std::size_t>> uploaded;
  trained.weights = train(
      step, weights, steps,
      [&](std::size_t n, std::size_t r) -> std::vector<Buffer> {
        const std::string call = "upload(" + std::to_string(n) + ", " + std::to_string(r) + ")";
        const std::string order =
            ". The arguments are (step, replica); upload the batches of all replicas for a step, "
            "and then start the step";
        check::expect(r < weights.size(), call + " was called, but there are only " +
                                              std::to_string(replicas) + " replicas" + order);
        for (std::size_t other = 0; n > 0 && other < weights.size(); ++other)
          check::expect(uploaded.count({n - 1, other}) > 0,
                        call + " was called before upload(" + std::to_string(n - 1) + ", " +
                            std::to_string(other) + ")" + order);
        check::expect(n < steps, "upload(" + std::to_string(n) +
                                     ") was called, but there are only " + std::to_string(steps) +
                                     " steps");
        check::expect(n != 1 || first.is_deleted(),
                      call +
                          " was called before step 0 was started: start a step first, then upload "
                          "the next batch while it runs");
        check::expect(uploaded.insert({n, r}).second, call + " was called a second time" + order);
        if (r == 0) trained.calls.push_back("upload " + std::to_string(n));
        const double value = static_cast<double>(n + 1 + 100 * r);
        return {client.to_device(td::full({2}, value), r)};
      },
      [&](std::size_t n, const Buffer& loss) {
        trained.calls.push_back("loss " + std::to_string(n));
        trained.losses.push_back(loss.to_host().view({-1})[0].item<double>());
      });
  check::expect(trained.weights.size() == static_cast<std::size_t>(replicas),
                "expected the weights of " + std::to_string(replicas) + " replicas, got those of " +
                    std::to_string(trained.weights.size()));
  for (const auto& replica : trained.weights)
    check::expect(replica.size() == 1, "expected 1 weight per replica (the loss is not one), got " +
                                           std::to_string(replica.size()));
  return trained;
}

double sum_of_steps(std::size_t steps) { return static_cast<double>(steps * (steps + 1)) / 2; }

}  // namespace

TEST_CASE("the weights go from step to step", "[donate]") {
  for (const std::size_t steps : {1, 2, 5}) {
    const Trained trained = train_so_many(steps, 1);
    check::expect_close(trained.weights[0][0].to_host(), td::full({2}, sum_of_steps(steps)), 1e-5,
                        "the weight after " + std::to_string(steps) + " steps");
  }
}

TEST_CASE("each replica has its own weights and batches", "[donate]") {
  const Trained trained = train_so_many(3, 2);
  check::expect_close(trained.weights[0][0].to_host(), td::full({2}, 6.0), 1e-5, "replica 0");
  check::expect_close(trained.weights[1][0].to_host(), td::full({2}, 1306.0), 1e-5, "replica 1");
  check::expect(trained.losses.size() == 3,
                "2 replicas, 3 steps: on_loss is called once per step, 3 times; it was called " +
                    std::to_string(trained.losses.size()) + " times");
  check::expect_close(trained.losses, std::vector<double>{2, 5, 9}, 1e-5,
                      "2 replicas: the losses of replica 0");
}

TEST_CASE("three replicas", "[donate]") {
  const Trained trained = train_so_many(2, 3);
  for (int r = 0; r < 3; ++r)
    check::expect_close(trained.weights[static_cast<std::size_t>(r)][0].to_host(),
                        td::full({2}, 1000.0 * r + 3 + 200 * r), 1e-5,
                        "replica " + std::to_string(r) + " of 3");
}

TEST_CASE("several weights keep their order", "[donate]") {
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
  const auto scalar = [&](double value) { return client.to_device(td::full({}, value)); };
  std::vector<double> losses;
  const auto weights = train(
      step, {{scalar(1), scalar(2)}}, 2,
      [&](std::size_t n, std::size_t) -> std::vector<Buffer> {
        return {scalar(static_cast<double>(n + 3)), scalar(static_cast<double>(n + 5))};
      },
      [&](std::size_t, const Buffer& loss) { losses.push_back(loss.to_host().item<double>()); });
  check::expect(weights.at(0).size() == 2, "two weights and one loss: expected 2 weights, got " +
                                               std::to_string(weights[0].size()));
  check::expect_close(weights[0][0].to_host().item<double>(), 8, 1e-5, "the first weight");
  check::expect_close(weights[0][1].to_host().item<double>(), -9, 1e-5, "the second weight");
  check::expect_close(losses, std::vector<double>{2, -12}, 1e-5, "the losses");
}

TEST_CASE("an error of upload reaches the caller", "[donate]") {
  const td::xla::Client& client = client_with(1);
  check::expect_throws<std::runtime_error>(
      [&] {
        train(
            add_step(1), {{client.to_device(td::zeros({2}))}}, 3,
            [&](std::size_t n, std::size_t) -> std::vector<Buffer> {
              if (n == 1) throw std::runtime_error("the disk is full");
              return {client.to_device(td::ones({2}))};
            },
            [](std::size_t, const Buffer&) {});
      },
      {"the disk is full"}, "upload(1, 0) throws");
}

TEST_CASE("every step's loss is shown, in order", "[donate]") {
  const Trained trained = train_so_many(3, 1);
  check::expect(trained.losses.size() == 3,
                "expected 3 losses, got " + std::to_string(trained.losses.size()));
  for (std::size_t n = 0; n < 3; ++n)
    check::expect_close(trained.losses[n], sum_of_steps(n + 1) + static_cast<double>(n + 1), 1e-5,
                        "the loss of step " + std::to_string(n));
}

TEST_CASE("the next batch is uploaded while a step runs", "[donate]") {
  const Trained trained = train_so_many(3, 1);
  std::string calls;
  for (const std::string& call : trained.calls) calls += (calls.empty() ? "" : ", ") + call;
  const std::string expected = "upload 0, upload 1, loss 0, upload 2, loss 1, loss 2";
  check::expect(calls == expected, "expected the calls " + expected + "; got " + calls);
}

TEST_CASE("no steps: the weights do not change, and nothing is uploaded", "[donate]") {
  const Trained trained = train_so_many(0, 1);
  check::expect_close(trained.weights[0][0].to_host(), td::zeros({2}), 0, "the weight");
  check::expect(trained.calls.empty(), "something was uploaded or shown");
}

TEST_CASE("each step starts before the next upload, and after the loss before it", "[donate]") {
  const td::xla::Client& client = client_with(1);
  // The batch is donated, too, so that a started step is seen: its batch is deleted.
  static const Executable& step = *new Executable(compile(client, R"(
module @takes_the_batch {
  func.func public @main(%w: tensor<2xf32> {tf.aliasing_output = 0 : i32},
                         %x: tensor<2xf32> {tf.aliasing_output = 1 : i32})
      -> (tensor<2xf32>, tensor<2xf32>) {
    %sum = stablehlo.add %w, %x : tensor<2xf32>
    %loss = stablehlo.add %sum, %x : tensor<2xf32>
    return %sum, %loss : tensor<2xf32>, tensor<2xf32>
  }
}
)"));
  std::vector<Buffer> batches;
  const auto started = [&](std::size_t n) { return n < batches.size() && batches[n].is_deleted(); };
  train(
      step, {{client.to_device(td::zeros({2}))}}, 4,
      [&](std::size_t n, std::size_t) -> std::vector<Buffer> {
        check::expect(n == 0 || started(n - 1),
                      "upload(" + std::to_string(n) + ", 0) was called before step " +
                          std::to_string(n - 1) +
                          " was started: start a step first, then upload the next batch while it "
                          "runs");
        batches.push_back(client.to_device(td::ones({2})));
        return {batches.back()};
      },
      [&](std::size_t n, const Buffer&) {
        check::expect(!started(n + 1), "step " + std::to_string(n + 1) +
                                           " was started before on_loss(" + std::to_string(n) +
                                           ", ...) was called");
      });
}

// Tests of train: a step that adds its batch to the one weight and returns the sum as the loss too.
// XLA itself refuses weights that were given away; the order of calls shows the overlap.
#include "plugin.h"

namespace {

constexpr const char* kAddStep = R"(
module @train_step attributes {mhlo.num_replicas = {R} : i32, mhlo.num_partitions = 1 : i32} {
  func.func public @main(%w: tensor<2xf32> {tf.aliasing_output = 0 : i32}, %x: tensor<2xf32>)
      -> (tensor<2xf32>, tensor<2xf32>) {
    %sum = stablehlo.add %w, %x : tensor<2xf32>
    %loss = stablehlo.add %sum, %x : tensor<2xf32>
    return %sum, %loss : tensor<2xf32>, tensor<2xf32>
  }
}
)";

// Trains; the batch of step n on replica r is full of n + 1 + 100 r. Notes what was called when.
struct Trained {
  std::vector<std::vector<Buffer>> weights;
  std::vector<std::string> calls;
  std::vector<double> losses;
};

Trained train_so_many(std::size_t steps, int replicas) {
  const td::xla::Client client = client_with(replicas);
  const Executable step =
      compile(client, fill(kAddStep, {{"R", std::to_string(replicas)}}), replicas);
  std::vector<std::vector<Buffer>> weights;
  for (int r = 0; r < replicas; ++r)
    weights.push_back({client.to_device(td::full({2}, 1000.0 * r), static_cast<std::size_t>(r))});
  Trained trained;
  trained.weights = train(
      step, weights, steps,
      [&](std::size_t n, std::size_t r) -> std::vector<Buffer> {
        check::expect(n < steps, "upload(" + std::to_string(n) +
                                     ") was called, but there are only " + std::to_string(steps) +
                                     " steps");
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
    check::expect(replica.size() == 1, "expected 1 weight a replica (the loss is not one), got " +
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

TEST_CASE("no steps: the weights as they are, and nothing is uploaded", "[donate]") {
  const Trained trained = train_so_many(0, 1);
  check::expect_close(trained.weights[0][0].to_host(), td::zeros({2}), 0, "the weight");
  check::expect(trained.calls.empty(), "something was uploaded or shown");
}

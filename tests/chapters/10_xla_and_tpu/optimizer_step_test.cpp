// Tests of optimizer_step: XLA compiles the lines for several replicas and runs them.
#include "names.h"
#include "plugin.h"

namespace {

// The `sum` that the exercise gets, written without the learner's all_reduce.
SumOverReplicas sum_over(int replicas) {
  return [replicas](const std::string& value, const std::string& result, const std::string& type) {
    std::string group;
    for (int r = 0; r < replicas; ++r) group += (r ? ", " : "") + std::to_string(r);
    return fill(R"(
    %{r} = "stablehlo.all_reduce"(%{v}) ({
      ^bb0(%{r}_x: tensor<f32>, %{r}_y: tensor<f32>):
        %{r}_z = stablehlo.add %{r}_x, %{r}_y : tensor<f32>
        stablehlo.return %{r}_z : tensor<f32>
    }) {replica_groups = dense<[[{group}]]> : tensor<1x{R}xi64>} : ({T}) -> {T}
)",
                {{"r", result},
                 {"v", value},
                 {"T", type},
                 {"group", group},
                 {"R", std::to_string(replicas)}});
  };
}

// A step of two parameters of different types: a [2, 3] and a [3].
std::string program_around(const std::string& lines, int replicas) {
  return fill(R"(
module @optimizer attributes {mhlo.num_replicas = {R} : i32, mhlo.num_partitions = 1 : i32} {
  func.func public @main(%a: tensor<2x3xf32>, %b: tensor<3xf32>, %grad_a: tensor<2x3xf32>,
                         %grad_b: tensor<3xf32>) -> (tensor<2x3xf32>, tensor<3xf32>) {
    // Names that are taken: the function's own.
    %lr = stablehlo.constant dense<0.0> : tensor<f32>
    %mean = stablehlo.constant dense<0.0> : tensor<f32>
    %scale = stablehlo.constant dense<0.0> : tensor<f32>
    {lines}
    return %new_a, %new_b : tensor<2x3xf32>, tensor<3xf32>
  }
}
)",
              {{"R", std::to_string(replicas)}, {"lines", lines}});
}

td::Tensor values(td::IntArrayRef sizes, double first) {
  td::Tensor tensor = td::zeros(sizes);
  float* const data = tensor.data_ptr<float>();
  for (std::int64_t i = 0; i < tensor.numel(); ++i)
    data[i] = static_cast<float>(first + 0.5 * static_cast<double>(i));
  return tensor;
}

void expect_step(int replicas, double lr) {
  const td::xla::Client& client = client_with(replicas);
  int sums = 0;
  const SumOverReplicas sum = sum_over(replicas);
  const std::string lines = optimizer_step(
      {{"a", "grad_a", "new_a", "tensor<2x3xf32>"}, {"b", "grad_b", "new_b", "tensor<3xf32>"}}, lr,
      replicas, [&](const std::string& value, const std::string& result, const std::string& type) {
        ++sums;
        return sum(value, result, type);
      });
  check::expect(sums == 2, "two parameters: expected 2 calls of sum, one per gradient, got " +
                               std::to_string(sums));
  const Executable program = compile(client, program_around(lines, replicas), replicas);
  const td::Tensor a = values({2, 3}, 1), b = values({3}, -2);
  std::vector<std::vector<Buffer>> arguments;
  td::Tensor mean_a = td::zeros({2, 3}), mean_b = td::zeros({3});
  for (int r = 0; r < replicas; ++r) {
    const td::Tensor grad_a = values({2, 3}, 3 * r + 1), grad_b = values({3}, 10 - 7 * r);
    mean_a = mean_a + grad_a / replicas;
    mean_b = mean_b + grad_b / replicas;
    const auto device = static_cast<std::size_t>(r);
    arguments.push_back({client.to_device(a, device), client.to_device(b, device),
                         client.to_device(grad_a, device), client.to_device(grad_b, device)});
  }
  td::xla::Run run = program.start(arguments);
  run.wait();
  for (int r = 0; r < replicas; ++r) {
    const std::string what = std::to_string(replicas) + " replicas, lr " + std::to_string(lr) +
                             ", replica " + std::to_string(r) +
                             ": weight - lr * mean of the gradients, ";
    const auto& results = run.outputs(static_cast<std::size_t>(r));
    check::expect_close(results.at(0).to_host(), a - mean_a * lr, 1e-5, what + "first parameter");
    check::expect_close(results.at(1).to_host(), b - mean_b * lr, 1e-5, what + "second parameter");
  }
}

}  // namespace

TEST_CASE("one replica: plain SGD", "[optimizer_step]") { expect_step(1, 0.5); }

TEST_CASE("two replicas take the mean of their gradients", "[optimizer_step]") {
  expect_step(2, 0.5);
}

TEST_CASE("three replicas, and a small learning rate", "[optimizer_step]") {
  expect_step(3, 0.001);
}

TEST_CASE("a learning rate keeps its digits", "[optimizer_step]") {
  const std::string lines =
      optimizer_step({{"w", "g", "next", "tensor<f32>"}}, 1.23456789e-7, 1, sum_over(1));
  const td::xla::Client& client = client_with(1);
  const Executable program = compile(client, fill(R"(
module @small {
  func.func public @main(%w: tensor<f32>, %g: tensor<f32>) -> tensor<f32> {
    {lines}
    return %next : tensor<f32>
  }
}
)",
                                                  {{"lines", lines}}));
  const double result =
      program.run({client.to_device(td::zeros({})), client.to_device(td::full({}, 1e7))})
          .at(0)
          .to_host()
          .item<double>();
  check::expect_close(result, -1.23456789, 1e-5,
                      "weight 0, gradient 1e7, lr 1.23456789e-7, one replica");
}

TEST_CASE("all names begin with that of the parameter's result", "[optimizer_step]") {
  client_with(2);  // without the plugin, nothing says whether the lines are right
  expect_names(optimizer_step({{"a", "grad_a", "new_a", "tensor<2x3xf32>"},
                               {"b", "grad_b", "new_b", "tensor<3xf32>"}},
                              0.5, 2, sum_over(2)),
               {"new_a", "new_b"});
}

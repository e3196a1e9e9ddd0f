// Tests of optimizer_step: XLA compiles the lines for several replicas and runs them.
#include <cmath>
#include <sstream>

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

constexpr const char* kTypes[] = {"tensor<2x3xf32>", "tensor<3xf32>", "tensor<f32>"};
const std::vector<std::vector<std::int64_t>> kSizes = {{2, 3}, {3}, {}};
const std::vector<Parameter> kParameters = {{"a", "grad_a", "new_a", kTypes[0]},
                                            {"b", "grad_b", "new_b", kTypes[1]},
                                            {"c", "grad_c", "new_c", kTypes[2]}};

// A step of three parameters of different types.
std::string program_around(const std::string& lines, int replicas) {
  return fill(R"(
module @optimizer attributes {mhlo.num_replicas = {R} : i32, mhlo.num_partitions = 1 : i32} {
  func.func public @main(%a: {A}, %b: {B}, %c: {C}, %grad_a: {A}, %grad_b: {B}, %grad_c: {C})
      -> ({A}, {B}, {C}) {
    // Names that are taken: the function's own.
    %lr = stablehlo.constant dense<0.0> : tensor<f32>
    %mean = stablehlo.constant dense<0.0> : tensor<f32>
    %norm = stablehlo.constant dense<0.0> : tensor<f32>
    {lines}
    return %new_a, %new_b, %new_c : {A}, {B}, {C}
  }
}
)",
              {{"R", std::to_string(replicas)},
               {"lines", lines},
               {"A", kTypes[0]},
               {"B", kTypes[1]},
               {"C", kTypes[2]}});
}

// One case: gradients by a formula of replica, parameter and element.
struct Case {
  int replicas = 1;
  double lr = 0.5, max_norm = 1000;
  double size = 1;  // factor of the gradients
};

double gradient(const Case& c, int replica, std::size_t parameter, std::int64_t element) {
  const double by_replica = replica % 2 ? -2.5 : 3;  // the replicas disagree
  return c.size * (by_replica + static_cast<double>(parameter) +
                   0.5 * static_cast<double>(element) * (replica + 1));
}

std::vector<double> filled(std::size_t parameter,
                           const std::function<double(std::int64_t element)>& value) {
  std::int64_t count = 1;
  for (const std::int64_t size : kSizes[parameter]) count *= size;
  std::vector<double> values;
  for (std::int64_t i = 0; i < count; ++i) values.push_back(value(i));
  return values;
}

// The gradient of all rows: the mean over the replicas, then clipped.
std::vector<std::vector<double>> clipped_means(const Case& c) {
  std::vector<std::vector<double>> means;
  double squares = 0;
  for (std::size_t p = 0; p < 3; ++p) {
    means.push_back(filled(p, [&](std::int64_t i) {
      double sum = 0;
      for (int r = 0; r < c.replicas; ++r) sum += gradient(c, r, p, i);
      return sum / c.replicas;
    }));
    for (const double mean : means[p]) squares += mean * mean;
  }
  const double norm = std::sqrt(squares);
  for (std::vector<double>& mean : means)
    for (double& value : mean)
      if (norm > c.max_norm) value *= c.max_norm / norm;
  return means;
}

double weight(std::size_t parameter, std::int64_t element) {
  return 1 - static_cast<double>(parameter) + 0.25 * static_cast<double>(element);
}

td::Tensor tensor_of(std::size_t parameter, const std::vector<double>& values) {
  return td::tensor(values).to(td::kFloat32).reshape(kSizes[parameter]);
}

void expect_step(const Case& c) {
  const td::xla::Client& client = client_with(c.replicas);
  int sums = 0;
  const SumOverReplicas sum = sum_over(c.replicas);
  const std::string lines = optimizer_step(
      kParameters, c.lr, c.max_norm, c.replicas,
      [&](const std::string& value, const std::string& result, const std::string& type) {
        ++sums;
        return sum(value, result, type);
      });
  check::expect(sums == 3, "three parameters: expected 3 calls of sum, one per gradient, got " +
                               std::to_string(sums));
  const Executable program = compile(client, program_around(lines, c.replicas), c.replicas);
  std::vector<std::vector<Buffer>> arguments(static_cast<std::size_t>(c.replicas));
  for (int r = 0; r < c.replicas; ++r) {
    const auto device = static_cast<std::size_t>(r);
    const auto pass = [&](std::size_t p, const std::function<double(std::int64_t)>& value) {
      arguments[device].push_back(client.to_device(tensor_of(p, filled(p, value)), device));
    };
    for (std::size_t p = 0; p < 3; ++p) pass(p, [&](std::int64_t i) { return weight(p, i); });
    for (std::size_t p = 0; p < 3; ++p)
      pass(p, [&](std::int64_t i) { return gradient(c, r, p, i); });
  }
  td::xla::Run run = program.start(arguments);
  run.wait();
  const auto means = clipped_means(c);
  for (int r = 0; r < c.replicas; ++r)
    for (std::size_t p = 0; p < 3; ++p) {
      const std::vector<double> expected = filled(p, [&](std::int64_t i) {
        return weight(p, i) - c.lr * means[p].at(static_cast<std::size_t>(i));
      });
      std::ostringstream what;
      what << c.replicas << " replicas, lr " << c.lr << ", max_norm " << c.max_norm << ", replica "
           << r << ", parameter " << kParameters[p].weight
           << ": weight - lr * clipped gradient of all rows";
      check::expect_close(check::values(run.outputs(static_cast<std::size_t>(r)).at(p).to_host()),
                          expected, 1e-4, what.str());
    }
}

}  // namespace

TEST_CASE("one replica without clipping: plain SGD", "[optimizer_step]") { expect_step({}); }

TEST_CASE("two and three replicas make the step of the mean", "[optimizer_step]") {
  expect_step({.replicas = 2});
  expect_step({.replicas = 3, .lr = 0.001});
}

TEST_CASE("one replica clips the norm over all parameters", "[optimizer_step]") {
  expect_step({.max_norm = 2});
}

TEST_CASE("two replicas clip as one device with all rows", "[optimizer_step]") {
  for (const double max_norm : {0.5, 4.0}) expect_step({.replicas = 2, .max_norm = max_norm});
  expect_step({.replicas = 3, .lr = 2, .max_norm = 1.5});
}

TEST_CASE("a norm just below the limit is not clipped", "[optimizer_step]") {
  // The norm of the mean is below the limit; that of each replica's gradient is above it.
  expect_step({.replicas = 2, .max_norm = 8});
}

TEST_CASE("a limit keeps its digits", "[optimizer_step]") {
  expect_step({.lr = 1e7, .max_norm = 1.23456789e-7});
}

TEST_CASE("gradients that are all 0 change nothing", "[optimizer_step]") {
  expect_step({.replicas = 2, .max_norm = 1, .size = 0});
}

TEST_CASE("a learning rate keeps its digits", "[optimizer_step]") {
  const std::string lines =
      optimizer_step({{"w", "g", "next", "tensor<f32>"}}, 1.23456789e-7, 1e9, 1, sum_over(1));
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

TEST_CASE("all names begin with that of a parameter's result", "[optimizer_step]") {
  client_with(2);  // without the plugin, nothing says whether the lines are right
  expect_names(optimizer_step(kParameters, 0.5, 1, 2, sum_over(2)), {"new_a", "new_b", "new_c"});
}

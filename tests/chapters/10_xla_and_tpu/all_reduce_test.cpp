// Tests of all_reduce: XLA compiles the line for several replicas and runs it.
#include "names.h"
#include "plugin.h"

namespace {

std::string program_around(const std::string& lines, const std::string& type, int replicas) {
  return fill(R"(
module @sum attributes {mhlo.num_replicas = {R} : i32, mhlo.num_partitions = 1 : i32} {
  func.func public @main(%mine: {T}) -> {T} {
    // Names that are taken: the function's own.
    %a = stablehlo.constant dense<0.0> : tensor<f32>
    %b = stablehlo.constant dense<0.0> : tensor<f32>
    %sum = stablehlo.constant dense<0.0> : tensor<f32>
    {lines}
    return %everyones : {T}
  }
}
)",
              {{"R", std::to_string(replicas)}, {"T", type}, {"lines", lines}});
}

// Replica r brings values of `sizes` that begin with 10^r.
void expect_sum(const std::string& type, td::IntArrayRef sizes, int replicas) {
  const td::xla::Client& client = client_with(replicas);
  const Executable program = compile(
      client, program_around(all_reduce("mine", "everyones", type, replicas), type, replicas),
      replicas);
  std::vector<std::vector<Buffer>> arguments;
  td::Tensor expected = td::zeros(sizes), value = td::ones(sizes);
  value.view({-1})[0] = 2.0;  // so that mixed up elements are seen
  for (int r = 0; r < replicas; ++r) {
    arguments.push_back({client.to_device(value, static_cast<std::size_t>(r))});
    expected = expected + value;
    value = value * 10;
  }
  td::xla::Run run = program.start(arguments);
  run.wait();
  for (int r = 0; r < replicas; ++r)
    check::expect_close(
        run.outputs(static_cast<std::size_t>(r)).at(0).to_host(), expected, 1e-3,
        type + ", " + std::to_string(replicas) + " replicas, replica " + std::to_string(r));
}

}  // namespace

TEST_CASE("two replicas, as in the example", "[all_reduce]") {
  expect_sum("tensor<1xf32>", {1}, 2);
}

TEST_CASE("values of all sizes", "[all_reduce]") {
  expect_sum("tensor<f32>", {}, 2);
  expect_sum("tensor<1x10xf32>", {1, 10}, 2);
  expect_sum("tensor<3x7xf32>", {3, 7}, 2);
}

TEST_CASE("three replicas, and a single replica", "[all_reduce]") {
  expect_sum("tensor<1x10xf32>", {1, 10}, 3);
  expect_sum("tensor<1x10xf32>", {1, 10}, 1);
}

TEST_CASE("four replicas form one group, too", "[all_reduce]") {
  expect_sum("tensor<1x10xf32>", {1, 10}, 4);
}

TEST_CASE("two sums in one program have different names", "[all_reduce]") {
  const td::xla::Client& client = client_with(2);
  const std::string lines = all_reduce("mine", "total", "tensor<2xf32>", 2) +
                            all_reduce("total", "everyones", "tensor<2xf32>", 2);
  const Executable program = compile(client, program_around(lines, "tensor<2xf32>", 2), 2);
  td::xla::Run run = program.start(
      {{client.to_device(td::full({2}, 1.0), 0)}, {client.to_device(td::full({2}, 10.0), 1)}});
  run.wait();
  for (std::size_t r = 0; r < 2; ++r)
    check::expect_close(run.outputs(r).at(0).to_host(), td::full({2}, 22.0), 1e-3,
                        "the sum of the sums of 1 and 10, replica " + std::to_string(r));
}

TEST_CASE("all names begin with that of the result", "[all_reduce]") {
  client_with(2);  // without the plugin, nothing says whether the lines are right
  expect_names(all_reduce("mine", "everyones", "tensor<2xf32>", 2), {"everyones"});
}

// Tests of gradients: XLA compiles and runs the lines; double precision on the host says what they
// must give.
#include "plugin.h"

namespace {

// Only the backward pass: x and the error go in, both gradients come out.
std::string program_around(const std::string& lines, int rows, int features) {
  return fill(R"(
module @backward {
  func.func public @main(%x: tensor<{B}x{F}xf32>, %error: tensor<{B}x1xf32>)
      -> (tensor<1x{F}xf32>, tensor<1xf32>) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    {lines}
    return %grad_w, %grad_b : tensor<1x{F}xf32>, tensor<1xf32>
  }
}
)",
              {{"B", std::to_string(rows)}, {"F", std::to_string(features)}, {"lines", lines}});
}

void expect_gradients(int rows, int features) {
  const td::xla::Client& client = client_with(1);
  const Executable program =
      compile(client, program_around(gradients(rows, features), rows, features));
  td::manual_seed(static_cast<std::uint64_t>(rows));
  const td::Tensor x = td::randn({rows, features}), error = td::randn({rows, 1});
  const std::vector<Buffer> results = program.run({client.to_device(x), client.to_device(error)});
  const std::string what =
      std::to_string(rows) + " rows, " + std::to_string(features) + " features";
  for (int k = 0; k <= features; ++k) {  // the bias at the end, whose input is always 1
    double expected = 0;
    for (int row = 0; row < rows; ++row)
      expected += 2.0 / rows * error.data_ptr<float>()[row] *
                  (k < features ? x.data_ptr<float>()[row * features + k] : 1.0F);
    const td::Tensor values = results[k < features ? 0 : 1].to_host();
    check::expect_close(
        values.data_ptr<float>()[k < features ? k : 0], expected, 1e-5,
        what + ", gradient of " + (k < features ? "w[" + std::to_string(k) + "]" : "b"));
  }
}

}  // namespace

TEST_CASE("one row, as in the example", "[gradients]") {
  const td::xla::Client& client = client_with(1);
  const Executable program = compile(client, program_around(gradients(1, 10), 1, 10));
  const auto results =
      program.run({client.to_device(td::ones({1, 10})), client.to_device(td::full({1, 1}, 3.0))});
  check::expect_close(results[0].to_host().view({-1}), td::full({10}, 6.0), 1e-4,
                      "one row of ones with error 3, %grad_w");
  check::expect_close(results[1].to_host().item<double>(), 6, 1e-5,
                      "one row of ones with error 3, %grad_b");
}

TEST_CASE("any number of rows", "[gradients]") {
  for (const int rows : {1, 31, 33}) expect_gradients(rows, 10);
}

TEST_CASE("many rows, whose factor needs all digits", "[gradients]") { expect_gradients(7001, 3); }

TEST_CASE("other numbers of features, also one", "[gradients]") {
  expect_gradients(16, 1);
  expect_gradients(3, 7);
}

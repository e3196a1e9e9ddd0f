// expect: 7001 rows
// std::to_string keeps six decimals: too few for a small factor.
#include "exercises.h"
#include "programs.h"

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

// Sums first, then scales each gradient; the bias by a product with ones.
#include "exercises.h"
#include "programs.h"

std::string gradients(int rows, int features) {
  return fill(
      R"(
    %gw0 = stablehlo.dot_general %error, %x, contracting_dims = [0] x [0]
      : (tensor<{B}x1xf32>, tensor<{B}x{F}xf32>) -> tensor<1x{F}xf32>
    %cw = stablehlo.constant dense<{c}> : tensor<1x{F}xf32>
    %grad_w = stablehlo.multiply %cw, %gw0 : tensor<1x{F}xf32>
    %ones = stablehlo.constant dense<1.0> : tensor<{B}xf32>
    %gb0 = stablehlo.dot_general %ones, %error, contracting_dims = [0] x [0]
      : (tensor<{B}xf32>, tensor<{B}x1xf32>) -> tensor<1xf32>
    %cb = stablehlo.constant dense<{c}> : tensor<1xf32>
    %grad_b = stablehlo.multiply %gb0, %cb : tensor<1xf32>
)",
      {{"B", std::to_string(rows)}, {"F", std::to_string(features)}, {"c", number(2.0 / rows)}});
}

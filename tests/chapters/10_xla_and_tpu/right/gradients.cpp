#include "exercises.h"

#include "programs.h"

// answer: doubles_and_divides
// Adds the error to itself and divides by B; the text is put together with +.
namespace doubles_and_divides {
std::string gradients(int rows, int features) {
  const std::string b = std::to_string(rows), f = std::to_string(features);
  const std::string column = "tensor<" + b + "x1xf32>";
  return "%twice = stablehlo.add %error, %error : " + column +
         "\n%count = stablehlo.constant dense<" + b + ".0> : " + column +
         "\n%g = stablehlo.divide %twice, %count : " + column +
         "\n%grad_w = stablehlo.dot_general %g, %x, contracting_dims = [0] x [0] : (" + column +
         ", tensor<" + b + "x" + f + "xf32>) -> tensor<1x" + f +
         "xf32>\n%grad_b = stablehlo.reduce(%g init: %zero) applies stablehlo.add across "
         "dimensions "
         "= [0] : (" +
         column + ", tensor<f32>) -> tensor<1xf32>\n";
}
}  // namespace doubles_and_divides

// answer: scales_at_the_end
// Sums first, then scales each gradient; the bias by a product with ones.
namespace scales_at_the_end {
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
}  // namespace scales_at_the_end

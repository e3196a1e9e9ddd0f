// Adds the error to itself and divides by B; the text is put together with +.
#include "exercises.h"

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

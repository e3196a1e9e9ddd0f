// Two training steps as complete programs in StableHLO. Every value has a name and a type with all
// its sizes, so that XLA can plan memory and fuse operations before anything runs. A step for
// another batch size is another program.
#pragma once

#include <iomanip>
#include <map>
#include <sstream>
#include <string>

/// Returns `text` with each {name} replaced.
inline std::string fill(std::string text, const std::map<std::string, std::string>& values) {
  for (const auto& [name, value] : values) {
    const std::string hole = "{" + name + "}";
    for (auto at = text.find(hole); at != std::string::npos; at = text.find(hole, at)) {
      text.replace(at, hole.size(), value);
      at += value.size();
    }
  }
  return text;
}

/// Returns a number as StableHLO reads it without loss: 6.250000000e-02.
inline std::string number(double value) {
  std::ostringstream text;
  text << std::scientific << std::setprecision(9) << value;
  return text.str();
}

/// Returns lines that define %result: tensor<f32> as the sum of the squares of all elements of
/// %value. Further names begin with that of the result.
inline std::string sum_of_squares(const std::string& value, const std::string& result,
                                  const std::string& type) {
  std::string dimensions;
  for (std::size_t at = 0, n = 0; (at = type.find('x', at)) != std::string::npos; ++at, ++n)
    dimensions += (n ? ", " : "") + std::to_string(n);
  return fill(R"(
    %{r}_square = stablehlo.multiply %{v}, %{v} : {T}
    %{r}_zero = stablehlo.constant dense<0.0> : tensor<f32>
    %{r} = stablehlo.reduce(%{r}_square init: %{r}_zero) applies stablehlo.add
      across dimensions = [{dimensions}] : ({T}, tensor<f32>) -> tensor<f32>
)",
              {{"r", result}, {"v", value}, {"T", type}, {"dimensions", dimensions}});
}

/// One step of the linear model: mean squared error, SGD. The weights %w and %b are donated: the
/// results 0 and 1 are stored in their memory. {backward} defines %grad_w and %grad_b of this
/// replica, {mean_loss} defines %loss, and {optimizer_step} %new_w and %new_b.
inline constexpr const char* kLinearStep = R"(
module @train_step attributes {mhlo.num_replicas = {R} : i32, mhlo.num_partitions = 1 : i32} {
  func.func public @main(%w: tensor<1x10xf32> {tf.aliasing_output = 0 : i32},
                         %b: tensor<1xf32> {tf.aliasing_output = 1 : i32},
                         %x: tensor<{B}x10xf32>, %y: tensor<{B}x1xf32>)
      -> (tensor<1x10xf32>, tensor<1xf32>, tensor<f32>) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    // forward: output = x w^T + b
    %product = stablehlo.dot_general %x, %w, contracting_dims = [1] x [1]
      : (tensor<{B}x10xf32>, tensor<1x10xf32>) -> tensor<{B}x1xf32>
    %bias = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<1xf32>) -> tensor<{B}x1xf32>
    %output = stablehlo.add %product, %bias : tensor<{B}x1xf32>
    // loss: the mean of (output - y)^2 over the rows of this replica
    %error = stablehlo.subtract %output, %y : tensor<{B}x1xf32>
    %square = stablehlo.multiply %error, %error : tensor<{B}x1xf32>
    %total = stablehlo.reduce(%square init: %zero) applies stablehlo.add across dimensions = [0, 1]
      : (tensor<{B}x1xf32>, tensor<f32>) -> tensor<f32>
    %share = stablehlo.constant dense<{one_over_B}> : tensor<f32>
    %own_loss = stablehlo.multiply %total, %share : tensor<f32>
    {mean_loss}
    {backward}
    {optimizer_step}
    return %new_w, %new_b, %loss : tensor<1x10xf32>, tensor<1xf32>, tensor<f32>
  }
}
)";

/// One step of a linear classifier of two classes: cross entropy, Adam (Kingma and Ba, 2015), whose
/// two averages and step count are weights like the others. {mean_gradients} defines %gw, %gb and
/// %loss.
inline constexpr const char* kClassifierStep = R"(
module @train_step attributes {mhlo.num_replicas = {R} : i32, mhlo.num_partitions = 1 : i32} {
  func.func public @main(%w: tensor<2x10xf32> {tf.aliasing_output = 0 : i32},
                         %b: tensor<2xf32> {tf.aliasing_output = 1 : i32},
                         %mw: tensor<2x10xf32> {tf.aliasing_output = 2 : i32},
                         %mb: tensor<2xf32> {tf.aliasing_output = 3 : i32},
                         %vw: tensor<2x10xf32> {tf.aliasing_output = 4 : i32},
                         %vb: tensor<2xf32> {tf.aliasing_output = 5 : i32},
                         %t: tensor<f32> {tf.aliasing_output = 6 : i32},
                         %x: tensor<{B}x10xf32>, %y: tensor<{B}xi64>)
      -> (tensor<2x10xf32>, tensor<2xf32>, tensor<2x10xf32>, tensor<2xf32>, tensor<2x10xf32>,
          tensor<2xf32>, tensor<f32>, tensor<f32>) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %one = stablehlo.constant dense<1.0> : tensor<f32>
    %lowest = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %share = stablehlo.constant dense<{one_over_B}> : tensor<f32>
    // forward, and the softmax of its output without overflow
    %product = stablehlo.dot_general %x, %w, contracting_dims = [1] x [1]
      : (tensor<{B}x10xf32>, tensor<2x10xf32>) -> tensor<{B}x2xf32>
    %bias = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<2xf32>) -> tensor<{B}x2xf32>
    %output = stablehlo.add %product, %bias : tensor<{B}x2xf32>
    %largest = stablehlo.reduce(%output init: %lowest) applies stablehlo.maximum
      across dimensions = [1] : (tensor<{B}x2xf32>, tensor<f32>) -> tensor<{B}xf32>
    %top = stablehlo.broadcast_in_dim %largest, dims = [0] : (tensor<{B}xf32>) -> tensor<{B}x2xf32>
    %shifted = stablehlo.subtract %output, %top : tensor<{B}x2xf32>
    %exp = stablehlo.exponential %shifted : tensor<{B}x2xf32>
    %norm = stablehlo.reduce(%exp init: %zero) applies stablehlo.add across dimensions = [1]
      : (tensor<{B}x2xf32>, tensor<f32>) -> tensor<{B}xf32>
    %log_norm = stablehlo.log %norm : tensor<{B}xf32>
    // the output of the right class, by a mask of ones: class == y
    %class = stablehlo.iota dim = 1 : tensor<{B}x2xi64>
    %wanted = stablehlo.broadcast_in_dim %y, dims = [0] : (tensor<{B}xi64>) -> tensor<{B}x2xi64>
    %is = stablehlo.compare EQ, %class, %wanted
      : (tensor<{B}x2xi64>, tensor<{B}x2xi64>) -> tensor<{B}x2xi1>
    %mask = stablehlo.convert %is : (tensor<{B}x2xi1>) -> tensor<{B}x2xf32>
    %picked = stablehlo.multiply %shifted, %mask : tensor<{B}x2xf32>
    %right = stablehlo.reduce(%picked init: %zero) applies stablehlo.add across dimensions = [1]
      : (tensor<{B}x2xf32>, tensor<f32>) -> tensor<{B}xf32>
    %losses = stablehlo.subtract %log_norm, %right : tensor<{B}xf32>
    %total = stablehlo.reduce(%losses init: %zero) applies stablehlo.add across dimensions = [0]
      : (tensor<{B}xf32>, tensor<f32>) -> tensor<f32>
    %own_loss = stablehlo.multiply %total, %share : tensor<f32>
    // backward: (softmax - mask) / B
    %norms = stablehlo.broadcast_in_dim %norm, dims = [0] : (tensor<{B}xf32>) -> tensor<{B}x2xf32>
    %softmax = stablehlo.divide %exp, %norms : tensor<{B}x2xf32>
    %over = stablehlo.subtract %softmax, %mask : tensor<{B}x2xf32>
    %shares = stablehlo.broadcast_in_dim %share, dims = [] : (tensor<f32>) -> tensor<{B}x2xf32>
    %grad = stablehlo.multiply %over, %shares : tensor<{B}x2xf32>
    %grad_w = stablehlo.dot_general %grad, %x, contracting_dims = [0] x [0]
      : (tensor<{B}x2xf32>, tensor<{B}x10xf32>) -> tensor<2x10xf32>
    %grad_b = stablehlo.reduce(%grad init: %zero) applies stablehlo.add across dimensions = [0]
      : (tensor<{B}x2xf32>, tensor<f32>) -> tensor<2xf32>
    {mean_gradients}
    // Adam: how far the averages are from their start, then both weights
    %next = stablehlo.add %t, %one : tensor<f32>
    %beta1 = stablehlo.constant dense<{beta1}> : tensor<f32>
    %beta2 = stablehlo.constant dense<{beta2}> : tensor<f32>
    %power1 = stablehlo.power %beta1, %next : tensor<f32>
    %power2 = stablehlo.power %beta2, %next : tensor<f32>
    %bias1 = stablehlo.subtract %one, %power1 : tensor<f32>
    %bias2 = stablehlo.subtract %one, %power2 : tensor<f32>
    {adam_w}
    {adam_b}
    return %new_w, %new_b, %new_mw, %new_mb, %new_vw, %new_vb, %next, %loss
      : tensor<2x10xf32>, tensor<2xf32>, tensor<2x10xf32>, tensor<2xf32>, tensor<2x10xf32>,
        tensor<2xf32>, tensor<f32>, tensor<f32>
  }
}
)";

/// Adam for one weight {p} of type {T}: m and v move towards the gradient and its square, and the
/// weight by lr * (m / bias1) / (sqrt(v / bias2) + eps).
inline constexpr const char* kAdam = R"(
    %keep1{p} = stablehlo.constant dense<{beta1}> : {T}
    %take1{p} = stablehlo.constant dense<{one_minus_beta1}> : {T}
    %keep2{p} = stablehlo.constant dense<{beta2}> : {T}
    %take2{p} = stablehlo.constant dense<{one_minus_beta2}> : {T}
    %eps{p} = stablehlo.constant dense<{eps}> : {T}
    %lr{p} = stablehlo.constant dense<{lr}> : {T}
    %old_m{p} = stablehlo.multiply %m{p}, %keep1{p} : {T}
    %add_m{p} = stablehlo.multiply %g{p}, %take1{p} : {T}
    %new_m{p} = stablehlo.add %old_m{p}, %add_m{p} : {T}
    %square{p} = stablehlo.multiply %g{p}, %g{p} : {T}
    %old_v{p} = stablehlo.multiply %v{p}, %keep2{p} : {T}
    %add_v{p} = stablehlo.multiply %square{p}, %take2{p} : {T}
    %new_v{p} = stablehlo.add %old_v{p}, %add_v{p} : {T}
    %bias1{p} = stablehlo.broadcast_in_dim %bias1, dims = [] : (tensor<f32>) -> {T}
    %bias2{p} = stablehlo.broadcast_in_dim %bias2, dims = [] : (tensor<f32>) -> {T}
    %mean{p} = stablehlo.divide %new_m{p}, %bias1{p} : {T}
    %spread{p} = stablehlo.divide %new_v{p}, %bias2{p} : {T}
    %root{p} = stablehlo.sqrt %spread{p} : {T}
    %below{p} = stablehlo.add %root{p}, %eps{p} : {T}
    %ratio{p} = stablehlo.divide %mean{p}, %below{p} : {T}
    %move{p} = stablehlo.multiply %ratio{p}, %lr{p} : {T}
    %new_{p} = stablehlo.subtract %{p}, %move{p} : {T}
)";

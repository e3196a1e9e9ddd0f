#include "exercises.h"

// answer: mean_over_rows
// expect: the gradient of weight1 on cpu, N 5, I 3, H 7, O 2: index 0
// Divides by the rows only. Right where there is one output.
namespace mean_over_rows {
TwoLayers backward(const TwoLayers& net, const td::Tensor& x, const td::Tensor& target) {
  const td::NoGradGuard no_grad;
  const td::Tensor hidden = td::relu(x.matmul(net.weight1.t()) + net.bias1);
  const td::Tensor output = hidden.matmul(net.weight2.t()) + net.bias2;
  const td::Tensor d_output = (output - target) * (2.0 / static_cast<double>(x.size(0)));
  const td::Tensor d_hidden = d_output.matmul(net.weight2).where(hidden > 0, 0);
  return {d_hidden.t().matmul(x), d_hidden.sum(0), d_output.t().matmul(hidden), d_output.sum(0)};
}
}  // namespace mean_over_rows

// answer: forgets_relu
// expect: the gradient of weight1 on cpu, N
// The gradient passes where relu was off, too. Right on the example.
namespace forgets_relu {
TwoLayers backward(const TwoLayers& net, const td::Tensor& x, const td::Tensor& target) {
  const td::NoGradGuard no_grad;
  const td::Tensor hidden = td::relu(x.matmul(net.weight1.t()) + net.bias1);
  const td::Tensor output = hidden.matmul(net.weight2.t()) + net.bias2;
  const td::Tensor d_output = (output - target) * (2.0 / static_cast<double>(output.numel()));
  const td::Tensor d_hidden = d_output.matmul(net.weight2);
  return {d_hidden.t().matmul(x), d_hidden.sum(0), d_output.t().matmul(hidden), d_output.sum(0)};
}
}  // namespace forgets_relu

// answer: on_at_zero
// expect: the gradient of weight1 where all inputs of relu are 0
// The mask of the output of relu with >=, which is true everywhere.
namespace on_at_zero {
TwoLayers backward(const TwoLayers& net, const td::Tensor& x, const td::Tensor& target) {
  const td::NoGradGuard no_grad;
  const td::Tensor before = x.matmul(net.weight1.t()) + net.bias1, hidden = td::relu(before);
  const td::Tensor output = hidden.matmul(net.weight2.t()) + net.bias2;
  const td::Tensor d_output = (output - target) * (2.0 / static_cast<double>(output.numel()));
  const td::Tensor d_hidden = d_output.matmul(net.weight2).where(before >= 0, 0);
  return {d_hidden.t().matmul(x), d_hidden.sum(0), d_output.t().matmul(hidden), d_output.sum(0)};
}
}  // namespace on_at_zero

// answer: mask_by_product
// expect: the gradient of bias1 where relu is off and the loss is infinite: index 0
// 0 times infinity is NaN.
namespace mask_by_product {
TwoLayers backward(const TwoLayers& net, const td::Tensor& x, const td::Tensor& target) {
  const td::NoGradGuard no_grad;
  const td::Tensor hidden = td::relu(x.matmul(net.weight1.t()) + net.bias1);
  const td::Tensor output = hidden.matmul(net.weight2.t()) + net.bias2;
  const td::Tensor d_output = (output - target) * (2.0 / static_cast<double>(output.numel()));
  const td::Tensor d_hidden = d_output.matmul(net.weight2) * (hidden > 0).to(x.scalar_type());
  return {d_hidden.t().matmul(x), d_hidden.sum(0), d_output.t().matmul(hidden), d_output.sum(0)};
}
}  // namespace mask_by_product

// answer: bias_per_row
// expect: the gradient of bias1 on cpu
// The gradient of a bias is not summed over the batch. Right for one row but for its sizes.
namespace bias_per_row {
TwoLayers backward(const TwoLayers& net, const td::Tensor& x, const td::Tensor& target) {
  const td::NoGradGuard no_grad;
  const td::Tensor hidden = td::relu(x.matmul(net.weight1.t()) + net.bias1);
  const td::Tensor output = hidden.matmul(net.weight2.t()) + net.bias2;
  const td::Tensor d_output = (output - target) * (2.0 / static_cast<double>(output.numel()));
  const td::Tensor d_hidden = d_output.matmul(net.weight2).where(hidden > 0, 0);
  return {d_hidden.t().matmul(x), d_hidden, d_output.t().matmul(hidden), d_output};
}
}  // namespace bias_per_row

// answer: transposed_weights
// expect: the gradient of weight1 on cpu, N 5, I 3, H 7, O 2: expected sizes [7, 3], got [3, 7]
// The products the other way around.
namespace transposed_weights {
TwoLayers backward(const TwoLayers& net, const td::Tensor& x, const td::Tensor& target) {
  const td::NoGradGuard no_grad;
  const td::Tensor hidden = td::relu(x.matmul(net.weight1.t()) + net.bias1);
  const td::Tensor output = hidden.matmul(net.weight2.t()) + net.bias2;
  const td::Tensor d_output = (output - target) * (2.0 / static_cast<double>(output.numel()));
  const td::Tensor d_hidden = d_output.matmul(net.weight2).where(hidden > 0, 0);
  return {x.t().matmul(d_hidden), d_hidden.sum(0), hidden.t().matmul(d_output), d_output.sum(0)};
}
}  // namespace transposed_weights

// answer: asks_autograd
// expect: an error was thrown: backward: the tensor does not require a gradient
// Lets autograd do it, on copies of its own.
namespace asks_autograd {
TwoLayers backward(const TwoLayers& net, const td::Tensor& x, const td::Tensor& target) {
  TwoLayers own{net.weight1.detach().clone(), net.bias1.detach().clone(),
                net.weight2.detach().clone(), net.bias2.detach().clone()};
  for (td::Tensor* p : {&own.weight1, &own.bias1, &own.weight2, &own.bias2}) p->requires_grad_();
  const td::Tensor hidden = td::relu(x.matmul(own.weight1.t()) + own.bias1);
  const td::Tensor output = hidden.matmul(own.weight2.t()) + own.bias2;
  (output - target).pow(2).mean().backward();
  return {own.weight1.grad(), own.bias1.grad(), own.weight2.grad(), own.bias2.grad()};
}
}  // namespace asks_autograd

// answer: part_of_a_graph
// expect: the gradient of weight1 is part of a graph
// Right values, but parameters that require grad are recorded.
namespace part_of_a_graph {
TwoLayers backward(const TwoLayers& net, const td::Tensor& x, const td::Tensor& target) {
  const td::Tensor hidden = td::relu(x.matmul(net.weight1.t()) + net.bias1);
  const td::Tensor output = hidden.matmul(net.weight2.t()) + net.bias2;
  const td::Tensor d_output = (output - target) * (2.0 / static_cast<double>(output.numel()));
  const td::Tensor d_hidden = d_output.matmul(net.weight2).where(hidden > 0, 0);
  return {d_hidden.t().matmul(x), d_hidden.sum(0), d_output.t().matmul(hidden), d_output.sum(0)};
}
}  // namespace part_of_a_graph

// answer: looks_at_the_loss
// expect: the host waited 1 times
// Prints or stops on a loss that is not finite: it waits for the device in every step.
namespace looks_at_the_loss {
TwoLayers backward(const TwoLayers& net, const td::Tensor& x, const td::Tensor& target) {
  const td::NoGradGuard no_grad;
  const td::Tensor hidden = td::relu(x.matmul(net.weight1.t()) + net.bias1);
  const td::Tensor output = hidden.matmul(net.weight2.t()) + net.bias2;
  const td::Tensor d_output = (output - target) * (2.0 / static_cast<double>(output.numel()));
  if (d_output.abs().max().item<double>() == 0)
    return {net.weight1 * 0, net.bias1 * 0, net.weight2 * 0, net.bias2 * 0};
  const td::Tensor d_hidden = d_output.matmul(net.weight2).where(hidden > 0, 0);
  return {d_hidden.t().matmul(x), d_hidden.sum(0), d_output.t().matmul(hidden), d_output.sum(0)};
}
}  // namespace looks_at_the_loss

// answer: in_place_target
// expect: backward must not change it
// Computes the error in the memory of the target. The gradients are right.
namespace in_place_target {
TwoLayers backward(const TwoLayers& net, const td::Tensor& x, const td::Tensor& target) {
  const td::NoGradGuard no_grad;
  const td::Tensor before = x.matmul(net.weight1.t()) + net.bias1;
  const td::Tensor hidden = before.relu();
  const td::Tensor output = hidden.matmul(net.weight2.t()) + net.bias2;
  target.sub_(output).mul_(-2.0 / static_cast<double>(output.numel()));
  const td::Tensor g = target;
  const td::Tensor gw2 = g.t().matmul(hidden), gb2 = g.sum(0), gh = g.matmul(net.weight2);
  const td::Tensor ga = td::where(before > 0, gh, td::zeros_like(gh));
  return {ga.t().matmul(x), ga.sum(0), gw2, gb2};
}
}  // namespace in_place_target

// answer: nearly_zero
// expect: where all inputs of relu are 1e-30
// Takes small numbers for 0.
namespace nearly_zero {
TwoLayers backward(const TwoLayers& net, const td::Tensor& x, const td::Tensor& target) {
  const td::NoGradGuard no_grad;
  const td::Tensor hidden = td::relu(td::matmul(x, net.weight1.t()) + net.bias1);
  const td::Tensor output = td::matmul(hidden, net.weight2.t()) + net.bias2;
  const td::Tensor d_output = (output - target) * (2.0 / static_cast<double>(output.numel()));
  const td::Tensor arriving = td::matmul(d_output, net.weight2);
  const td::Tensor d_hidden = td::where(hidden.gt(1e-6), arriving, td::zeros_like(arriving));
  return {td::matmul(d_hidden.t(), x), d_hidden.sum(0), td::matmul(d_output.t(), hidden),
          d_output.sum(0)};
}
}  // namespace nearly_zero

#include "exercises.h"

// answer: by_parts
// One function for a layer, the mask as a number and where() on it.
namespace by_parts {
struct Layer {
  td::Tensor weight, bias, input;
};
td::Tensor forward(const Layer& layer) {
  return td::addmm(layer.bias, layer.input, layer.weight.t());
}
TwoLayers backward(const TwoLayers& net, const td::Tensor& x, const td::Tensor& target) {
  const Layer first{net.weight1.detach(), net.bias1.detach(), x.detach()};
  const td::Tensor before = forward(first);
  const Layer second{net.weight2.detach(), net.bias2.detach(), before.clamp(0)};
  const td::Tensor difference = forward(second) - target.detach();
  const td::Tensor g = (difference + difference) / static_cast<double>(target.numel());
  const td::Tensor back = td::where(before <= 0, td::zeros_like(before), g.matmul(second.weight));
  const auto column = td::ones({1, x.size(0)}, x.options());
  return {back.t().matmul(x.detach()), column.matmul(back).squeeze(0), g.t().matmul(second.input),
          column.matmul(g).squeeze(0)};
}
}  // namespace by_parts

// bfloat16 through the operations that networks train with, forward and backward: products,
// convolutions, normalization, softmax, pooling, losses. libtorch 1.13 rounds each partial sum to
// bfloat16 and td sums in float, so this area compares fewer digits (compare.py);
// tests/common/td/ops/half tests that td is right to the last place.
#include "conformance.h"

using namespace conformance;

namespace {

namespace F = torch::nn::functional;

Tensor make(torch::IntArrayRef sizes, double shift = 0, double scale = 1) {
  return formula(sizes, torch::kBFloat16, scale, shift);
}

void first_order(const std::string& name, const TensorFunction& f, const Tensors& inputs) {
  report_gradients(name, f, inputs, /*second=*/false);
}

void products() {
  const Tensor a = make({5, 12}), b = make({12, 7}, 0.2), w = make({7, 12}, 0.1), c = make({7});
  first_order("mm", [](const Tensors& in) { return torch::mm(in[0], in[1]); }, {a, b});
  first_order("mm of a transposed", [](const Tensors& in) { return torch::mm(in[0], in[1].t()); },
              {a, w});
  first_order("matmul in batches", [](const Tensors& in) { return torch::matmul(in[0], in[1]); },
              {make({2, 3, 6}), make({2, 6, 4}, 0.2)});
  first_order("linear", [](const Tensors& in) { return F::linear(in[0], in[1], in[2]); },
              {a, w, c});
  first_order("linear without bias", [](const Tensors& in) { return F::linear(in[0], in[1]); },
              {make({2, 3, 12}), w});
}

void convolutions() {
  for (const bool last : {false, true}) {
    Context here(last ? "channels last" : "");
    Tensor x = make({2, 4, 7, 6});
    if (last) x = x.contiguous(torch::MemoryFormat::ChannelsLast);
    const Tensor w = make({6, 4, 3, 3}, 0.05, 0.3), grouped = make({6, 2, 3, 3}, 0.05, 0.3);
    first_order("conv2d",
                [](const Tensors& in) { return torch::conv2d(in[0], in[1], in[2], 1, 1); },
                {x, w, make({6})});
    first_order("conv2d of stride 2",
                [](const Tensors& in) { return torch::conv2d(in[0], in[1], {}, 2); }, {x, w});
    first_order("conv2d in groups",
                [](const Tensors& in) { return torch::conv2d(in[0], in[1], {}, 1, 1, 1, 2); },
                {x, grouped});
    first_order("max_pool2d", [](const Tensors& in) { return torch::max_pool2d(in[0], 2); }, {x});
    first_order("max_pool2d, overlapping",
                [](const Tensors& in) { return torch::max_pool2d(in[0], 3, 1, 1); }, {x});
    first_order("avg_pool2d", [](const Tensors& in) { return torch::avg_pool2d(in[0], 2); }, {x});
  }
}

void normalization() {
  const Tensor x = make({4, 3, 5, 4}, 0.5, 2), rows = make({6, 16}, 0.5, 2);
  const Tensor weight = make({16}, 1, 0.2), bias = make({16});
  first_order("layer_norm",
              [](const Tensors& in) { return torch::layer_norm(in[0], {16}, in[1], in[2]); },
              {rows, weight, bias});
  first_order("layer_norm, plain", [](const Tensors& in) { return torch::layer_norm(in[0], {16}); },
              {rows});
  // As under autocast: parameters and statistics in float32, images in bfloat16.
  const Tensor scale = formula({3}, torch::kFloat32, 0.2, 1), shift = formula({3});
  for (const bool training : {true, false}) {
    Context here(training ? "training" : "evaluation");
    const Tensor mean = formula({3}, torch::kFloat32, 0.1, 0.5), var = torch::ones({3}) * 1.5;
    first_order("batch_norm",
                [=](const Tensors& in) {
                  return F::batch_norm(
                      in[0], mean.clone(), var.clone(),
                      F::BatchNormFuncOptions().weight(in[1]).bias(in[2]).training(training));
                },
                {x, scale, shift});
  }
}

void pointwise_and_losses() {
  const Tensor x = make({6, 9}, 0.2, 3);
  for (const std::int64_t dim : {0, 1}) {
    Context here("dimension " + std::to_string(dim));
    first_order("softmax", [=](const Tensors& in) { return torch::softmax(in[0], dim); }, {x});
    first_order("log_softmax", [=](const Tensors& in) { return torch::log_softmax(in[0], dim); },
                {x});
  }
  first_order("relu", [](const Tensors& in) { return torch::relu(in[0]); }, {x});
  first_order("gelu", [](const Tensors& in) { return torch::gelu(in[0]); }, {x});
  first_order("tanh", [](const Tensors& in) { return torch::tanh(in[0]); }, {x});
  first_order("sigmoid", [](const Tensors& in) { return torch::sigmoid(in[0]); }, {x});
  const Tensor target = whole({6}, 9);
  first_order("nll_loss", [=](const Tensors& in) { return torch::nll_loss(in[0], target); }, {x});
  first_order("cross_entropy", [=](const Tensors& in) { return F::cross_entropy(in[0], target); },
              {x});
  const Tensor goal = make({6, 9}, 0.1);
  first_order("mse_loss", [=](const Tensors& in) { return torch::mse_loss(in[0], goal); }, {x});
}

}  // namespace

int main() {
  products();
  convolutions();
  normalization();
  pointwise_and_losses();
  return 0;
}

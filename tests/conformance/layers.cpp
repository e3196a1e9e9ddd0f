// Every layer and loss module with every option, in training and evaluation, with the gradients of
// its input and parameters; clipping of gradients.
#include "conformance.h"

#include <limits>

using namespace conformance;
namespace nn = torch::nn;

namespace {

// Prints what a layer makes of `x`, all gradients and all buffers, in both modes.
template <class Layer>
void check(const std::string& name, Layer layer, const Tensor& x) {
  Context here(name);
  set_weights(*layer);
  for (const auto& item : layer->named_parameters()) print(item.key(), item.value());
  for (const bool training : {true, false}) {
    Context mode(training ? "training" : "evaluation");
    report("run", [&] {
      layer->train(training);
      layer->zero_grad();
      const Tensor input = x.detach().clone();
      if (x.is_floating_point()) input.requires_grad_();
      const Tensor y = layer->forward(input);
      (y * formula(y.sizes(), y.scalar_type(), 1, 0.3, 1.7)).sum().backward();
      print("result", y);
      if (x.is_floating_point()) print("gradient", input.grad());
      for (const auto& item : layer->named_parameters())
        print("gradient of " + item.key(), item.value().grad());
      for (const auto& item : layer->named_buffers()) print("buffer " + item.key(), item.value());
      return 0;
    });
  }
}

void with_weights() {
  check("Linear", nn::Linear(4, 3), formula({2, 4}));
  check("Linear no bias", nn::Linear(nn::LinearOptions(4, 3).bias(false)), formula({2, 5, 4}));
  check("Linear vector", nn::Linear(4, 3), formula({4}));
  const Tensor image = formula({2, 4, 7, 6});
  check("Conv2d", nn::Conv2d(4, 6, 3), image);
  check("Conv2d options", nn::Conv2d(nn::Conv2dOptions(4, 6, 3).stride(2).padding(1).bias(false)),
        image);
  check("Conv2d groups",
        nn::Conv2d(nn::Conv2dOptions(4, 6, {3, 2}).groups(2).stride({1, 2}).padding({2, 1})),
        image);
  check("Conv2d dilation", nn::Conv2d(nn::Conv2dOptions(4, 2, 3).dilation(2)), image);
  check("Conv2d channels last", nn::Conv2d(nn::Conv2dOptions(4, 6, 3).padding(1)),
        image.contiguous(torch::MemoryFormat::ChannelsLast));
  check("BatchNorm1d", nn::BatchNorm1d(3), formula({5, 3}, torch::kFloat32, 2, 1));
  check("BatchNorm1d lines", nn::BatchNorm1d(3), formula({2, 3, 4}));
  check("BatchNorm2d", nn::BatchNorm2d(4), image);
  check("BatchNorm2d options", nn::BatchNorm2d(nn::BatchNorm2dOptions(4).eps(1e-2).momentum(0.5)),
        image);
  check("BatchNorm2d average", nn::BatchNorm2d(nn::BatchNorm2dOptions(4).momentum(torch::nullopt)),
        image);
  check("BatchNorm2d not affine", nn::BatchNorm2d(nn::BatchNorm2dOptions(4).affine(false)), image);
  check("BatchNorm2d no statistics",
        nn::BatchNorm2d(nn::BatchNorm2dOptions(4).track_running_stats(false)), image);
  check("LayerNorm", nn::LayerNorm(nn::LayerNormOptions({6})), image);
  check("LayerNorm two", nn::LayerNorm(nn::LayerNormOptions({7, 6}).eps(1e-2)), image);
  check("LayerNorm plain", nn::LayerNorm(nn::LayerNormOptions({6}).elementwise_affine(false)),
        image);
  check("Embedding", nn::Embedding(5, 3), torch::tensor({{0, 4, 4}, {1, 0, 2}}));
  check("Embedding padding", nn::Embedding(nn::EmbeddingOptions(5, 3).padding_idx(0)),
        torch::tensor({{0, 4, 4}, {1, 0, 2}}));
  const nn::Embedding padded(nn::EmbeddingOptions(5, 3).padding_idx(1));
  REPORT(padded->weight[1]);
  const nn::BatchNorm2d fresh(3);
  REPORT(fresh->weight);
  REPORT(fresh->bias);
  REPORT(fresh->running_mean);
  REPORT(fresh->running_var);
  REPORT(fresh->num_batches_tracked);
  REPORT_THROWS(nn::Linear(4, 3)(formula({2, 5})));
  REPORT_THROWS(nn::Conv2d(4, 6, 3)(formula({2, 3, 7, 6})));
  REPORT_THROWS(nn::Conv2d(nn::Conv2dOptions(4, 6, 3).groups(3)));
  REPORT_THROWS(nn::BatchNorm2d(3)(formula({2, 3})));
  REPORT_THROWS(nn::BatchNorm1d(3)(formula({2, 3, 4, 5})));
  REPORT_THROWS(nn::BatchNorm1d(3)(formula({1, 3})));
  REPORT_THROWS(nn::BatchNorm2d(3)(formula({2, 4, 2, 2})));
  REPORT_THROWS(nn::LayerNorm(nn::LayerNormOptions({3}))(formula({2, 4})));
  REPORT_THROWS(nn::Embedding(5, 3)(torch::tensor({5})));
}

void without_weights() {
  const Tensor image = formula({2, 3, 6, 8}, torch::kFloat32, 2);
  const Tensor x = formula({3, 4}, torch::kFloat32, 2);
  check("MaxPool2d", nn::MaxPool2d(2), image);
  check("MaxPool2d options", nn::MaxPool2d(nn::MaxPool2dOptions({3, 2}).stride({2, 1}).padding(1)),
        image);
  check("AvgPool2d", nn::AvgPool2d(2), image);
  check("AvgPool2d options",
        nn::AvgPool2d(nn::AvgPool2dOptions(3).stride(2).padding(1).count_include_pad(false)),
        image);
  check("AdaptiveAvgPool2d", nn::AdaptiveAvgPool2d(2), image);
  check("AdaptiveAvgPool2d options", nn::AdaptiveAvgPool2d(nn::AdaptiveAvgPool2dOptions({4, 3})),
        image);
  check("Flatten", nn::Flatten(), image);
  check("Flatten options", nn::Flatten(nn::FlattenOptions().start_dim(0).end_dim(2)), image);
  check("ReLU", nn::ReLU(), x);
  check("LeakyReLU", nn::LeakyReLU(), x);
  check("LeakyReLU options", nn::LeakyReLU(nn::LeakyReLUOptions().negative_slope(0.3)), x);
  check("GELU", nn::GELU(), x);
  check("Sigmoid", nn::Sigmoid(), x);
  check("Tanh", nn::Tanh(), x);
  check("Softmax", nn::Softmax(1), x);
  check("Softmax options", nn::Softmax(nn::SoftmaxOptions(0)), x);
  check("Dropout of nothing", nn::Dropout(0.0), x);
  nn::Dropout dropout(0.5);
  dropout->eval();
  REPORT(dropout(x));
  dropout->train();
  REPORT(dropout(torch::ones({10000})).mean().item<double>() > 0.9);
  nn::Dropout in_place(nn::DropoutOptions(1.0).inplace(true));
  const Tensor changed = torch::ones({3});
  in_place(changed);
  REPORT(changed);
  const Tensor limited = formula({4});
  nn::ReLU(nn::ReLUOptions(true))(limited);
  REPORT(limited);
  REPORT_THROWS(nn::Dropout(1.5));
  REPORT_THROWS(nn::Dropout(-0.5));
}

template <class Loss>
void check_loss(const std::string& name, Loss loss, const Tensor& x, const Tensor& target) {
  report_gradients(
      name, [&](const Tensors& in) { return loss->forward(in[0], target); }, {x}, false);
}

template <class Value>
void losses(const std::string& reduction_name, Value reduction) {
  Context here(reduction_name);
  const Tensor x = formula({4, 3}, torch::kFloat32, 2);
  const Tensor t = formula({4, 3}, torch::kFloat32, 2, 0.1, 0.9);
  const Tensor p = x.sigmoid();
  const Tensor q = t.sigmoid();
  const Tensor w = formula({3}, torch::kFloat32, 0.5, 1);
  const Tensor classes = torch::tensor({0, 2, 1, 2});
  check_loss(
      "CrossEntropyLoss",
      nn::CrossEntropyLoss(
          nn::CrossEntropyLossOptions().weight(w).ignore_index(1).label_smoothing(0.1).reduction(
              reduction)),
      x, classes);
  check_loss("NLLLoss",
             nn::NLLLoss(nn::NLLLossOptions().weight(w).ignore_index(0).reduction(reduction)),
             x.log_softmax(1), classes);
  check_loss("MSELoss", nn::MSELoss(nn::MSELossOptions().reduction(reduction)), x, t);
  check_loss("L1Loss", nn::L1Loss(nn::L1LossOptions().reduction(reduction)), x, t);
  check_loss("SmoothL1Loss",
             nn::SmoothL1Loss(nn::SmoothL1LossOptions().reduction(reduction).beta(0.5)), x, t);
  check_loss("BCELoss", nn::BCELoss(nn::BCELossOptions().weight(w).reduction(reduction)), p, q);
  check_loss("BCEWithLogitsLoss",
             nn::BCEWithLogitsLoss(
                 nn::BCEWithLogitsLossOptions().weight(w).pos_weight(w).reduction(reduction)),
             x, q);
}

void plain_losses() {
  const Tensor x = formula({4, 3});
  const Tensor t = formula({4, 3}, torch::kFloat32, 1, 0, 2);
  REPORT(nn::CrossEntropyLoss()(x, torch::tensor({0, 2, 1, 2})));
  REPORT(nn::NLLLoss()(x, torch::tensor({0, 2, 1, 2})));
  REPORT(nn::MSELoss()(x, t));
  REPORT(nn::L1Loss()(x, t));
  REPORT(nn::SmoothL1Loss()(x, t));
  REPORT(nn::BCELoss()(x.sigmoid(), t.sigmoid()));
  REPORT(nn::BCEWithLogitsLoss()(x, t.sigmoid()));
}

void clipping() {
  const double inf = std::numeric_limits<double>::infinity();
  const auto parameters = [] {
    Tensors all;
    for (const std::int64_t size : {3, 5, 1}) {
      all.push_back(torch::zeros({size}).requires_grad_());
      all.back().mutable_grad() = formula({size}, torch::kFloat32, 3);
    }
    all.push_back(torch::zeros({2}).requires_grad_());  // no gradient
    return all;
  };
  for (const double kind : {2.0, 1.0, 3.0, inf})
    for (const double most : {1.0, 100.0}) {
      Context here("norm " + std::to_string(kind) + ", at most " + std::to_string(most));
      const Tensors all = parameters();
      REPORT(nn::utils::clip_grad_norm_(all, most, kind));
      for (const Tensor& parameter : all) REPORT(parameter.grad());
    }
  const Tensors all = parameters();
  REPORT(nn::utils::clip_grad_norm_(all[0], 0.5));
  REPORT(all[0].grad());
  nn::utils::clip_grad_value_(all, 0.75);
  for (const Tensor& parameter : all) REPORT(parameter.grad());
  nn::utils::clip_grad_value_(all[1], 0.25);
  REPORT(all[1].grad());
  REPORT(nn::utils::clip_grad_norm_(Tensors{}, 1.0));
  report_throws("clip of a norm that is not finite", [] {
    const Tensor x = torch::zeros({1}).requires_grad_();
    x.mutable_grad() = torch::full({1}, std::numeric_limits<double>::quiet_NaN());
    nn::utils::clip_grad_norm_(x, 1.0, 2.0, /*error_if_nonfinite=*/true);
  });
}

}  // namespace

int main() {
  with_weights();
  without_weights();
  losses("mean", torch::kMean);
  losses("sum", torch::kSum);
  losses("none", torch::kNone);
  plain_losses();
  clipping();
  return 0;
}

// Convolution, pooling, normalization, activations and dropout as functions, with every option, in
// torch:: and in torch::nn::functional, values and gradients. Losses are in losses.cpp.
#include "conformance.h"

#include <limits>

using namespace conformance;
namespace F = torch::nn::functional;

namespace {

void convolution() {
  for (const NamedType& type :
       {NamedType{"float32", torch::kFloat32}, {"float64", torch::kFloat64}}) {
    Context here(type.name);
    const Tensor x = formula({2, 4, 7, 6}, type.type);
    const Tensor w = formula({6, 4, 3, 3}, type.type, 0.3);
    const Tensor b = formula({6}, type.type);
    const auto check = [&](const char* name, const TensorFunction& f, const Tensors& in) {
      report_gradients(name, f, in);
      Context last("channels last");
      Tensors images = in;
      images[0] = images[0].contiguous(torch::MemoryFormat::ChannelsLast);
      report_gradients(name, f, images, false);
    };
    check("plain", [](const Tensors& in) { return torch::conv2d(in[0], in[1]); }, {x, w});
    check("bias", [](const Tensors& in) { return torch::conv2d(in[0], in[1], in[2]); }, {x, w, b});
    check("stride", [](const Tensors& in) { return torch::conv2d(in[0], in[1], in[2], 2); },
          {x, w, b});
    check("stride of two",
          [](const Tensors& in) {
            return torch::conv2d(in[0], in[1], in[2], {2, 1});
          },
          {x, w, b});
    check("padding", [](const Tensors& in) { return torch::conv2d(in[0], in[1], in[2], 1, 1); },
          {x, w, b});
    check("padding of two",
          [](const Tensors& in) {
            return torch::conv2d(in[0], in[1], {}, 1, torch::IntArrayRef({2, 0}));
          },
          {x, w});
    check("dilation", [](const Tensors& in) { return torch::conv2d(in[0], in[1], in[2], 1, 2, 2); },
          {x, w, b});
    check("groups",
          [](const Tensors& in) { return torch::conv2d(in[0], in[1], in[2], 1, 1, 1, 2); },
          {x, formula({6, 2, 3, 3}, type.type), b});
    check("depthwise",
          [](const Tensors& in) { return torch::conv2d(in[0], in[1], {}, 1, 1, 1, 4); },
          {x, formula({4, 1, 3, 3}, type.type)});
    check("one by one", [](const Tensors& in) { return torch::conv2d(in[0], in[1], in[2]); },
          {x, formula({6, 4, 1, 1}, type.type), b});
    check("uneven",
          [](const Tensors& in) {
            return torch::conv2d(in[0], in[1], {}, {1, 2}, torch::IntArrayRef({0, 1}));
          },
          {x, formula({3, 4, 2, 5}, type.type)});
    report_gradients(
        "no batch", [](const Tensors& in) { return torch::conv2d(in[0], in[1], in[2]); },
        {formula({4, 5, 5}, type.type), w, b}, false);
    report_gradients(
        "empty batch", [](const Tensors& in) { return torch::conv2d(in[0], in[1], in[2]); },
        {torch::zeros({0, 4, 5, 5}, type.type), w, b}, false);
    report_gradients(
        "functional",
        [](const Tensors& in) {
          return F::conv2d(in[0], in[1],
                           F::Conv2dFuncOptions()
                               .bias(in[2])
                               .stride({2, 1})
                               .padding({1, 2})
                               .dilation({1, 2})
                               .groups(2));
        },
        {x, formula({6, 2, 3, 3}, type.type), b}, false);
    REPORT(F::conv2d(x, w));
    REPORT(torch::conv2d(x.transpose(2, 3), w));
  }
  const Tensor x = formula({1, 2, 4, 4});
  const Tensor w = formula({3, 2, 3, 3});
  REPORT_THROWS(torch::conv2d(x, formula({3, 1, 3, 3})));
  REPORT_THROWS(torch::conv2d(x, formula({3, 2, 5, 5})));
  REPORT_THROWS(torch::conv2d(x, w, formula({2})));
  REPORT_THROWS(torch::conv2d(x, w, {}, 0));
  REPORT_THROWS(torch::conv2d(x, w, {}, 1, -1));
  const std::int64_t no_padding =
      0;  // a literal 0 could be a pointer to libtorch's padding by name
  REPORT_THROWS(torch::conv2d(x, w, {}, 1, no_padding, 0));
  REPORT_THROWS(torch::conv2d(x, w, {}, 1, no_padding, 1, 3));
  REPORT_THROWS(torch::conv2d(x, w.to(torch::kFloat64)));
  REPORT_THROWS(torch::conv2d(formula({2, 4}), w));
  REPORT_THROWS(torch::conv2d(x.to(torch::kInt64), w));
}

void pooling() {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const NamedType& type :
       {NamedType{"float32", torch::kFloat32}, {"float64", torch::kFloat64}})
    for (const bool last : {false, true}) {
      Context here(type.name + (last ? ", channels last" : ""));
      Tensor x = formula({2, 3, 7, 6}, type.type);
      if (last) x = x.contiguous(torch::MemoryFormat::ChannelsLast);
      const auto check = [&](const char* name, const TensorFunction& f) {
        report_gradients(name, f, {x});
      };
      check("max 2", [](const Tensors& in) { return torch::max_pool2d(in[0], 2); });
      check("max uneven", [](const Tensors& in) {
        return torch::max_pool2d(in[0], {3, 2}, {2, 1});
      });
      check("max padded", [](const Tensors& in) { return torch::max_pool2d(in[0], 3, 2, 1); });
      check("max dilated", [](const Tensors& in) { return torch::max_pool2d(in[0], 2, 1, 0, 2); });
      check("max ceil",
            [](const Tensors& in) { return torch::max_pool2d(in[0], 2, 2, 0, 1, true); });
      check("max overlapping", [](const Tensors& in) { return torch::max_pool2d(in[0], 3, 1); });
      REPORT(std::get<1>(torch::max_pool2d_with_indices(x, 2)));
      REPORT(std::get<1>(torch::max_pool2d_with_indices(x, 3, 2, 1)));
      REPORT(std::get<1>(torch::max_pool2d_with_indices(x, 2, 1, 0, 2)));
      REPORT(std::get<1>(torch::max_pool2d_with_indices(x, 2, 2, 0, 1, true)));
      check("average 2", [](const Tensors& in) { return torch::avg_pool2d(in[0], 2); });
      check("average uneven", [](const Tensors& in) {
        return torch::avg_pool2d(in[0], {3, 2}, {2, 1});
      });
      check("average padded", [](const Tensors& in) { return torch::avg_pool2d(in[0], 3, 2, 1); });
      check("average ceil",
            [](const Tensors& in) { return torch::avg_pool2d(in[0], 2, 2, 0, true); });
      check("average ceil padded",
            [](const Tensors& in) { return torch::avg_pool2d(in[0], 3, 2, 1, true); });
      check("average without padding",
            [](const Tensors& in) { return torch::avg_pool2d(in[0], 3, 2, 1, false, false); });
      check("average of its own divisor",
            [](const Tensors& in) { return torch::avg_pool2d(in[0], 2, 2, 0, false, true, 3); });
      check("adaptive 1", [](const Tensors& in) {
        return torch::adaptive_avg_pool2d(in[0], {1, 1});
      });
      check("adaptive", [](const Tensors& in) {
        return torch::adaptive_avg_pool2d(in[0], {3, 4});
      });
      check("adaptive larger", [](const Tensors& in) {
        return torch::adaptive_avg_pool2d(in[0], {9, 7});
      });
      check("functional max", [](const Tensors& in) {
        return F::max_pool2d(in[0], F::MaxPool2dFuncOptions(3).stride(2).padding(1));
      });
      check("functional average", [](const Tensors& in) {
        return F::avg_pool2d(
            in[0], F::AvgPool2dFuncOptions(3).stride(2).padding(1).count_include_pad(false));
      });
      check("functional adaptive", [](const Tensors& in) {
        return F::adaptive_avg_pool2d(in[0], F::AdaptiveAvgPool2dFuncOptions({2, 2}));
      });
    }
  REPORT(torch::max_pool2d(torch::tensor({{{{1.0, nan}, {3.0, 4.0}}}}), 2));
  REPORT(std::get<1>(
      torch::max_pool2d_with_indices(torch::tensor({{{{1.0, nan}, {3.0, 4.0}}}}), 2, 1, 1)));
  REPORT(torch::max_pool2d(torch::ones({1, 1, 2, 2}).neg(), 2, 1, 1));
  REPORT(torch::max_pool2d(formula({3, 4, 4}), 2));
  REPORT(torch::avg_pool2d(formula({3, 4, 4}), 2));
  REPORT(torch::adaptive_avg_pool2d(formula({3, 4, 4}), {2, 1}));
  REPORT(torch::max_pool2d(torch::zeros({0, 2, 4, 4}), 2));
  report_gradients(
      "max with ties", [](const Tensors& in) { return torch::max_pool2d(in[0], 2); },
      {torch::ones({1, 1, 4, 4})}, false);
  const Tensor x = formula({1, 1, 4, 4});
  REPORT_THROWS(torch::max_pool2d(x, 5));
  REPORT_THROWS(torch::max_pool2d(x, 0));
  REPORT_THROWS(torch::max_pool2d(x, 2, 0));
  REPORT_THROWS(torch::max_pool2d(x, 2, 1, 2));
  REPORT_THROWS(torch::max_pool2d(formula({4, 4}), 2));
  REPORT_THROWS(torch::avg_pool2d(x, 5));
  REPORT_THROWS(torch::avg_pool2d(x, 2, 1, 2));
  REPORT_THROWS(torch::avg_pool2d(x, 2, 2, 0, false, true, 0));
  REPORT_THROWS(torch::adaptive_avg_pool2d(formula({4}), 2));
}

void normalization() {
  for (const NamedType& type :
       {NamedType{"float32", torch::kFloat32}, {"float64", torch::kFloat64}}) {
    Context here(type.name);
    const Tensor w = formula({3}, type.type, 1, 1);
    const Tensor b = formula({3}, type.type);
    for (const auto& sizes :
         std::vector<std::vector<std::int64_t>>{{4, 3}, {2, 3, 5}, {2, 3, 4, 5}}) {
      const Tensor x = formula(sizes, type.type, 2, 1);
      Context dims(std::to_string(sizes.size()) + " dims");
      report_gradients("training",
                       [&](const Tensors& in) {
                         const Tensor mean = formula({3}, type.type);
                         const Tensor var = formula({3}, type.type, 0.5, 1);
                         const Tensor y = F::batch_norm(in[0], mean, var,
                                                        F::BatchNormFuncOptions()
                                                            .weight(in[1])
                                                            .bias(in[2])
                                                            .training(true)
                                                            .momentum(0.3)
                                                            .eps(1e-3));
                         print("running mean", mean);
                         print("running var", var);
                         return y;
                       },
                       {x, w, b});
      report_gradients("without statistics",
                       [](const Tensors& in) {
                         return F::batch_norm(in[0], Tensor(), Tensor(),
                                              F::BatchNormFuncOptions().training(true));
                       },
                       {x});
      report_gradients("evaluation",
                       [&](const Tensors& in) {
                         return F::batch_norm(in[0], formula({3}, type.type),
                                              formula({3}, type.type, 0.5, 1),
                                              F::BatchNormFuncOptions().weight(in[1]).bias(in[2]));
                       },
                       {x, w, b});
      if (sizes.size() == 4)
        report_gradients(
            "channels last",
            [&](const Tensors& in) {
              return F::batch_norm(
                  in[0], Tensor(), Tensor(),
                  F::BatchNormFuncOptions().weight(in[1]).bias(in[2]).training(true));
            },
            {x.contiguous(torch::MemoryFormat::ChannelsLast), w, b}, false);
    }
    const Tensor x = formula({2, 4, 3}, type.type, 2, 1);
    report_gradients("layer", [](const Tensors& in) { return torch::layer_norm(in[0], {3}); }, {x});
    report_gradients("layer with weights",
                     [](const Tensors& in) { return torch::layer_norm(in[0], {3}, in[1], in[2]); },
                     {x, w, b});
    report_gradients("layer of two dims",
                     [](const Tensors& in) {
                       return torch::layer_norm(in[0], {4, 3}, in[1], in[2], 1e-2);
                     },
                     {x, formula({4, 3}, type.type), formula({4, 3}, type.type)});
    report_gradients(
        "layer functional",
        [](const Tensors& in) {
          return F::layer_norm(in[0],
                               F::LayerNormFuncOptions({3}).weight(in[1]).bias(in[2]).eps(1e-3));
        },
        {x, w, b}, false);
    report_gradients(
        "layer transposed", [](const Tensors& in) { return torch::layer_norm(in[0], {3}); },
        {formula({3, 4}, type.type).t()}, false);
  }
  REPORT(torch::layer_norm(torch::zeros({0, 3}), {3}));
  REPORT_THROWS(torch::layer_norm(formula({2, 3}), {4}));
  REPORT_THROWS(torch::layer_norm(formula({2, 3}), {3}, formula({2})));
  REPORT_THROWS(F::batch_norm(formula({2, 3}), Tensor(), Tensor()));
  REPORT_THROWS(
      F::batch_norm(formula({1, 3}), Tensor(), Tensor(), F::BatchNormFuncOptions().training(true)));
  REPORT_THROWS(F::batch_norm(formula({2, 3}), formula({2}), formula({2})));
}

void activations() {
  for (const NamedType& type :
       {NamedType{"float32", torch::kFloat32}, {"float64", torch::kFloat64}}) {
    Context here(type.name);
    const Tensor x = formula({3, 4}, type.type, 3);
    const auto check = [&](const char* name, const TensorFunction& f) {
      report_gradients(name, f, {x});
    };
    check("relu", [](const Tensors& in) { return torch::relu(in[0]); });
    check("leaky_relu", [](const Tensors& in) { return torch::leaky_relu(in[0]); });
    check("leaky_relu 0.3", [](const Tensors& in) { return torch::leaky_relu(in[0], 0.3); });
    check("gelu", [](const Tensors& in) { return torch::gelu(in[0]); });
    check("silu", [](const Tensors& in) { return torch::silu(in[0]); });
    check("elu", [](const Tensors& in) { return torch::elu(in[0]); });
    check("elu 0.5", [](const Tensors& in) { return torch::elu(in[0], 0.5); });
    check("softplus", [](const Tensors& in) { return torch::softplus(in[0]); });
    check("softplus 2 1", [](const Tensors& in) { return torch::softplus(in[0], 2, 1); });
    check("F relu", [](const Tensors& in) { return F::relu(in[0]); });
    check("F leaky_relu", [](const Tensors& in) {
      return F::leaky_relu(in[0], F::LeakyReLUFuncOptions().negative_slope(0.2));
    });
    check("F gelu", [](const Tensors& in) { return F::gelu(in[0]); });
    check("F silu", [](const Tensors& in) { return F::silu(in[0]); });
    check("F softmax", [](const Tensors& in) { return F::softmax(in[0], 1); });
    check("F softmax 0",
          [](const Tensors& in) { return F::softmax(in[0], F::SoftmaxFuncOptions(0)); });
    check("F log_softmax", [](const Tensors& in) { return F::log_softmax(in[0], -1); });
    check("F linear", [](const Tensors& in) { return F::linear(in[0], in[0]); });
    report_gradients(
        "F linear bias", [](const Tensors& in) { return F::linear(in[0], in[1], in[2]); },
        {formula({2, 3, 4}, type.type), formula({5, 4}, type.type), formula({5}, type.type)});
    report_gradients(
        "F linear vector", [](const Tensors& in) { return F::linear(in[0], in[1], in[2]); },
        {formula({4}, type.type), formula({5, 4}, type.type), formula({5}, type.type)});
    report_gradients("F embedding", [](const Tensors& in) { return F::embedding(in[1], in[0]); },
                     {formula({5, 3}, type.type), torch::tensor({{0, 4, 4}, {1, 0, 2}})});
  }
  for (const Named& input : layouts(torch::kFloat32)) {
    Context here(input.name);
    REPORT(torch::elu(input.tensor));
    REPORT(torch::softplus(input.tensor));
    REPORT(F::gelu(input.tensor));
    REPORT(F::silu(input.tensor));
    REPORT(F::leaky_relu(input.tensor));
  }
  REPORT_THROWS(F::embedding(torch::tensor({5}), formula({5, 3})));
  REPORT_THROWS(F::embedding(torch::tensor({0.5}), formula({5, 3})));
  REPORT_THROWS(F::linear(formula({2, 3}), formula({5, 4})));
  REPORT_THROWS(torch::gelu(torch::arange(3)));
  const Tensor x = torch::ones({1000});
  REPORT(torch::dropout(x, 0.5, false).is_same(x));
  REPORT(torch::dropout(x, 0.0, true));
  REPORT(torch::dropout(x, 1.0, true));
  const Tensor dropped = torch::dropout(x, 0.25, true);
  REPORT(((dropped == 0) | ((dropped - 4.0 / 3).abs() < 1e-6)).all());
  REPORT(((dropped == 0).sum().item<std::int64_t>() - 250) / 100);
  REPORT(F::dropout(x, F::DropoutFuncOptions().p(0.5).training(false)));
  REPORT(F::dropout(x).sizes());
  REPORT_THROWS(torch::dropout(x, 1.5, true));
  REPORT_THROWS(torch::dropout(x, -0.1, true));
}

}  // namespace

int main() {
  convolution();
  pooling();
  normalization();
  activations();
  return 0;
}

// A mixed-precision training step: with td::amp, or by hand with the exercises. Included by the
// programs. Invariant: both compute bitwise identical steps. The parameters are float32 in both.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "exercises.h"

/// A precision to train in.
struct Precision {
  std::string name;
  td::optional<td::ScalarType> fast;  ///< what autocast casts to; none: no autocast
  bool scaled = false;                ///< with a gradient scaler
  bool tf32 = false;                  ///< Tensor Cores may round the factors of float32 products
};

/// The parts of a recipe. The model's parameters are the optimizer's.
struct Ingredients {
  td::nn::Sequential model;
  td::optim::Optimizer& optimizer;
  Precision precision;
  td::DeviceType device_type;
  std::int64_t growth_interval = 2000;
  double clip = 0;  ///< limit on the gradients' norm; 0: none
};

/// The parts of a step that depend on the precision.
struct Recipe {
  std::function<td::Tensor(const td::Tensor& input)> output;
  std::function<td::Tensor(const td::Tensor& input, const td::Tensor& target)> loss;
  std::function<bool(const td::Tensor& loss)> step;  ///< backward and step; false: skipped
  std::function<double()> scale;                     ///< blocks until the device has computed it
};

// anchor: amp
inline Recipe amp_recipe(Ingredients with) {
  const auto scaler =
      std::make_shared<td::amp::GradScaler>(td::amp::GradScalerOptions()
                                                .growth_interval(with.growth_interval)
                                                .enabled(with.precision.scaled));
  Recipe recipe;
  recipe.output = [=](const td::Tensor& input) mutable {
    const td::amp::AutocastGuard autocast(with.device_type, with.precision.fast,
                                          with.precision.fast.has_value());
    return with.model->forward(input);
  };
  recipe.loss = [=](const td::Tensor& input, const td::Tensor& target) mutable {
    const td::amp::AutocastGuard autocast(with.device_type, with.precision.fast,
                                          with.precision.fast.has_value());
    const td::Tensor output = with.model->forward(input);
    return td::nn::CrossEntropyLoss()(output, target);
  };  // backward runs outside of the guard
  recipe.step = [=](const td::Tensor& loss) {
    scaler->scale(loss).backward();
    if (with.clip > 0) {
      scaler->unscale_(with.optimizer);  // the limit is for the true gradients
      td::nn::utils::clip_grad_norm_(with.optimizer.parameters(), with.clip);
    }
    const bool stepped = scaler->step(with.optimizer);  // false: skipped because of an overflow
    scaler->update();
    return stepped;
  };
  recipe.scale = [=] { return scaler->get_scale(); };
  return recipe;
}
// anchor end

// anchor: by_hand
// What autocast does to the arguments of an operation whose policy is kFloat or kLowerPrecision.
inline td::TensorList cast_arguments(const Ingredients& with, const char* operation,
                                     td::TensorList arguments) {
  const auto policy = td::autocast::policy_on(with.device_type, *td::autocast::find(operation));
  const bool to_float = policy == td::autocast::Policy::kFloat;
  for (td::Tensor& argument : arguments)
    if (argument.defined() && argument.is_floating_point())
      argument = argument.to(to_float ? td::kFloat32 : *with.precision.fast);
  return arguments;
}
// anchor end

// What autocast does within linear and conv2d, before autograd sees the operation.
inline td::Tensor forward_by_hand(const Ingredients& with, td::Tensor x) {
  for (td::nn::AnyModule layer : *with.model) {
    if (const auto* conv = layer.ptr()->as<td::nn::Conv2d>()) {
      const auto a = cast_arguments(with, "conv2d", {x, conv->weight, conv->bias});
      x = td::conv2d(a[0], a[1], a[2], 1, conv->options.padding());
    } else if (const auto* linear = layer.ptr()->as<td::nn::Linear>()) {
      const auto a = cast_arguments(with, "linear", {x, linear->weight, linear->bias});
      x = td::linear(a[0], a[1], a[2]);
    } else {
      x = layer.forward(x);  // relu, max_pool2d, flatten: unlisted, they keep the type
    }
  }
  return x;
}

inline Recipe recipe_by_hand(Ingredients with) {
  const auto scale = std::make_shared<LossScale>();
  scale->growth_interval = with.growth_interval;
  if (!with.precision.scaled) scale->scale = 1;
  Recipe recipe;
  recipe.output = [=](const td::Tensor& input) mutable {
    return with.precision.fast ? forward_by_hand(with, input) : with.model->forward(input);
  };
  recipe.loss = [=, output = recipe.output](const td::Tensor& input, const td::Tensor& target) {
    std::vector<td::Tensor> a = {output(input), target};
    if (with.precision.fast) a = cast_arguments(with, "cross_entropy_loss", a);
    return td::nn::CrossEntropyLoss()(a[0], a[1]);
  };
  recipe.step = [=](const td::Tensor& loss) {
    const std::vector<td::Tensor>& parameters = with.optimizer.parameters();
    scale_loss(loss, scale->scale).backward();
    const bool overflow = unscale(parameters, scale->scale);
    if (with.clip > 0) td::nn::utils::clip_grad_norm_(parameters, with.clip);
    if (with.precision.scaled) return step_or_skip(with.optimizer, overflow, *scale);
    with.optimizer.step();
    return true;
  };
  recipe.scale = [=] { return double{scale->scale}; };
  return recipe;
}

// What chapter 10 trains: the data, the weights at the start, the step as a program, and the same
// training by td on the cpu. Included by the programs.
#pragma once

#include "exercises.h"
#include "programs.h"

inline constexpr std::int64_t kRows = 320, kFeatures = 10;
inline constexpr double kMaxNorm = 100;  // of the linear model's gradients, which stay below it

/// A model and its data.
struct Task {
  td::Tensor x, y;
  TensorList weights;  ///< of the model; after them, the state of Adam
  double lr = 0;
  bool linear = true;
};

/// Returns numbers in [-1, 1) that a formula gives, so that PyTorch can compute the same ones.
inline td::Tensor formula_data(std::int64_t rows, std::int64_t columns) {
  const td::Tensor index = td::arange(rows * columns, td::kDouble);
  const td::Tensor value = index * 7919 / 1000;
  return ((value - value.floor()) * 2 - 1).to(td::kFloat).view({rows, columns});
}

inline Task make_task(const std::string& model, double lr) {
  Task task;
  task.linear = model == "linear";
  task.lr = lr != 0 ? lr : task.linear ? 0.1 : 0.01;
  task.x = formula_data(kRows, kFeatures);
  const td::Tensor weight = td::arange(kFeatures, td::kFloat).view({-1, 1}) * 0.1;
  task.y = task.x.matmul(weight) + 0.5;
  if (task.linear) {
    task.weights = {td::zeros({1, kFeatures}), td::zeros({1})};
    return task;
  }
  task.y = (task.y > 0.5).to(td::kLong).view({-1});
  task.weights = {formula_data(2, kFeatures) * 0.3, td::zeros({2})};
  for (int state = 0; state < 2; ++state)  // Adam's two averages
    for (int w = 0; w < 2; ++w) task.weights.push_back(td::zeros_like(task.weights[w]));
  task.weights.push_back(td::zeros({}));  // and its count of steps
  return task;
}

/// Returns lines that define %result as the mean of %value over all replicas.
inline std::string mean_over_replicas(const std::string& value, const std::string& result,
                                      const std::string& type, int replicas) {
  return all_reduce(value, result + "_sum", type, replicas) +
         fill(R"(
    %{result}_share = stablehlo.constant dense<{share}> : {type}
    %{result} = stablehlo.multiply %{result}_sum, %{result}_share : {type}
)",
              {{"result", result}, {"type", type}, {"share", number(1.0 / replicas)}});
}

inline std::string linear_step(int rows, int replicas, double lr) {
  const std::vector<Parameter> parameters = {{"w", "grad_w", "new_w", "tensor<1x10xf32>"},
                                             {"b", "grad_b", "new_b", "tensor<1xf32>"}};
  const SumOverReplicas sum = [&](const std::string& value, const std::string& result,
                                  const std::string& type) {
    return all_reduce(value, result, type, replicas);
  };
  return fill(kLinearStep,
              {{"B", std::to_string(rows)},
               {"R", std::to_string(replicas)},
               {"one_over_B", number(1.0 / rows)},
               {"mean_loss", mean_over_replicas("own_loss", "loss", "tensor<f32>", replicas)},
               {"backward", gradients(rows, kFeatures)},
               {"optimizer_step", optimizer_step(parameters, lr, kMaxNorm, replicas, sum)}});
}

inline std::string classifier_step(int rows, int replicas, double lr) {
  const std::map<std::string, std::string> numbers = {
      {"beta1", number(0.9)},   {"one_minus_beta1", number(0.1)},
      {"beta2", number(0.999)}, {"one_minus_beta2", number(0.001)},
      {"eps", number(1e-8)},    {"lr", number(lr)}};
  const auto adam = [&](const char* weight, const char* type) {
    return fill(fill(kAdam, {{"p", weight}, {"T", type}}), numbers);
  };
  return fill(
      kClassifierStep,
      {{"B", std::to_string(rows)},
       {"R", std::to_string(replicas)},
       {"one_over_B", number(1.0 / rows)},
       {"beta1", number(0.9)},
       {"beta2", number(0.999)},
       {"mean_gradients", mean_over_replicas("grad_w", "gw", "tensor<2x10xf32>", replicas) +
                              mean_over_replicas("grad_b", "gb", "tensor<2xf32>", replicas) +
                              mean_over_replicas("own_loss", "loss", "tensor<f32>", replicas)},
       {"adam_w", adam("w", "tensor<2x10xf32>")},
       {"adam_b", adam("b", "tensor<2xf32>")}});
}

/// Returns the program of one step for `rows` rows per replica.
inline std::string step_text(const Task& task, std::int64_t rows, std::size_t replicas) {
  const auto make = task.linear ? linear_step : classifier_step;
  return make(static_cast<int>(rows), static_cast<int>(replicas), task.lr);
}

/// The same training by td on the cpu. @param ends of the batches, in rows. @return the weights.
inline TensorList train_on_cpu(const Task& task, const std::vector<std::int64_t>& ends,
                               std::int64_t epochs) {
  TensorList weights;
  for (int w = 0; w < 2; ++w) weights.push_back(task.weights[w].clone().requires_grad_());
  td::optim::SGD sgd(weights, td::optim::SGDOptions(task.lr));
  td::optim::Adam adam(weights, td::optim::AdamOptions(task.lr));
  for (std::int64_t epoch = 0; epoch < epochs; ++epoch)
    for (std::size_t i = 0; i < ends.size(); ++i) {
      const std::int64_t begin = i ? ends[i - 1] : 0;
      const td::Tensor x = task.x.narrow(0, begin, ends[i] - begin);
      const td::Tensor y = task.y.narrow(0, begin, ends[i] - begin);
      const td::Tensor output = td::linear(x, weights[0], weights[1]);
      for (td::Tensor& weight : weights) weight.mutable_grad() = td::Tensor();
      if (task.linear) {
        td::mse_loss(output, y).backward();
        sgd.step();
      } else {
        td::nn::functional::cross_entropy(output, y).backward();
        adam.step();
      }
    }
  return weights;
}

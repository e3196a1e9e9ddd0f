#include "exercises.h"

#include "programs.h"

// answer: limit_as_a_choice
// Averages before the sum. Chooses between the gradient and the clipped one with select, and uses
// the inverse of the norm.
namespace limit_as_a_choice {
std::string optimizer_step(const std::vector<Parameter>& parameters, double lr, double max_norm,
                           int replicas, const SumOverReplicas& sum) {
  std::string text;
  const std::string all = parameters.back().result + "_all";
  text += "%" + all + "_0 = stablehlo.constant dense<0.0> : tensor<f32>\n";
  int count = 0;
  for (const auto& [weight, grad, result, type] : parameters) {
    text += fill(R"(
      %{r}_R = stablehlo.constant dense<{R}.0> : {T}
      %{r}_part = stablehlo.divide %{g}, %{r}_R : {T}
)",
                 {{"r", result}, {"g", grad}, {"T", type}, {"R", std::to_string(replicas)}});
    text += sum(result + "_part", result + "_g", type);
    text += sum_of_squares(result + "_g", result + "_sq", type);
    text += fill("%{all}_{next} = stablehlo.add %{all}_{now}, %{r}_sq : tensor<f32>\n",
                 {{"all", all},
                  {"r", result},
                  {"now", std::to_string(count)},
                  {"next", std::to_string(count + 1)}});
    ++count;
  }
  text += fill(R"(
      %{all}_squares = stablehlo.add %{all}_0, %{all}_{count} : tensor<f32>
      %{all}_most = stablehlo.constant dense<{squared}> : tensor<f32>
      %{all}_inverse = stablehlo.rsqrt %{all}_squares : tensor<f32>
      %{all}_over = stablehlo.compare GT, %{all}_squares, %{all}_most
        : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %{all}_lr = stablehlo.constant dense<{lr}> : tensor<f32>
      %{all}_limit = stablehlo.constant dense<{limit}> : tensor<f32>
      %{all}_short = stablehlo.multiply %{all}_limit, %{all}_inverse : tensor<f32>
      %{all}_rate = stablehlo.select %{all}_over, %{all}_short, %{all}_lr
        : tensor<i1>, tensor<f32>
)",
               {{"all", all},
                {"count", std::to_string(count)},
                {"squared", number(max_norm * max_norm)},
                {"limit", number(max_norm * lr)},
                {"lr", number(lr)}});
  for (const Parameter& p : parameters)
    text += fill(R"(
      %{r}_v = stablehlo.broadcast_in_dim %{all}_rate, dims = [] : (tensor<f32>) -> {T}
      %{r}_d = stablehlo.multiply %{r}_v, %{r}_g : {T}
      %{r} = stablehlo.subtract %{w}, %{r}_d : {T}
)",
                 {{"r", p.result}, {"w", p.weight}, {"T", p.type}, {"all", all}});
  return text;
}
}  // namespace limit_as_a_choice

// optimizer_step: exercise 10.optimizer_step, declared in exercises.h.
#include "exercises.h"
#include "programs.h"
#include "td/exercise.h"

std::string optimizer_step(const std::vector<Parameter>& parameters, double lr, double max_norm,
                           int replicas, const SumOverReplicas& sum) {
  // blank: Find the order first. About 12 lines of C++ and 15 of StableHLO.
  //! The mean comes first: only then do all replicas see the gradient of all rows and its norm.
  std::string lines, total;
  for (const auto& [weight, grad, result, type] : parameters) {
    lines += sum(grad, result + "_sum", type) +
             fill(R"(
    %{r}_share = stablehlo.constant dense<{share}> : {T}
    %{r}_mean = stablehlo.multiply %{r}_sum, %{r}_share : {T}
)",
                  {{"r", result}, {"T", type}, {"share", number(1.0 / replicas)}}) +
             sum_of_squares(result + "_mean", result + "_squares", type);
    if (!total.empty())
      lines += fill("    %{r}_total = stablehlo.add %{total}, %{r}_squares : tensor<f32>\n",
                    {{"r", result}, {"total", total}});
    total = result + (total.empty() ? "_squares" : "_total");
  }
  lines += fill(R"(
    %{total}_norm = stablehlo.sqrt %{total} : tensor<f32>
    %{total}_limit = stablehlo.constant dense<{max_norm}> : tensor<f32>
    %{total}_ratio = stablehlo.divide %{total}_limit, %{total}_norm : tensor<f32>
    %{total}_one = stablehlo.constant dense<1.0> : tensor<f32>
    %{total}_least = stablehlo.minimum %{total}_ratio, %{total}_one : tensor<f32>
    %{total}_lr = stablehlo.constant dense<{lr}> : tensor<f32>
    %{total}_rate = stablehlo.multiply %{total}_least, %{total}_lr : tensor<f32>
)",
                {{"total", total}, {"max_norm", number(max_norm)}, {"lr", number(lr)}});
  for (const auto& [weight, grad, result, type] : parameters)
    lines += fill(R"(
    %{r}_rates = stablehlo.broadcast_in_dim %{total}_rate, dims = [] : (tensor<f32>) -> {T}
    %{r}_change = stablehlo.multiply %{r}_mean, %{r}_rates : {T}
    %{r} = stablehlo.subtract %{weight}, %{r}_change : {T}
)",
                  {{"r", result}, {"weight", weight}, {"T", type}, {"total", total}});
  return lines;
  // end
}

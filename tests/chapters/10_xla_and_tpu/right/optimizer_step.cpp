#include "exercises.h"

#include "programs.h"

// answer: scales_the_gradient_first
// Scales each gradient before the sum, and the mean by the learning rate after it.
namespace scales_the_gradient_first {
namespace {

std::string scaled(const std::string& from, const std::string& to, const std::string& type,
                   double factor) {
  return "%" + to + "_by = stablehlo.constant dense<" + number(factor) + "> : " + type + "\n%" +
         to + " = stablehlo.multiply %" + from + ", %" + to + "_by : " + type + "\n";
}

}  // namespace

std::string optimizer_step(const std::vector<Parameter>& parameters, double lr, int replicas,
                           const SumOverReplicas& sum) {
  std::string text;
  for (const auto& [weight, grad, result, type] : parameters)
    text += scaled(grad, result + "_share", type, 1.0 / replicas) +
            sum(result + "_share", result + "_mean", type) +
            scaled(result + "_mean", result + "_delta", type, -lr) + "%" + result +
            " = stablehlo.add %" + weight + ", %" + result + "_delta : " + type + "\n";
  return text;
}
}  // namespace scales_the_gradient_first

// answer: sums_before_updates
// All sums come first; the mean by a division.
namespace sums_before_updates {
std::string optimizer_step(const std::vector<Parameter>& parameters, double lr, int replicas,
                           const SumOverReplicas& sum) {
  std::string sums, updates;
  for (const Parameter& p : parameters) {
    sums += sum(p.grad, p.result + "_s", p.type) + "\n";
    updates += fill(R"(
      %{r}_count = stablehlo.constant dense<{R}.0> : {T}
      %{r}_m = stablehlo.divide %{r}_s, %{r}_count : {T}
      %{r}_lr = stablehlo.constant dense<{lr}> : {T}
      %{r}_d = stablehlo.multiply %{r}_lr, %{r}_m : {T}
      %{r} = stablehlo.subtract %{w}, %{r}_d : {T}
)",
                    {{"r", p.result},
                     {"w", p.weight},
                     {"T", p.type},
                     {"R", std::to_string(replicas)},
                     {"lr", number(lr)}});
  }
  return sums + updates;
}
}  // namespace sums_before_updates

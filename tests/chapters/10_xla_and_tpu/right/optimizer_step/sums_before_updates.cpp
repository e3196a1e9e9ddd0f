// All sums come first; the mean by a division.
#include "exercises.h"
#include "programs.h"

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

// expect: two parameters: expected 2 calls of sum
// Each replica takes its own gradient; the replicas diverge.
#include "exercises.h"
#include "programs.h"

std::string optimizer_step(const std::vector<Parameter>& parameters, double lr, int replicas,
                           const SumOverReplicas& sum) {
  std::string lines;
  for (const Parameter& parameter : parameters) {
    static_cast<void>(sum);
    lines += fill(R"(
    %{result}_rate = stablehlo.constant dense<{rate}> : {type}
    %{result}_change = stablehlo.multiply %{grad}, %{result}_rate : {type}
    %{result} = stablehlo.subtract %{weight}, %{result}_change : {type}
)",
                  {{"grad", parameter.grad},
                   {"result", parameter.result},
                   {"weight", parameter.weight},
                   {"type", parameter.type},
                   {"rate", number(lr / replicas)}});
  }
  return lines;
}

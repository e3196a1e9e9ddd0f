// expect: 2 replicas
// The mean of the mean. Right for one replica.
#include "exercises.h"
#include "programs.h"

std::string optimizer_step(const std::vector<Parameter>& parameters, double lr, int replicas,
                           const SumOverReplicas& sum) {
  std::string lines;
  for (const Parameter& parameter : parameters) {
    lines += sum(parameter.grad, parameter.result + "_sum", parameter.type);
    lines += fill(R"(
    %{result}_rate = stablehlo.constant dense<{rate}> : {type}
    %{result}_change = stablehlo.multiply %{result}_sum, %{result}_rate : {type}
    %{result} = stablehlo.subtract %{weight}, %{result}_change : {type}
)",
                  {{"result", parameter.result},
                   {"weight", parameter.weight},
                   {"type", parameter.type},
                   {"rate", number(lr / replicas / replicas)}});
  }
  return lines;
}

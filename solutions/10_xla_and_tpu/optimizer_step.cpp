// optimizer_step: exercise 10.optimizer_step, declared in exercises.h.
#include "exercises.h"
#include "programs.h"
#include "td/exercise.h"

std::string optimizer_step(const std::vector<Parameter>& parameters, double lr, int replicas,
                           const SumOverReplicas& sum) {
  // blank: For each parameter: the sum, lr / replicas, multiply, subtract. About 14 lines.
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
                   {"rate", number(lr / replicas)}});
  }
  return lines;
  // end
}

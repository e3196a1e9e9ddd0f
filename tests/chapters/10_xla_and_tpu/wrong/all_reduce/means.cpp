// expect: tensor<1xf32>, 2 replicas
// The mean instead of the sum.
#include "exercises.h"
#include "programs.h"

std::string all_reduce(const std::string& value, const std::string& result, const std::string& type,
                       int replicas) {
  std::string group;
  for (int r = 0; r < replicas; ++r) group += (r ? ", " : "") + std::to_string(r);
  return fill(R"(
    %{result}_total = "stablehlo.all_reduce"(%{value}) ({
      ^bb0(%{result}_a: tensor<f32>, %{result}_b: tensor<f32>):
        %{result}_sum = stablehlo.add %{result}_a, %{result}_b : tensor<f32>
        stablehlo.return %{result}_sum : tensor<f32>
    }) {replica_groups = dense<[[{group}]]> : tensor<1x{R}xi64>} : ({type}) -> {type}
    %{result}_n = stablehlo.constant dense<{R}.0> : {type}
    %{result} = stablehlo.divide %{result}_total, %{result}_n : {type}
)",
              {{"result", result},
               {"value", value},
               {"type", type},
               {"group", group},
               {"R", std::to_string(replicas)}});
}

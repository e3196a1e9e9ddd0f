// expect: XLA rejects the text
// The type of the example stands in the text.
#include "exercises.h"
#include "programs.h"

std::string all_reduce(const std::string& value, const std::string& result, const std::string& type,
                       int replicas) {
  std::string group;
  for (int r = 0; r < replicas; ++r) group += (r ? ", " : "") + std::to_string(r);
  return fill(R"(
    %{result} = "stablehlo.all_reduce"(%{value}) ({
      ^bb0(%{result}_a: tensor<f32>, %{result}_b: tensor<f32>):
        %{result}_sum = stablehlo.add %{result}_a, %{result}_b : tensor<f32>
        stablehlo.return %{result}_sum : tensor<f32>
    }) {replica_groups = dense<[[{group}]]> : tensor<1x{R}xi64>} : (tensor<1xf32>) -> tensor<1xf32>
)",
              {{"result", result},
               {"value", value},
               {"type", type},
               {"group", group},
               {"R", std::to_string(replicas)}});
}

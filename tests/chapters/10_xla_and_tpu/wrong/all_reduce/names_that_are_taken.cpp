// expect: XLA rejects the text
// Names in the region that the program has already. Right in a program that has only the one line.
#include "exercises.h"
#include "programs.h"

std::string all_reduce(const std::string& value, const std::string& result, const std::string& type,
                       int replicas) {
  std::string group;
  for (int r = 0; r < replicas; ++r) group += (r ? ", " : "") + std::to_string(r);
  return fill(R"(
    %{result} = "stablehlo.all_reduce"(%{value}) ({
      ^bb0(%a: tensor<f32>, %b: tensor<f32>):
        %sum = stablehlo.add %a, %b : tensor<f32>
        stablehlo.return %sum : tensor<f32>
    }) {replica_groups = dense<[[{group}]]> : tensor<1x{R}xi64>} : ({type}) -> {type}
)",
              {{"result", result},
               {"value", value},
               {"type", type},
               {"group", group},
               {"R", std::to_string(replicas)}});
}

// expect: 3 replicas
// Groups of two; the last replica of an odd number is alone. Right on the example.
#include "exercises.h"
#include "programs.h"

std::string all_reduce(const std::string& value, const std::string& result, const std::string& type,
                       int replicas) {
  std::string group;
  for (int r = 0; r < replicas; ++r)
    group += (r == 0 ? "[" : r % 2 == 0 ? "], [" : ", ") + std::to_string(r);
  group += replicas % 2 == 1 && replicas > 1 ? ", -1]" : "]";
  return fill(R"(
    %{result} = "stablehlo.all_reduce"(%{value}) ({
      ^bb0(%{result}_a: tensor<f32>, %{result}_b: tensor<f32>):
        %{result}_sum = stablehlo.add %{result}_a, %{result}_b : tensor<f32>
        stablehlo.return %{result}_sum : tensor<f32>
    }) {replica_groups = dense<[{group}]> : tensor<{G}x{S}xi64>} : ({type}) -> {type}
)",
              {{"result", result},
               {"value", value},
               {"type", type},
               {"group", group},
               {"G", std::to_string((replicas + 1) / 2)},
               {"S", std::to_string(replicas > 1 ? 2 : 1)}});
}

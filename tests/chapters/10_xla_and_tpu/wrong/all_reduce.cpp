#include "exercises.h"

#include "programs.h"

// answer: every_replica_for_itself
// expect: tensor<1xf32>, 2 replicas, replica 0
// A group for each replica: nothing is summed, and XLA is content.
namespace every_replica_for_itself {
std::string all_reduce(const std::string& value, const std::string& result, const std::string& type,
                       int replicas) {
  std::string group;
  for (int r = 0; r < replicas; ++r) group += (r ? "], [" : "") + std::to_string(r);
  return fill(R"(
    %{result} = "stablehlo.all_reduce"(%{value}) ({
      ^bb0(%{result}_a: tensor<f32>, %{result}_b: tensor<f32>):
        %{result}_sum = stablehlo.add %{result}_a, %{result}_b : tensor<f32>
        stablehlo.return %{result}_sum : tensor<f32>
    }) {replica_groups = dense<[[{group}]]> : tensor<{R}x1xi64>} : ({type}) -> {type}
)",
              {{"result", result},
               {"value", value},
               {"type", type},
               {"group", group},
               {"R", std::to_string(replicas)}});
}
}  // namespace every_replica_for_itself

// answer: means
// expect: tensor<1xf32>, 2 replicas
// The mean instead of the sum.
namespace means {
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
}  // namespace means

// answer: names_that_are_taken
// expect: XLA rejects the text
// Names in the region that the program has already. Right in a program that has only the one line.
namespace names_that_are_taken {
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
}  // namespace names_that_are_taken

// answer: only_two_replicas
// expect: 3 replicas
// The group of the example, written into the text.
namespace only_two_replicas {
std::string all_reduce(const std::string& value, const std::string& result, const std::string& type,
                       int replicas) {
  std::string group;
  static_cast<void>(replicas);
  group = "0, 1";
  return fill(R"(
    %{result} = "stablehlo.all_reduce"(%{value}) ({
      ^bb0(%{result}_a: tensor<f32>, %{result}_b: tensor<f32>):
        %{result}_sum = stablehlo.add %{result}_a, %{result}_b : tensor<f32>
        stablehlo.return %{result}_sum : tensor<f32>
    }) {replica_groups = dense<[[{group}]]> : tensor<1x{R}xi64>} : ({type}) -> {type}
)",
              {{"result", result}, {"value", value}, {"type", type}, {"group", group}, {"R", "2"}});
}
}  // namespace only_two_replicas

// answer: pairs_of_replicas
// expect: 3 replicas
// Groups of two; the last replica of an odd number is alone. Right on the example.
namespace pairs_of_replicas {
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
}  // namespace pairs_of_replicas

// answer: takes_the_largest
// expect: replica 0
// The largest of the values instead of their sum.
namespace takes_the_largest {
std::string all_reduce(const std::string& value, const std::string& result, const std::string& type,
                       int replicas) {
  std::string group;
  for (int r = 0; r < replicas; ++r) group += (r ? ", " : "") + std::to_string(r);
  return fill(R"(
    %{result} = "stablehlo.all_reduce"(%{value}) ({
      ^bb0(%{result}_a: tensor<f32>, %{result}_b: tensor<f32>):
        %{result}_sum = stablehlo.maximum %{result}_a, %{result}_b : tensor<f32>
        stablehlo.return %{result}_sum : tensor<f32>
    }) {replica_groups = dense<[[{group}]]> : tensor<1x{R}xi64>} : ({type}) -> {type}
)",
              {{"result", result},
               {"value", value},
               {"type", type},
               {"group", group},
               {"R", std::to_string(replicas)}});
}
}  // namespace takes_the_largest

// answer: type_of_the_example
// expect: XLA rejects the text
// The type of the example stands in the text.
namespace type_of_the_example {
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
}  // namespace type_of_the_example

// answer: names_of_the_value
// expect: the lines define %mine_a: all names must begin with that of a result
// Takes the value's name for the region. A second sum of the same value would define them again.
namespace names_of_the_value {
std::string all_reduce(const std::string& value, const std::string& result, const std::string& type,
                       int replicas) {
  std::string group;
  for (int r = 0; r < replicas; ++r) group += (r ? ", " : "") + std::to_string(r);
  return fill(R"(
    %{result} = "stablehlo.all_reduce"(%{value}) ({
      ^bb0(%{value}_a: tensor<f32>, %{value}_b: tensor<f32>):
        %{result}_sum = stablehlo.add %{value}_a, %{value}_b : tensor<f32>
        stablehlo.return %{result}_sum : tensor<f32>
    }) {replica_groups = dense<[[{group}]]> : tensor<1x{R}xi64>} : ({type}) -> {type}
)",
              {{"result", result},
               {"value", value},
               {"type", type},
               {"group", group},
               {"R", std::to_string(replicas)}});
}
}  // namespace names_of_the_value

// answer: groups_of_two
// expect: tensor<1x10xf32>, 4 replicas, replica 0
// Sums pairs of replicas, which form several groups. Right with up to three replicas.
namespace groups_of_two {
std::string all_reduce(const std::string& value, const std::string& result, const std::string& type,
                       int replicas) {
  const int size = replicas % 2 == 0 ? 2 : replicas;
  std::string groups;
  for (int r = 0; r < replicas; ++r)
    groups += (r % size ? ", " : r ? "], [" : "[") + std::to_string(r);
  return fill(R"(
    %{result} = "stablehlo.all_reduce"(%{value}) ({
      ^bb0(%{result}_a: tensor<f32>, %{result}_b: tensor<f32>):
        %{result}_sum = stablehlo.add %{result}_a, %{result}_b : tensor<f32>
        stablehlo.return %{result}_sum : tensor<f32>
    }) {replica_groups = dense<[{groups}]]> : tensor<{n}x{S}xi64>} : ({type}) -> {type}
)",
              {{"result", result},
               {"value", value},
               {"type", type},
               {"groups", groups},
               {"n", std::to_string(replicas / size)},
               {"S", std::to_string(size)}});
}
}  // namespace groups_of_two

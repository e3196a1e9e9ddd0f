#include "exercises.h"

#include "programs.h"

// answer: adds
// expect: 1 replicas, lr 0.5
// Goes up instead of down.
namespace adds {
std::string optimizer_step(const std::vector<Parameter>& parameters, double lr, int replicas,
                           const SumOverReplicas& sum) {
  std::string lines;
  for (const Parameter& parameter : parameters) {
    lines += sum(parameter.grad, parameter.result + "_sum", parameter.type);
    lines += fill(R"(
    %{result}_rate = stablehlo.constant dense<{rate}> : {type}
    %{result}_change = stablehlo.multiply %{result}_sum, %{result}_rate : {type}
    %{result} = stablehlo.add %{weight}, %{result}_change : {type}
)",
                  {{"result", parameter.result},
                   {"weight", parameter.weight},
                   {"type", parameter.type},
                   {"rate", number(lr / replicas)}});
  }
  return lines;
}
}  // namespace adds

// answer: divides_twice
// expect: 2 replicas
// The mean of the mean. Right for one replica.
namespace divides_twice {
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
}  // namespace divides_twice

// answer: first_parameter_only
// expect: two parameters: expected 2 calls
// Only the first parameter.
namespace first_parameter_only {
std::string optimizer_step(const std::vector<Parameter>& parameters, double lr, int replicas,
                           const SumOverReplicas& sum) {
  std::string lines;
  for (const Parameter& parameter : {parameters.front()}) {
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
}
}  // namespace first_parameter_only

// answer: names_that_are_taken
// expect: XLA rejects the text
// Names that do not begin with the name of the result.
namespace names_that_are_taken {
std::string optimizer_step(const std::vector<Parameter>& parameters, double lr, int replicas,
                           const SumOverReplicas& sum) {
  std::string lines;
  for (const Parameter& parameter : parameters) {
    lines += sum(parameter.grad, parameter.result + "_sum", parameter.type);
    lines += fill(R"(
    %scale = stablehlo.constant dense<{rate}> : {type}
    %{result}_change = stablehlo.multiply %{result}_sum, %scale : {type}
    %{result} = stablehlo.subtract %{weight}, %{result}_change : {type}
)",
                  {{"result", parameter.result},
                   {"weight", parameter.weight},
                   {"type", parameter.type},
                   {"rate", number(lr / replicas)}});
  }
  return lines;
}
}  // namespace names_that_are_taken

// answer: no_all_reduce
// expect: two parameters: expected 2 calls of sum
// Each replica takes its own gradient; the replicas diverge.
namespace no_all_reduce {
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
}  // namespace no_all_reduce

// answer: six_digits
// expect: lr 1.23456789e-7
// std::to_string writes six digits after the point: a small learning rate becomes 0.
namespace six_digits {
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
                   {"rate", std::to_string(lr / replicas)}});
  }
  return lines;
}
}  // namespace six_digits

// answer: subtracts_from_the_change
// expect: replica 0: weight
// The operands of subtract are exchanged.
namespace subtracts_from_the_change {
std::string optimizer_step(const std::vector<Parameter>& parameters, double lr, int replicas,
                           const SumOverReplicas& sum) {
  std::string lines;
  for (const Parameter& parameter : parameters) {
    lines += sum(parameter.grad, parameter.result + "_sum", parameter.type);
    lines += fill(R"(
    %{result}_rate = stablehlo.constant dense<{rate}> : {type}
    %{result}_change = stablehlo.multiply %{result}_sum, %{result}_rate : {type}
    %{result} = stablehlo.subtract %{result}_change, %{weight} : {type}
)",
                  {{"result", parameter.result},
                   {"weight", parameter.weight},
                   {"type", parameter.type},
                   {"rate", number(lr / replicas)}});
  }
  return lines;
}
}  // namespace subtracts_from_the_change

// answer: sums
// expect: 2 replicas
// The sum of the gradients instead of their mean. Right for one replica.
namespace sums {
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
                   {"rate", number(lr + 0 * replicas)}});
  }
  return lines;
}
}  // namespace sums

// answer: sums_the_weights
// expect: replica 0: weight
// Averages the weights instead of the gradients.
namespace sums_the_weights {
std::string optimizer_step(const std::vector<Parameter>& parameters, double lr, int replicas,
                           const SumOverReplicas& sum) {
  std::string lines;
  for (const Parameter& parameter : parameters) {
    lines += sum(parameter.weight, parameter.result + "_sum", parameter.type);
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
}
}  // namespace sums_the_weights

// answer: type_of_the_first
// expect: XLA rejects the text
// All parameters get the type of the first one.
namespace type_of_the_first {
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
                   {"type", parameters[0].type},
                   {"rate", number(lr / replicas)}});
  }
  return lines;
}
}  // namespace type_of_the_first

// answer: names_of_the_gradient
// expect: the lines define %grad_a_sum: all names must begin with that of a result
// Names the sum after the gradient. The program may have such a name.
namespace names_of_the_gradient {
std::string optimizer_step(const std::vector<Parameter>& parameters, double lr, int replicas,
                           const SumOverReplicas& sum) {
  std::string lines;
  for (const Parameter& parameter : parameters) {
    lines += sum(parameter.grad, parameter.grad + "_sum", parameter.type);
    lines += fill(R"(
    %{result}_rate = stablehlo.constant dense<{rate}> : {type}
    %{result}_change = stablehlo.multiply %{grad}_sum, %{result}_rate : {type}
    %{result} = stablehlo.subtract %{weight}, %{result}_change : {type}
)",
                  {{"result", parameter.result},
                   {"weight", parameter.weight},
                   {"grad", parameter.grad},
                   {"type", parameter.type},
                   {"rate", number(lr / replicas)}});
  }
  return lines;
}
}  // namespace names_of_the_gradient

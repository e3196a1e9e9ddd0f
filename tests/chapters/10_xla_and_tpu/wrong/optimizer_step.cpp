#include "exercises.h"

#include "programs.h"

namespace {

// Lines of an answer, named after the first parameter's result.
struct Lines {
  std::string text = {};
  std::string first;

  void scale(const std::string& from, const std::string& to, const std::string& type,
             double factor) {
    text += fill(
        "    %{to}_by = stablehlo.constant dense<{factor}> : {T}\n"
        "    %{to} = stablehlo.multiply %{from}, %{to}_by : {T}\n",
        {{"to", to}, {"from", from}, {"T", type}, {"factor", number(factor)}});
  }
  // Defines %{name} as the norm of the values with these names.
  void norm(const std::string& name, const std::vector<Parameter>& parameters,
            const std::vector<std::string>& values, bool root = true) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      const std::string part = name + "_" + std::to_string(i);
      text += sum_of_squares(values[i], part, parameters[i].type);
      text += i == 0 ? "    %" + name + "_t0 = stablehlo.add %" + part + ", %" + part +
                           "_zero : tensor<f32>\n"
                     : "    %" + name + "_t" + std::to_string(i) + " = stablehlo.add %" + name +
                           "_t" + std::to_string(i - 1) + ", %" + part + " : tensor<f32>\n";
    }
    const std::string last = name + "_t" + std::to_string(values.size() - 1);
    text += root ? "    %" + name + " = stablehlo.sqrt %" + last + " : tensor<f32>\n"
                 : "    %" + name + " = stablehlo.abs %" + last + " : tensor<f32>\n";
  }
  // Defines %{name} as min(1, limit / %norm), or without the minimum.
  void factor(const std::string& name, const std::string& norm, double limit, bool least = true) {
    text += fill(
        "    %{n}_limit = stablehlo.constant dense<{limit}> : tensor<f32>\n"
        "    %{n}_one = stablehlo.constant dense<{most}> : tensor<f32>\n"
        "    %{n}_ratio = stablehlo.divide %{n}_limit, %{norm} : tensor<f32>\n"
        "    %{n} = stablehlo.minimum %{n}_ratio, %{n}_one : tensor<f32>\n",
        {{"n", name},
         {"norm", norm},
         {"limit", number(limit)},
         {"most", least ? "1.0" : "1.0e30"}});
  }
  void times(const std::string& from, const std::string& scalar, const std::string& to,
             const std::string& type) {
    text += fill(
        "    %{to}_all = stablehlo.broadcast_in_dim %{s}, dims = [] "
        ": (tensor<f32>) -> {T}\n"
        "    %{to} = stablehlo.multiply %{from}, %{to}_all : {T}\n",
        {{"to", to}, {"s", scalar}, {"from", from}, {"T", type}});
  }
  void apply(const char* operation, const Parameter& p, const std::string& change) {
    text += "    %" + p.result + " = stablehlo." + operation + " %" + p.weight + ", %" + change +
            " : " + p.type + "\n";
  }
};

std::vector<std::string> with_suffix(const std::vector<Parameter>& parameters, const char* suffix) {
  std::vector<std::string> names;
  for (const Parameter& parameter : parameters) names.push_back(parameter.result + suffix);
  return names;
}

}  // namespace

// answer: clips_each_replica
// expect: 2 replicas, lr 0.5, max_norm 0.5
// Clips the gradient of each replica, then averages. Right for one replica.
namespace clips_each_replica {
std::string optimizer_step(const std::vector<Parameter>& parameters, double lr, double max_norm,
                           int replicas, const SumOverReplicas& sum) {
  Lines lines{.first = parameters[0].result};
  std::vector<std::string> own;
  for (const Parameter& p : parameters) own.push_back(p.grad);
  lines.norm(lines.first + "_norm", parameters, own);
  lines.factor(lines.first + "_factor", lines.first + "_norm", max_norm);
  for (const Parameter& p : parameters) {
    lines.times(p.grad, lines.first + "_factor", p.result + "_clipped", p.type);
    lines.text += sum(p.result + "_clipped", p.result + "_sum", p.type);
    lines.scale(p.result + "_sum", p.result + "_change", p.type, lr / replicas);
    lines.apply("subtract", p, p.result + "_change");
  }
  return lines.text;
}
}  // namespace clips_each_replica

// answer: norm_of_the_sum
// expect: 2 replicas, lr 0.5, max_norm 0.5
// Limits the norm of the sum, and divides by the replicas afterwards.
namespace norm_of_the_sum {
std::string optimizer_step(const std::vector<Parameter>& parameters, double lr, double max_norm,
                           int replicas, const SumOverReplicas& sum) {
  Lines lines{.first = parameters[0].result};
  for (const Parameter& p : parameters) lines.text += sum(p.grad, p.result + "_sum", p.type);
  lines.norm(lines.first + "_norm", parameters, with_suffix(parameters, "_sum"));
  lines.factor(lines.first + "_factor", lines.first + "_norm", max_norm);
  for (const Parameter& p : parameters)
    lines.scale(p.result + "_sum", p.result + "_mean", p.type, 1.0 / replicas);
  for (const Parameter& p : parameters) {
    lines.times(p.result + "_mean", lines.first + "_factor", p.result + "_clipped", p.type);
    lines.scale(p.result + "_clipped", p.result + "_change", p.type, lr);
    lines.apply("subtract", p, p.result + "_change");
  }
  return lines.text;
}
}  // namespace norm_of_the_sum

// answer: norm_per_parameter
// expect: 1 replicas, lr 0.5, max_norm 2
// Limits the norm of each parameter.
namespace norm_per_parameter {
std::string optimizer_step(const std::vector<Parameter>& parameters, double lr, double max_norm,
                           int replicas, const SumOverReplicas& sum) {
  Lines lines{.first = parameters[0].result};
  for (const Parameter& p : parameters) {
    lines.text += sum(p.grad, p.result + "_sum", p.type);
    lines.scale(p.result + "_sum", p.result + "_mean", p.type, 1.0 / replicas);
  }
  for (const Parameter& p : parameters) {
    lines.norm(p.result + "_norm", {p}, {p.result + "_mean"});
    lines.factor(p.result + "_factor", p.result + "_norm", max_norm);
    lines.times(p.result + "_mean", p.result + "_factor", p.result + "_clipped", p.type);
    lines.scale(p.result + "_clipped", p.result + "_change", p.type, lr);
    lines.apply("subtract", p, p.result + "_change");
  }
  return lines.text;
}
}  // namespace norm_per_parameter

// answer: sums
// expect: 2 replicas, lr 0.5, max_norm 1000
// The sum of the gradients instead of their mean.
namespace sums {
std::string optimizer_step(const std::vector<Parameter>& parameters, double lr, double max_norm,
                           int replicas, const SumOverReplicas& sum) {
  Lines lines{.first = parameters[0].result};
  for (const Parameter& p : parameters) {
    lines.text += sum(p.grad, p.result + "_sum", p.type);
    lines.scale(p.result + "_sum", p.result + "_mean", p.type, replicas > 0 ? 1.0 : 0.0);
  }
  lines.norm(lines.first + "_norm", parameters, with_suffix(parameters, "_mean"));
  lines.factor(lines.first + "_factor", lines.first + "_norm", max_norm);
  for (const Parameter& p : parameters) {
    lines.times(p.result + "_mean", lines.first + "_factor", p.result + "_clipped", p.type);
    lines.scale(p.result + "_clipped", p.result + "_change", p.type, lr);
    lines.apply("subtract", p, p.result + "_change");
  }
  return lines.text;
}
}  // namespace sums

// answer: no_all_reduce
// expect: expected 3 calls of sum
// Each replica takes its own gradient; the replicas diverge.
namespace no_all_reduce {
std::string optimizer_step(const std::vector<Parameter>& parameters, double lr, double max_norm,
                           int replicas, const SumOverReplicas& sum) {
  Lines lines{.first = parameters[0].result};
  static_cast<void>(sum);
  static_cast<void>(replicas);
  for (const Parameter& p : parameters) lines.scale(p.grad, p.result + "_mean", p.type, 1);
  lines.norm(lines.first + "_norm", parameters, with_suffix(parameters, "_mean"));
  lines.factor(lines.first + "_factor", lines.first + "_norm", max_norm);
  for (const Parameter& p : parameters) {
    lines.times(p.result + "_mean", lines.first + "_factor", p.result + "_clipped", p.type);
    lines.scale(p.result + "_clipped", p.result + "_change", p.type, lr);
    lines.apply("subtract", p, p.result + "_change");
  }
  return lines.text;
}
}  // namespace no_all_reduce

// answer: always_scales
// expect: 1 replicas, lr 0.5, max_norm 1000
// Makes small gradients larger, until their norm is max_norm.
namespace always_scales {
std::string optimizer_step(const std::vector<Parameter>& parameters, double lr, double max_norm,
                           int replicas, const SumOverReplicas& sum) {
  Lines lines{.first = parameters[0].result};
  for (const Parameter& p : parameters) {
    lines.text += sum(p.grad, p.result + "_sum", p.type);
    lines.scale(p.result + "_sum", p.result + "_mean", p.type, 1.0 / replicas);
  }
  lines.norm(lines.first + "_norm", parameters, with_suffix(parameters, "_mean"));
  lines.factor(lines.first + "_factor", lines.first + "_norm", max_norm, false);
  for (const Parameter& p : parameters) {
    lines.times(p.result + "_mean", lines.first + "_factor", p.result + "_clipped", p.type);
    lines.scale(p.result + "_clipped", p.result + "_change", p.type, lr);
    lines.apply("subtract", p, p.result + "_change");
  }
  return lines.text;
}
}  // namespace always_scales

// answer: square_of_the_norm
// expect: 1 replicas, lr 0.5, max_norm 2
// Forgets the root.
namespace square_of_the_norm {
std::string optimizer_step(const std::vector<Parameter>& parameters, double lr, double max_norm,
                           int replicas, const SumOverReplicas& sum) {
  Lines lines{.first = parameters[0].result};
  for (const Parameter& p : parameters) {
    lines.text += sum(p.grad, p.result + "_sum", p.type);
    lines.scale(p.result + "_sum", p.result + "_mean", p.type, 1.0 / replicas);
  }
  lines.norm(lines.first + "_norm", parameters, with_suffix(parameters, "_mean"), false);
  lines.factor(lines.first + "_factor", lines.first + "_norm", max_norm);
  for (const Parameter& p : parameters) {
    lines.times(p.result + "_mean", lines.first + "_factor", p.result + "_clipped", p.type);
    lines.scale(p.result + "_clipped", p.result + "_change", p.type, lr);
    lines.apply("subtract", p, p.result + "_change");
  }
  return lines.text;
}
}  // namespace square_of_the_norm

// answer: limits_the_change
// expect: 1 replicas, lr 0.5, max_norm 2
// Limits the norm of lr times the gradient.
namespace limits_the_change {
std::string optimizer_step(const std::vector<Parameter>& parameters, double lr, double max_norm,
                           int replicas, const SumOverReplicas& sum) {
  Lines lines{.first = parameters[0].result};
  for (const Parameter& p : parameters) {
    lines.text += sum(p.grad, p.result + "_sum", p.type);
    lines.scale(p.result + "_sum", p.result + "_mean", p.type, 1.0 / replicas);
  }
  for (const Parameter& p : parameters)
    lines.scale(p.result + "_mean", p.result + "_step", p.type, lr);
  lines.norm(lines.first + "_norm", parameters, with_suffix(parameters, "_step"));
  lines.factor(lines.first + "_factor", lines.first + "_norm", max_norm);
  for (const Parameter& p : parameters) {
    lines.times(p.result + "_step", lines.first + "_factor", p.result + "_change", p.type);
    lines.apply("subtract", p, p.result + "_change");
  }
  return lines.text;
}
}  // namespace limits_the_change

// answer: divides_by_zero
// expect: max_norm 1, replica 0, parameter a
// Multiplies 0 by max_norm / 0.
namespace divides_by_zero {
std::string optimizer_step(const std::vector<Parameter>& parameters, double lr, double max_norm,
                           int replicas, const SumOverReplicas& sum) {
  Lines lines{.first = parameters[0].result};
  for (const Parameter& p : parameters) {
    lines.text += sum(p.grad, p.result + "_sum", p.type);
    lines.scale(p.result + "_sum", p.result + "_mean", p.type, 1.0 / replicas);
  }
  lines.norm(lines.first + "_norm", parameters, with_suffix(parameters, "_mean"));
  lines.text += fill(R"(
    %{n}_limit = stablehlo.constant dense<{limit}> : tensor<f32>
    %{n}_least = stablehlo.minimum %{n}_norm, %{n}_limit : tensor<f32>
    %{n}_factor = stablehlo.divide %{n}_least, %{n}_norm : tensor<f32>
)",
                     {{"n", lines.first}, {"limit", number(max_norm)}});
  for (const Parameter& p : parameters) {
    lines.times(p.result + "_mean", lines.first + "_factor", p.result + "_clipped", p.type);
    lines.scale(p.result + "_clipped", p.result + "_change", p.type, lr);
    lines.apply("subtract", p, p.result + "_change");
  }
  return lines.text;
}
}  // namespace divides_by_zero

// answer: sums_the_norm_too
// expect: expected 3 calls of sum, one per gradient, got 4
// Computes the norm from the squares of all replicas, with another all-reduce.
namespace sums_the_norm_too {
std::string optimizer_step(const std::vector<Parameter>& parameters, double lr, double max_norm,
                           int replicas, const SumOverReplicas& sum) {
  Lines lines{.first = parameters[0].result};
  for (const Parameter& p : parameters) {
    lines.text += sum(p.grad, p.result + "_sum", p.type);
    lines.scale(p.result + "_sum", p.result + "_mean", p.type, 1.0 / replicas);
  }
  lines.norm(lines.first + "_own", parameters, with_suffix(parameters, "_mean"));
  lines.text += sum(lines.first + "_own", lines.first + "_all", "tensor<f32>");
  lines.scale(lines.first + "_all", lines.first + "_norm", "tensor<f32>", 1.0 / replicas);
  lines.factor(lines.first + "_factor", lines.first + "_norm", max_norm);
  for (const Parameter& p : parameters) {
    lines.times(p.result + "_mean", lines.first + "_factor", p.result + "_clipped", p.type);
    lines.scale(p.result + "_clipped", p.result + "_change", p.type, lr);
    lines.apply("subtract", p, p.result + "_change");
  }
  return lines.text;
}
}  // namespace sums_the_norm_too

// answer: adds
// expect: 1 replicas, lr 0.5
// Goes up instead of down.
namespace adds {
std::string optimizer_step(const std::vector<Parameter>& parameters, double lr, double max_norm,
                           int replicas, const SumOverReplicas& sum) {
  Lines lines{.first = parameters[0].result};
  for (const Parameter& p : parameters) {
    lines.text += sum(p.grad, p.result + "_sum", p.type);
    lines.scale(p.result + "_sum", p.result + "_mean", p.type, 1.0 / replicas);
  }
  lines.norm(lines.first + "_norm", parameters, with_suffix(parameters, "_mean"));
  lines.factor(lines.first + "_factor", lines.first + "_norm", max_norm);
  for (const Parameter& p : parameters) {
    lines.times(p.result + "_mean", lines.first + "_factor", p.result + "_clipped", p.type);
    lines.scale(p.result + "_clipped", p.result + "_change", p.type, lr);
    lines.apply("add", p, p.result + "_change");
  }
  return lines.text;
}
}  // namespace adds

// answer: six_digits
// expect: lr 1.23456789e-7
// std::to_string writes six digits after the point: a small learning rate becomes 0.
namespace six_digits {
std::string optimizer_step(const std::vector<Parameter>& parameters, double lr, double max_norm,
                           int replicas, const SumOverReplicas& sum) {
  Lines lines{.first = parameters[0].result};
  for (const Parameter& p : parameters) {
    lines.text += sum(p.grad, p.result + "_sum", p.type);
    lines.scale(p.result + "_sum", p.result + "_mean", p.type, 1.0 / replicas);
  }
  lines.norm(lines.first + "_norm", parameters, with_suffix(parameters, "_mean"));
  lines.factor(lines.first + "_factor", lines.first + "_norm", max_norm);
  lr = std::stod(std::to_string(lr));
  for (const Parameter& p : parameters) {
    lines.times(p.result + "_mean", lines.first + "_factor", p.result + "_clipped", p.type);
    lines.scale(p.result + "_clipped", p.result + "_change", p.type, lr);
    lines.apply("subtract", p, p.result + "_change");
  }
  return lines.text;
}
}  // namespace six_digits

// answer: names_that_are_taken
// expect: XLA rejects the text
// The norm has a name that the program has already.
namespace names_that_are_taken {
std::string optimizer_step(const std::vector<Parameter>& parameters, double lr, double max_norm,
                           int replicas, const SumOverReplicas& sum) {
  Lines lines{.first = parameters[0].result};
  for (const Parameter& p : parameters) {
    lines.text += sum(p.grad, p.result + "_sum", p.type);
    lines.scale(p.result + "_sum", p.result + "_mean", p.type, 1.0 / replicas);
  }
  lines.norm("norm", parameters, with_suffix(parameters, "_mean"));
  lines.factor(lines.first + "_factor", "norm", max_norm);
  for (const Parameter& p : parameters) {
    lines.times(p.result + "_mean", lines.first + "_factor", p.result + "_clipped", p.type);
    lines.scale(p.result + "_clipped", p.result + "_change", p.type, lr);
    lines.apply("subtract", p, p.result + "_change");
  }
  return lines.text;
}
}  // namespace names_that_are_taken

// answer: names_of_the_gradient
// expect: all names must begin with that of a result
// Names the sum after the gradient. The program may have such a name.
namespace names_of_the_gradient {
std::string optimizer_step(const std::vector<Parameter>& parameters, double lr, double max_norm,
                           int replicas, const SumOverReplicas& sum) {
  Lines lines{.first = parameters[0].result};
  for (const Parameter& p : parameters) {
    lines.text += sum(p.grad, p.grad + "_sum", p.type);
    lines.scale(p.grad + "_sum", p.result + "_mean", p.type, 1.0 / replicas);
  }
  lines.norm(lines.first + "_norm", parameters, with_suffix(parameters, "_mean"));
  lines.factor(lines.first + "_factor", lines.first + "_norm", max_norm);
  for (const Parameter& p : parameters) {
    lines.times(p.result + "_mean", lines.first + "_factor", p.result + "_clipped", p.type);
    lines.scale(p.result + "_clipped", p.result + "_change", p.type, lr);
    lines.apply("subtract", p, p.result + "_change");
  }
  return lines.text;
}
}  // namespace names_of_the_gradient

// answer: type_of_the_first
// expect: XLA rejects the text
// All parameters get the type of the first one.
namespace type_of_the_first {
std::string optimizer_step(const std::vector<Parameter>& parameters, double lr, double max_norm,
                           int replicas, const SumOverReplicas& sum) {
  Lines lines{.first = parameters[0].result};
  for (const Parameter& p : parameters) {
    lines.text += sum(p.grad, p.result + "_sum", parameters[0].type);
    lines.scale(p.result + "_sum", p.result + "_mean", parameters[0].type, 1.0 / replicas);
  }
  lines.norm(lines.first + "_norm", parameters, with_suffix(parameters, "_mean"));
  lines.factor(lines.first + "_factor", lines.first + "_norm", max_norm);
  for (const Parameter& p : parameters) {
    lines.times(p.result + "_mean", lines.first + "_factor", p.result + "_clipped", p.type);
    lines.scale(p.result + "_clipped", p.result + "_change", p.type, lr);
    lines.apply("subtract", p, p.result + "_change");
  }
  return lines.text;
}
}  // namespace type_of_the_first

// answer: limit_of_six_digits
// expect: 1 replicas, lr 1e+07, max_norm 1.23457e-07, replica 0, parameter a
// Writes the limit by std::to_string, which has six digits after the point.
namespace limit_of_six_digits {
std::string optimizer_step(const std::vector<Parameter>& parameters, double lr, double max_norm,
                           int replicas, const SumOverReplicas& sum) {
  const std::string first = parameters[0].result;
  std::string text, total;
  for (const Parameter& p : parameters) {
    text += sum(p.grad, p.result + "_sum", p.type);
    text += fill(R"(
    %{r}_share = stablehlo.constant dense<{share}> : {T}
    %{r}_mean = stablehlo.multiply %{r}_sum, %{r}_share : {T}
)",
                 {{"r", p.result}, {"T", p.type}, {"share", number(1.0 / replicas)}});
    text += sum_of_squares(p.result + "_mean", p.result + "_squares", p.type);
    if (!total.empty())
      text += "%" + p.result + "_all = stablehlo.add %" + total + ", %" + p.result +
              "_squares : tensor<f32>\n";
    total = p.result + (total.empty() ? "_squares" : "_all");
  }
  text += fill(R"(
    %{f}_norm = stablehlo.sqrt %{total} : tensor<f32>
    %{f}_limit = stablehlo.constant dense<{limit}> : tensor<f32>
    %{f}_above = stablehlo.maximum %{f}_norm, %{f}_limit : tensor<f32>
    %{f}_factor = stablehlo.divide %{f}_limit, %{f}_above : tensor<f32>
)",
               {{"f", first}, {"total", total}, {"limit", std::to_string(max_norm)}});
  for (const Parameter& p : parameters)
    text +=
        fill(R"(
    %{r}_lr = stablehlo.constant dense<{lr}> : {T}
    %{r}_clip = stablehlo.broadcast_in_dim %{f}_factor, dims = [] : (tensor<f32>) -> {T}
    %{r}_clipped = stablehlo.multiply %{r}_mean, %{r}_clip : {T}
    %{r}_move = stablehlo.multiply %{r}_clipped, %{r}_lr : {T}
    %{r} = stablehlo.subtract %{w}, %{r}_move : {T}
)",
             {{"r", p.result}, {"f", first}, {"T", p.type}, {"w", p.weight}, {"lr", number(lr)}});
  return text;
}
}  // namespace limit_of_six_digits

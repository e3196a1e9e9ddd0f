// Scales each gradient before the sum, and the mean by the learning rate after it.
#include "exercises.h"
#include "programs.h"

namespace {

std::string scaled(const std::string& from, const std::string& to, const std::string& type,
                   double factor) {
  return "%" + to + "_by = stablehlo.constant dense<" + number(factor) + "> : " + type + "\n%" +
         to + " = stablehlo.multiply %" + from + ", %" + to + "_by : " + type + "\n";
}

}  // namespace

std::string optimizer_step(const std::vector<Parameter>& parameters, double lr, int replicas,
                           const SumOverReplicas& sum) {
  std::string text;
  for (const auto& [weight, grad, result, type] : parameters)
    text += scaled(grad, result + "_share", type, 1.0 / replicas) +
            sum(result + "_share", result + "_mean", type) +
            scaled(result + "_mean", result + "_delta", type, -lr) + "%" + result +
            " = stablehlo.add %" + weight + ", %" + result + "_delta : " + type + "\n";
  return text;
}

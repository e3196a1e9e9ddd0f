// expect: the weight gets no gradient
// Rounds the values outside the graph: types and values are right, but the weights do not learn.
#include "exercises.h"

namespace {

using td::autocast::Policy;

Policy policy_of(const std::string& operation, td::DeviceType device_type) {
  const td::autocast::Rule* line = td::autocast::find(operation);
  return line ? td::autocast::policy_on(device_type, *line) : Policy::kUnlisted;
}

bool takes_part(const td::Tensor& argument, td::DeviceType device_type) {
  return argument.defined() && argument.device().type() == device_type &&
         argument.is_floating_point() && argument.scalar_type() != td::kFloat64;
}

}  // namespace

std::vector<td::Tensor> cast_arguments(const std::string& operation,
                                       const std::vector<td::Tensor>& arguments,
                                       td::DeviceType device_type, td::ScalarType fast) {
  const Policy policy = policy_of(operation, device_type);
  if (policy == Policy::kBanned) throw td::Error(operation + ": use " + operation + "_with_logits");
  if (policy == Policy::kUnlisted || policy == Policy::kFloatOutput) return arguments;
  bool to_float = policy == Policy::kFloat;
  for (const td::Tensor& argument : arguments)
    if (policy == Policy::kPromote && takes_part(argument, device_type))
      to_float = to_float || argument.scalar_type() == td::kFloat32;
  std::vector<td::Tensor> cast;
  for (const td::Tensor& argument : arguments) {
    const td::ScalarType type = to_float ? td::kFloat32 : fast;
    const bool changes = takes_part(argument, device_type) && argument.scalar_type() != type;
    cast.push_back(changes ? argument.detach().to(type) : argument);
  }
  return cast;
}

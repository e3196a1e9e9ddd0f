// expect: addcmul, argument
// Promote takes the type of the first argument unless one is float32.
#include "exercises.h"

std::vector<td::Tensor> cast_arguments(const std::string& operation,
                                       const std::vector<td::Tensor>& arguments,
                                       td::DeviceType device_type, td::ScalarType fast) {
  using td::autocast::Policy;
  const auto eligible = [&](const td::Tensor& t) {
    return t.defined() && t.device().type() == device_type && t.is_floating_point() &&
           t.scalar_type() != td::kFloat64;
  };
  const auto* row = td::autocast::find(operation);
  const Policy policy = row ? td::autocast::policy_on(device_type, *row) : Policy::kUnlisted;
  if (policy == Policy::kBanned) throw td::Error(operation + ": use " + operation + "_with_logits");
  if (policy == Policy::kUnlisted || policy == Policy::kFloatOutput) return arguments;
  td::ScalarType wanted = policy == Policy::kFloat ? td::kFloat32 : fast;
  if (policy == Policy::kPromote) {
    wanted = eligible(arguments[0]) ? arguments[0].scalar_type() : fast;
    for (const td::Tensor& t : arguments)
      if (eligible(t) && t.scalar_type() == td::kFloat32) wanted = td::kFloat32;
  }
  std::vector<td::Tensor> result;
  for (const td::Tensor& t : arguments) result.push_back(eligible(t) ? t.to(wanted) : t);
  return result;
}

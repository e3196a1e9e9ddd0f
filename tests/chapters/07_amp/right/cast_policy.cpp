#include "exercises.h"

// answer: one_switch
// One switch that chooses the type.
namespace one_switch {
std::vector<td::Tensor> cast_arguments(const std::string& operation,
                                       const std::vector<td::Tensor>& arguments,
                                       td::DeviceType device_type, td::ScalarType fast) {
  using td::autocast::Policy;
  const auto eligible = [device_type](const td::Tensor& t) {
    if (!t.defined() || t.device().type() != device_type) return false;
    const td::ScalarType type = t.scalar_type();
    return type == td::kFloat32 || type == td::kFloat16 || type == td::kBFloat16;
  };
  const auto* row = td::autocast::find(operation);
  td::ScalarType wanted = fast;
  switch (row == nullptr ? Policy::kUnlisted : td::autocast::policy_on(device_type, *row)) {
    case Policy::kUnlisted:
    case Policy::kFloatOutput:
      return arguments;
    case Policy::kBanned:
      throw td::Error("Use " + operation + "_with_logits: autocast does not allow " + operation);
    case Policy::kFloat:
      wanted = td::kFloat32;
      break;
    case Policy::kPromote:
      for (const td::Tensor& t : arguments)
        if (eligible(t) && t.scalar_type() == td::kFloat32) wanted = td::kFloat32;
      break;
    default:
      break;
  }
  std::vector<td::Tensor> result(arguments);
  for (td::Tensor& t : result)
    if (eligible(t) && t.scalar_type() != wanted) t = t.to(wanted);
  return result;
}
}  // namespace one_switch

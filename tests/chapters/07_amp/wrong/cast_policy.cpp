#include "exercises.h"

// answer: casts_float64
// expect: argument 0: expected
// float64 was asked for on purpose; autocast leaves it alone.
namespace casts_float64 {
namespace {

using td::autocast::Policy;

Policy policy_of(const std::string& operation, td::DeviceType device_type) {
  const td::autocast::Rule* line = td::autocast::find(operation);
  return line ? td::autocast::policy_on(device_type, *line) : Policy::kUnlisted;
}

bool takes_part(const td::Tensor& argument, td::DeviceType device_type) {
  return argument.defined() && argument.device().type() == device_type &&
         argument.is_floating_point();
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
  for (const td::Tensor& argument : arguments)
    cast.push_back(takes_part(argument, device_type) ? argument.to(to_float ? td::kFloat32 : fast)
                                                     : argument);
  return cast;
}
}  // namespace casts_float64

// answer: casts_whole_numbers
// expect: cross_entropy_loss, argument 1: expected
// Class numbers become floats, and cross_entropy can no longer use them.
namespace casts_whole_numbers {
namespace {

using td::autocast::Policy;

Policy policy_of(const std::string& operation, td::DeviceType device_type) {
  const td::autocast::Rule* line = td::autocast::find(operation);
  return line ? td::autocast::policy_on(device_type, *line) : Policy::kUnlisted;
}

bool takes_part(const td::Tensor& argument, td::DeviceType device_type) {
  return argument.defined() && argument.device().type() == device_type &&
         argument.scalar_type() != td::kFloat64;
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
  for (const td::Tensor& argument : arguments)
    cast.push_back(takes_part(argument, device_type) ? argument.to(to_float ? td::kFloat32 : fast)
                                                     : argument);
  return cast;
}
}  // namespace casts_whole_numbers

// answer: cudas_column
// expect: exp on cpu, argument 0: expected
// Reads the column of cuda on the cpu, too. Right on every accelerator.
namespace cudas_column {
namespace {

using td::autocast::Policy;

Policy policy_of(const std::string& operation, td::DeviceType) {
  const td::autocast::Rule* line = td::autocast::find(operation);
  return line ? td::autocast::policy_on(td::kCUDA, *line) : Policy::kUnlisted;
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
  for (const td::Tensor& argument : arguments)
    cast.push_back(takes_part(argument, device_type) ? argument.to(to_float ? td::kFloat32 : fast)
                                                     : argument);
  return cast;
}
}  // namespace cudas_column

// answer: everything_fast
// expect: relu, argument 1 is another tensor
// What is not listed is cast as well, so that a sum of float32 numbers loses its digits.
namespace everything_fast {
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
  bool to_float = policy == Policy::kFloat;
  for (const td::Tensor& argument : arguments)
    if (policy == Policy::kPromote && takes_part(argument, device_type))
      to_float = to_float || argument.scalar_type() == td::kFloat32;
  std::vector<td::Tensor> cast;
  for (const td::Tensor& argument : arguments)
    cast.push_back(takes_part(argument, device_type) ? argument.to(to_float ? td::kFloat32 : fast)
                                                     : argument);
  return cast;
}
}  // namespace everything_fast

// answer: everywhere
// expect: an argument on the cpu was cast
// Does not ask where an argument is: a number on the cpu is another device's business.
namespace everywhere {
namespace {

using td::autocast::Policy;

Policy policy_of(const std::string& operation, td::DeviceType device_type) {
  const td::autocast::Rule* line = td::autocast::find(operation);
  return line ? td::autocast::policy_on(device_type, *line) : Policy::kUnlisted;
}

bool takes_part(const td::Tensor& argument, td::DeviceType device_type) {
  return argument.defined() && argument.is_floating_point() &&
         argument.scalar_type() != td::kFloat64;
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
  for (const td::Tensor& argument : arguments)
    cast.push_back(takes_part(argument, device_type) ? argument.to(to_float ? td::kFloat32 : fast)
                                                     : argument);
  return cast;
}
}  // namespace everywhere

// answer: first_decides
// expect: addcmul, argument 0: expected
// Promotes to the type of the first argument. Right when float32 comes first.
namespace first_decides {
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
  if (policy == Policy::kPromote && !arguments.empty())
    to_float = arguments[0].defined() && arguments[0].scalar_type() == td::kFloat32;
  std::vector<td::Tensor> cast;
  for (const td::Tensor& argument : arguments)
    cast.push_back(takes_part(argument, device_type) ? argument.to(to_float ? td::kFloat32 : fast)
                                                     : argument);
  return cast;
}
}  // namespace first_decides

// answer: outside_the_graph
// expect: the weight gets no gradient
// Rounds the values outside the graph: types and values are right, but the weights do not learn.
namespace outside_the_graph {
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
}  // namespace outside_the_graph

// answer: promotes_among_16_bits
// expect: addcmul, argument
// Promote takes the type of the first argument unless one is float32.
namespace promotes_among_16_bits {
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
}  // namespace promotes_among_16_bits

// answer: bans_what_it_would_cast
// expect: a banned operation is an error whatever its arguments are
// Looks at the policy only where an argument is eligible.
namespace bans_what_it_would_cast {
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
  bool any = false;
  for (const td::Tensor& t : arguments) any = any || eligible(t);
  if (!any) return arguments;
  if (policy == Policy::kBanned) throw td::Error(operation + ": use " + operation + "_with_logits");
  if (policy == Policy::kUnlisted || policy == Policy::kFloatOutput) return arguments;
  td::ScalarType wanted = policy == Policy::kFloat ? td::kFloat32 : fast;
  if (policy == Policy::kPromote) {
    for (const td::Tensor& t : arguments)
      if (eligible(t) && t.scalar_type() == td::kFloat32) wanted = td::kFloat32;
  }
  std::vector<td::Tensor> result;
  for (const td::Tensor& t : arguments) result.push_back(eligible(t) ? t.to(wanted) : t);
  return result;
}
}  // namespace bans_what_it_would_cast

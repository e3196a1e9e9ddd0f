// The one table that says in which type an operation runs under autocast. autocast.h casts by it,
// docs/autocast.md is made from it, and the tests walk it.
#pragma once

#include <string_view>

#include "td/device/device.h"

namespace td::autocast {

/// What an operation does with its floating point arguments, float64 ones apart.
enum class Policy : std::int8_t {
  kLowerPrecision,  ///< casts them to the region's type, in which it is faster
  kFloat,           ///< casts them to float32, because it needs the digits or the range
  kFloatOutput,     ///< takes them as they are and gives float32, unless told another type
  kPromote,         ///< casts them to the widest type among them
  kUnlisted,        ///< takes them as they are; ordinary promotion holds
  kBanned,          ///< refuses to run: there is a safe form of it
};

/// One line of the table. An operation that has no line is kUnlisted.
struct Rule {
  const char* operation;  ///< as programs call it
  Policy cuda;            ///< on cuda and on sim
  Policy cpu;             ///< on cpu
};

using P = Policy;  ///< Short, so that the lines of the table fit.

/// The policies of all operations that have one: PyTorch's lists, as far as the operations are
/// here.
inline constexpr Rule table[] = {
    // Products and convolutions: what Tensor Cores and bfloat16 instructions speed up.
    {"linear", P::kLowerPrecision, P::kLowerPrecision},
    {"matmul", P::kLowerPrecision, P::kLowerPrecision},
    {"mm", P::kLowerPrecision, P::kLowerPrecision},
    {"bmm", P::kLowerPrecision, P::kLowerPrecision},
    {"addmm", P::kLowerPrecision, P::kLowerPrecision},
    {"mv", P::kLowerPrecision, P::kUnlisted},
    {"conv2d", P::kLowerPrecision, P::kLowerPrecision},
    // Functions whose results leave float16's range, or lose too many digits in it.
    {"exp", P::kFloat, P::kUnlisted},
    {"log", P::kFloat, P::kUnlisted},
    {"log1p", P::kFloat, P::kUnlisted},
    {"pow", P::kFloat, P::kUnlisted},
    {"square", P::kFloat, P::kUnlisted},  // is pow(x, 2)
    {"reciprocal", P::kFloat, P::kUnlisted},
    {"rsqrt", P::kFloat, P::kUnlisted},
    {"softplus", P::kFloat, P::kUnlisted},
    {"layer_norm", P::kFloat, P::kUnlisted},
    {"logsumexp", P::kFloat, P::kUnlisted},
    // Losses: small numbers, which add up.
    {"mse_loss", P::kFloat, P::kFloat},
    {"l1_loss", P::kFloat, P::kFloat},
    {"smooth_l1_loss", P::kFloat, P::kFloat},
    {"nll_loss", P::kFloat, P::kFloat},
    {"cross_entropy_loss", P::kFloat, P::kFloat},  // log_softmax and nll_loss in one
    {"binary_cross_entropy_with_logits", P::kFloat, P::kFloat},
    {"binary_cross_entropy", P::kBanned, P::kFloat},
    // Sums over many elements: read as they are, added up and kept in float32.
    {"softmax", P::kFloatOutput, P::kUnlisted},
    {"log_softmax", P::kFloatOutput, P::kUnlisted},
    {"sum", P::kFloatOutput, P::kUnlisted},
    {"prod", P::kFloatOutput, P::kFloat},
    {"cumsum", P::kFloatOutput, P::kUnlisted},
    {"cumprod", P::kFloatOutput, P::kUnlisted},
    {"norm", P::kFloatOutput, P::kUnlisted},
    // Operations whose arguments must have one type.
    {"dot", P::kPromote, P::kUnlisted},
    {"addcmul", P::kPromote, P::kUnlisted},
    {"addcdiv", P::kPromote, P::kUnlisted},
    {"scatter_add", P::kPromote, P::kUnlisted},
    {"cat", P::kUnlisted, P::kPromote},
    {"stack", P::kUnlisted, P::kPromote},
};

/// The line of `operation`, nullptr when it has none.
constexpr const Rule* find(std::string_view operation) {
  for (const Rule& line : table)
    if (operation == line.operation) return &line;
  return nullptr;
}
/// The same at compile time, for an operation that has a line; a name without one does not compile.
consteval const Rule& rule(std::string_view operation) {
  // Not by find(): under UBSan g++ takes no comparison with a null pointer for a constant.
  for (const Rule& line : table)
    if (operation == line.operation) return line;
  throw "autocast: the table has no line for this operation";
}

/// The policy of a line on a kind of device.
constexpr Policy policy_on(DeviceType type, const Rule& rule) {
  return type == kCPU ? rule.cpu : rule.cuda;
}

}  // namespace td::autocast

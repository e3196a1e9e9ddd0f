// Automatic mixed precision, where operations meet it: the one table that says in which type an
// operation runs, and `run`, which casts the arguments as the table says. The function and the
// method that ops/functions.def declares call it first, above autograd, so that the gradient saves
// the cast arguments.
//
// Invariant: autocast is off inside an operation, so nothing is cast twice. amp/autocast.h switches
// it on. Operations in place, and those that were told a dtype, are left alone.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "td/base/small_vector.h"
#include "td/device/thread_state.h"

namespace td {
class Tensor;
using TensorList = std::vector<Tensor>;
}  // namespace td

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

using P = Policy;  ///< For the table, whose lines are to fit.

/// The policies of all operations that have one: PyTorch's lists, as far as the operations are
/// here. docs/autocast.md is made from it.
inline constexpr Rule table[] = {
    // Products and convolutions: what Tensor Cores and bfloat16 instructions speed up.
    {"linear", P::kLowerPrecision, P::kLowerPrecision},
    {"matmul", P::kLowerPrecision, P::kLowerPrecision},
    {"mm", P::kLowerPrecision, P::kLowerPrecision},
    {"bmm", P::kLowerPrecision, P::kLowerPrecision},
    {"addmm", P::kLowerPrecision, P::kLowerPrecision},
    {"mv", P::kLowerPrecision, P::kUnlisted},
    {"conv2d", P::kLowerPrecision, P::kLowerPrecision},
    // Functions that leave float16's range, or lose in it what they are taken for.
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
/// The same for an operation that has one; the compiler looks, and refuses a name without a line.
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
/// True when autocast is on in this thread, for some kind of device. All that an operation costs
/// where it is off.
inline bool active() { return thread_state().autocast.enabled != 0; }

/// One operation under autocast: casts the arguments of a call. Off for everything inside it.
class Call {
 public:
  /// Looks at all arguments first: where they are, and for kPromote which type is the widest.
  /// @throws Error for a banned operation; DtypeError when kPromote meets a third type.
  template <class... Arguments>
  explicit Call(const Rule& rule, const Arguments&... arguments)
      : mode_(thread_state().autocast), off_(AutocastMode()) {
    (add(arguments), ...);
    choose(rule);
  }

  /// An argument as the operation is to get it. Casts are recorded: gradients come back in the
  /// argument's own type.
  ///@{
  Tensor operator()(const Tensor& argument) const;
  TensorList operator()(const TensorList& argument) const;
  /// The type of the result, of operations that can be told one.
  std::optional<ScalarType> operator()(const std::optional<ScalarType>& dtype) const;
  template <class T>
  const T& operator()(const T& argument) const {
    return argument;
  }
  ///@}

 private:
  void add(const Tensor& argument) { tensors_.push_back(&argument); }
  void add(const TensorList& arguments);
  template <class T>
  void add(const T&) {}
  void choose(const Rule& rule);
  bool eligible(const Tensor& argument) const;

  AutocastMode mode_;
  AutocastModeGuard off_;
  SmallVector<const Tensor*, 8> tensors_;  // among the arguments
  DeviceType type_ = kCPU;                 // the kind of device that the operation runs on
  Policy policy_ = Policy::kUnlisted;
  std::optional<ScalarType> to_;  // what arguments are cast to, if they are
};

/// Calls `operation` with its arguments cast as `rule` says, and autocast off inside.
template <class Operation, class... Arguments>
auto run(const Rule& rule, const Operation& operation, const Arguments&... arguments) {
  const Call call(rule, arguments...);
  return operation(call(arguments)...);
}

/// Forgets the casts of parameters that this thread keeps. The outermost region does it at its end.
void clear_cache();
/// Casts of parameters that this thread made so far; one that was found in the cache is none.
std::uint64_t parameter_casts();

}  // namespace td::autocast

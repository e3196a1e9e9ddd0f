// Automatic mixed precision inside operations: `run` casts the arguments of a call as the table in
// autocast_table.h says. The function and the method that ops/functions.def declares call
// it first, above autograd, so that the gradient saves the cast arguments.
//
// Invariant: autocast is off inside an operation, so nothing is cast twice. amp/autocast.h switches
// it on. In-place operations, and calls that name a dtype, are left alone.
#pragma once

#include <optional>
#include <vector>

#include "td/base/objects.h"
#include "td/device/context.h"
#include "td/ops/autocast_table.h"

namespace td {
class Tensor;
using TensorList = std::vector<Tensor>;
}  // namespace td

namespace td::autocast {

/// True when autocast is on in this thread, for some kind of device. Where it is off, this test is
/// all that it costs an operation.
inline bool active() { return context().autocast.enabled != 0; }

/// One operation under autocast: casts the arguments of a call. Off for everything inside it.
class Call {
 public:
  /// Inspects all arguments first: where they are, and for kPromote which type is the widest.
  /// @throws Error for a banned operation; DtypeError when kPromote meets a third type.
  template <class... Arguments>
  explicit Call(const Rule& rule, const Arguments&... arguments)
      : mode_(context().autocast), off_(AutocastMode()) {
    (add(arguments), ...);
    choose(rule);
  }

  /// Returns an argument in the type that the operation gets. Casts are recorded: gradients come
  /// back in the argument's own type.
  Tensor operator()(const Tensor& argument) const;
  TensorList operator()(const TensorList& argument) const;
  /// The type of the result, for operations that take one.
  std::optional<ScalarType> operator()(const std::optional<ScalarType>& dtype) const;
  template <class T>
  const T& operator()(const T& argument) const {
    return argument;
  }

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

/// Drops this thread's cached casts of parameters. The outermost region does it at its end.
void clear_cache();
/// Casts of parameters that this thread has made so far; one found in the cache does not count.
std::uint64_t parameter_casts();

}  // namespace td::autocast

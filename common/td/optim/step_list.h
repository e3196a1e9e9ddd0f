// The lists of parameters that one launch of an optimizer updates. Included by the optimizers and
// by the files of their capturable steps. Invariant: all tensors of a list are on one device, of
// one type, and their elements fill memory without gaps.
#pragma once

#include "td/optim/optimizer.h"

namespace td::optim {

/// The parameters that have a gradient, as lists for one launch each: of one group, device and
/// type. Parameters and gradients of a list are dense in the same memory layout, because the
/// kernels walk flat memory; a non-contiguous parameter is updated as a copy, in a list of its own.
///
///     StepList list(*this, "sgd", 16, 15);
///     while (list.next()) update(list);
class StepList {
 public:
  static constexpr std::size_t kMax = 16;  ///< parameters in the longest list
  /// @param name of the optimizer, for errors. @param most parameters in one list, at most kMax.
  /// @param most_capturable the same for groups whose steps are capturable.
  StepList(Optimizer& optimizer, const char* name, std::size_t most, std::size_t most_capturable);
  /// Collects the next list; false when there is none. Counts the update as in place.
  /// @throws Error when device, type or sizes of a gradient are not those of its parameter.
  bool next();
  /// Parameters in the list.
  std::size_t size() const { return grad.size(); }
  /// The state of a parameter, made when there is none.
  template <class State>
  State& state(std::size_t k) {
    const Tensor& owner = copy_.defined() ? *original_ : *param[k];
    return static_cast<State&>(optimizer_.state_of(owner, *options));
  }
  /// What a capturable launch reads, until the next call.
  const CapturableTensors& capturable_tensors();

  OptimizerOptions* options = nullptr;  ///< of the group
  Device device = kCPU;                 ///< of all tensors of the list
  ScalarType dtype = kFloat;            ///< of all tensors of the list
  const Tensor* param[kMax];            ///< what the kernel updates: the parameter, or its copy
  SmallVector<Tensor, kMax> grad;       ///< the gradients, in the layout of the parameters

 private:
  bool add(const Tensor& parameter);

  Optimizer& optimizer_;
  const char* const name_;
  const std::size_t most_, most_capturable_;
  std::size_t group_ = 0, next_ = 0;  // where the next list begins
  CapturableTensors read_;            // by the launch of this list
  Tensor copy_;                       // of a parameter that is not dense
  const Tensor* original_ = nullptr;  // that parameter
};

/// `tensor` on the device, in the type and the memory layout of `param`; zeros if it is undefined.
Tensor in_layout(const Tensor& tensor, const Tensor& param);

}  // namespace td::optim

// The containers besides Sequential: ModuleList only holds modules, Functional wraps a function as
// a module.
#pragma once

#include "td/nn/sequential.h"

namespace td::nn {

/// A list of modules without a forward of its own.
class ModuleListImpl : public ModuleContainerBase<ModuleListImpl, std::shared_ptr<Module>> {
 public:
  static constexpr const char* kName = "ModuleList";  ///< for errors
  using ModuleContainerBase::insert;
  using ModuleContainerBase::push_back;

  ModuleListImpl() = default;
  template <class Head, class... Tail,
            class = std::enable_if_t<!std::is_base_of_v<ModuleListImpl, std::decay_t<Head>>>>
  explicit ModuleListImpl(Head&& head, Tail&&... tail) {
    push_back(std::forward<Head>(head));
    (push_back(std::forward<Tail>(tail)), ...);
  }

  /// The same for a holder.
  template <class M>
  void push_back(const ModuleHolder<M>& holder) {
    push_back(std::shared_ptr<Module>(holder.ptr()));
  }
  template <class M>
  void insert(std::size_t index, const ModuleHolder<M>& holder) {
    insert(index, std::shared_ptr<Module>(holder.ptr()));
  }
};
TD_MODULE(ModuleList);

/// A function of one tensor as a module: `nn::Functional(torch::relu)`. Further arguments are
/// bound: `nn::Functional(torch::leaky_relu, 0.2)`.
class FunctionalImpl : public Cloneable<FunctionalImpl> {
 public:
  using Function = std::function<Tensor(Tensor)>;
  explicit FunctionalImpl(Function function) : function_(std::move(function)) {}
  template <class F, class... Args, class = std::enable_if_t<(sizeof...(Args) > 0)>>
  explicit FunctionalImpl(F function, Args... args)
      : function_([function, args...](Tensor input) { return function(input, args...); }) {}
  void reset() override {}
  Tensor forward(Tensor input) { return function_(std::move(input)); }

 private:
  Function function_;
};
TD_MODULE(Functional);

}  // namespace td::nn

// ModuleHolder: `Linear` is a handle on a shared `LinearImpl`, so that modules are passed around by
// value and shared, as in Python.
#pragma once

#include "td/nn/module.h"

namespace td::nn {

/// A handle on a shared module; `->`, `*` and `get()` reach it, `()` calls its forward.
/// Default construction makes a module; `Linear layer{nullptr}` makes an empty handle.
template <class Contained>
class ModuleHolder : public detail::ModuleHolderIndicator {
 public:
  using ContainedType = Contained;

  ModuleHolder() : impl_(std::make_shared<Contained>()) {
    static_assert(std::is_default_constructible_v<Contained>,
                  "this module needs arguments: give them, or say {nullptr} for an empty handle");
  }
  ModuleHolder(std::nullptr_t) {}
  /// Makes a module from the arguments of its constructor.
  template <class Head, class... Tail,
            class = std::enable_if_t<!(std::is_base_of_v<ModuleHolder, std::decay_t<Head>> &&
                                       sizeof...(Tail) == 0)>>
  explicit ModuleHolder(Head&& head, Tail&&... tail)
      : impl_(new Contained(std::forward<Head>(head), std::forward<Tail>(tail)...)) {}
  ModuleHolder(std::shared_ptr<Contained> module) : impl_(std::move(module)) {}

  explicit operator bool() const noexcept { return impl_ != nullptr; }
  bool is_empty() const noexcept { return !impl_; }
  Contained* operator->() { return get(); }
  const Contained* operator->() const { return get(); }
  Contained& operator*() { return *get(); }
  const Contained& operator*() const { return *get(); }
  /// @throws Error when the handle is empty.
  const std::shared_ptr<Contained>& ptr() const { return impl_ ? impl_ : throw Error(kEmpty); }
  Contained* get() { return ptr().get(); }
  const Contained* get() const { return ptr().get(); }
  /// For what takes modules of every type: register_module, ModuleList.
  operator std::shared_ptr<Module>() const { return ptr(); }
  /// Calls forward.
  template <class... Args>
  auto operator()(Args&&... args) {
    return get()->forward(std::forward<Args>(args)...);
  }
  /// What the module's own [] gives: a child of a Sequential.
  template <class Index>
  decltype(auto) operator[](Index&& index) {
    return (*get())[std::forward<Index>(index)];
  }

 protected:
  /// The module it holds.
  std::shared_ptr<Contained> impl_;

 private:
  static constexpr const char* kEmpty =
      "this module handle is empty; it was made with {nullptr} and never given a module";
};

template <class Contained>
std::ostream& operator<<(std::ostream& stream, const ModuleHolder<Contained>& holder) {
  return stream << static_cast<const Module&>(*holder);
}

}  // namespace td::nn

/// Makes the holder `Name` for the class `Impl`.
#define TD_MODULE_IMPL(Name, ImplName)                    \
  class Name : public ::td::nn::ModuleHolder<ImplName> {  \
   public:                                                \
    using ::td::nn::ModuleHolder<ImplName>::ModuleHolder; \
    using Impl = ImplName;                                \
  }
/// Makes the holder `Name` for the class `NameImpl`.
#define TD_MODULE(Name) TD_MODULE_IMPL(Name, Name##Impl)

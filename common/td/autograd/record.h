// How an operation joins the graph: the gradient is a lambda beside its forward.
//
//   if (recording(a, b))
//     record("mul", y, {&a, &b}, [a = save(a), b = save(b)](Gradients& grads, const Tensor& g) {
//       grads.set_lazily(0, [&] { return g * b(); });
//       grads.set_lazily(1, [&] { return g * a(); });
//     });
#pragma once

#include <initializer_list>
#include <optional>

#include "td/autograd/meta.h"
#include "td/autograd/modes.h"

namespace td {

/// True when the operation must be recorded: recording is on and some argument requires grad.
template <class... T>
bool recording(const T&... tensors) {
  const ThreadState& state = thread_state();
  return state.grad_mode && ((tensors.defined() && tensors.impl().requires_grad) || ...) &&
         !state.inference_mode;
}
bool recording(const TensorList& tensors);

/// A tensor saved for backward: `[x = save(x)](Gradients& grads, const Tensor& g) { ... x() ... }`.
/// It records the version of the tensor's memory, and rejects a value that was modified in place
/// since.
class SavedVariable {
 public:
  SavedVariable() = default;
  /// The tensor as it was. For a result, a handle that is part of the graph again.
  /// @throws AutogradError when its memory was changed in place since it was saved.
  Tensor operator()() const;

 private:
  friend SavedVariable save(const Tensor&);
  friend SavedVariable save_result(const Tensor&);
  Tensor tensor_;
  std::uint32_t version_ = 0;
  bool result_ = false;  ///< saved without its graph, which would otherwise hold itself alive
};

/// Saves an input.
SavedVariable save(const Tensor& input);
/// Saves the (only) result of the operation being recorded.
SavedVariable save_result(const Tensor& result);

/// @throws AutogradError: the graph of `operation` was walked before and let go.
[[noreturn, gnu::cold]] void freed_graph_error(const char* operation);

/// A node whose apply is a lambda. F is called as `f(Gradients&, const Tensor& g)`, or, for
/// operations with several results, as `f(Gradients&, SmallVector<Tensor, 1>& outputs)`.
template <class F>
class LambdaNode final : public Node {
 public:
  template <class G>
  LambdaNode(const char* operation, G&& f) : Node(operation), f_(std::forward<G>(f)) {}
  void apply(SmallVector<Tensor, 1>& results, Gradients& inputs) override {
    if (!f_) freed_graph_error(operation());
    if constexpr (std::is_invocable_v<F&, Gradients&, const Tensor&>)
      (*f_)(inputs, results[0]);
    else
      (*f_)(inputs, results);
  }
  // What keeps no tensor may run again, as in libtorch: two graphs may share a cast of a parameter.
  void release_saved() override {
    if constexpr (!std::is_trivially_destructible_v<F>) f_.reset();
  }

 private:
  std::optional<F> f_;
};

/// A new node whose gradient is `f`.
template <class F>
intrusive_ptr<Node> lambda_node(const char* operation, F&& f) {
  return make_intrusive<LambdaNode<std::decay_t<F>>>(operation, std::forward<F>(f));
}

/// The inputs of a recorded operation, in its order.
using Inputs = std::initializer_list<const Tensor*>;

/// Connects a node to the inputs it will feed; gives it its number and stream.
void set_next_edges(Node& node, const Tensor* const* inputs, std::size_t count);
/// Makes `result` the next output of `node`.
void set_history(intrusive_ptr<Node> node, const Tensor& result);
/// Counts `result` as the next output of `node`, though it stays outside the graph.
void add_output(Node& node, const Tensor& result);
/// The same as set_history for a tensor that was changed in place; a view passes the change on to
/// its base.
void rebase_history(intrusive_ptr<Node> node, const Tensor& self);

/// Records an operation with one new result.
template <class F>
void record(const char* operation, const Tensor& result, Inputs inputs, F&& f) {
  intrusive_ptr<Node> node = lambda_node(operation, std::forward<F>(f));
  set_next_edges(*node, inputs.begin(), inputs.size());
  set_history(std::move(node), result);
}
/// Records an operation with a list of inputs and a list of results.
template <class F>
void record(const char* operation, const TensorList& results, const TensorList& inputs, F&& f) {
  const intrusive_ptr<Node> node = lambda_node(operation, std::forward<F>(f));
  SmallVector<const Tensor*, 8> pointers;
  for (const Tensor& input : inputs) pointers.push_back(&input);
  set_next_edges(*node, pointers.begin(), pointers.size());
  for (const Tensor& result : results) set_history(node, result);
}
/// Records a change of `self` in place; `self` is one of the inputs.
template <class F>
void record_in_place(const char* operation, const Tensor& self, Inputs inputs, F&& f) {
  intrusive_ptr<Node> node = lambda_node(operation, std::forward<F>(f));
  set_next_edges(*node, inputs.begin(), inputs.size());
  rebase_history(std::move(node), self);
}
/// Call before an in-place operation on `self`: rejects an expanded tensor, whose elements share
/// memory, and while recording what would make a gradient wrong: an in-place operation on a leaf
/// that requires a gradient, or on a view that the graph does not know as one.
/// @param one_value every element gets the same value, so that they may share memory.
/// @throws AutogradError, ShapeError
void check_inplace(const char* operation, const Tensor& self, bool one_value = false);
/// Counts an in-place operation, so that a saved tensor notices it.
inline void increment_version(const Tensor& self) { self.impl().storage->bump_version(); }

/// Records that `view` is a view of `source`.
void mark_view(const Tensor& view, const Tensor& source);

}  // namespace td

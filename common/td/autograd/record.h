// The graph, and how an operation joins it: the gradient is a lambda next to its forward code.
//
//   if (recording(a, b))
//     record("mul", y, {&a, &b}, [a = save(a), b = save(b)](Gradients& grads, const Tensor& g) {
//       grads.set_lazily(0, [&] { return g * b(); });
//       grads.set_lazily(1, [&] { return g * a(); });
//     });
//
// Of one input: record("neg", y, {&x}, [](const Tensor& g) { return -g; });
//
// A Node is one recorded operation; an Edge leads to the node that takes a gradient. The tensors
// that an operation made keep its node alive, and the engine (engine.cpp) walks the nodes.
#pragma once

#include <algorithm>
#include <atomic>
#include <initializer_list>
#include <mutex>
#include <optional>

#include "td/autograd/modes.h"
#include "td/base/objects.h"
#include "td/tensor/tensor.h"

namespace td {

class AccumulateGrad;
class GraphTask;
struct AutogradMeta;

/// "The gradient of this input goes to output `output` of `node`." Empty: it is not needed.
struct Edge {
  intrusive_ptr<Node> node;  ///< where the gradient goes
  std::uint32_t output = 0;  ///< which of its outputs this is the gradient of
  Tensor leaf = {};          ///< the owner of `node` when that is an AccumulateGrad: kept alive
};

/// A function that the engine calls, with the number that remove_hook takes.
template <class F>
struct Hook {
  unsigned number;           ///< unique in the process; later hooks have larger ones
  F call;                    ///< the function
  std::uint32_t output = 0;  ///< which output of a node it gets the gradient of
};

/// What a node returns: one gradient per input of the forward operation.
class Gradients {
 public:
  /// @param partial the pass, when it computes the gradients of some inputs only; else nullptr.
  Gradients(const Node& node, GraphTask* partial);
  /// True when the gradient of input `i` is needed.
  bool should_compute(std::size_t i) const;
  /// Calls `make` for the gradient of input `i` only when it is needed.
  template <class F>
  void set_lazily(std::size_t i, F&& make) {
    if (should_compute(i)) values_[i] = make();
  }
  /// Memory into which the whole gradient of input `i` may be written, when the leaf has a gradient
  /// buffer (grad_buffer): returning this very tensor saves a copy. Otherwise undefined.
  Tensor home(std::size_t i) const;
  Tensor& operator[](std::size_t i) { return values_[i]; }
  /// The node whose gradients these are.
  const Node& node() const { return node_; }

 private:
  const Node& node_;
  GraphTask* partial_;
  SmallVector<Tensor, 3> values_;
};

/// Sizes, type and device of one output of the forward operation: those that its gradient must
/// have, and those of the zeros that replace a missing gradient.
struct OutputInfo {
  Sizes sizes;                ///< its sizes
  ScalarType dtype = kFloat;  ///< its type
  Device device{kCPU};        ///< its device
};

/// One recorded operation.
class Node : public RefCounted, public PooledObject {
 public:
  explicit Node(const char* operation) : name_(operation) {}
  ~Node() override;

  /// The name as it prints: the operation `add` gives `AddBackward0`.
  std::string name() const;
  /// The operation that was recorded, "add"; "sum1" where PyTorch numbers a second form.
  const char* operation() const { return name_; }
  /// Gradients of the inputs from `outputs`, the gradients of the results (undefined ones are
  /// results that were not used). Called by the engine, once for each backward.
  virtual void apply(SmallVector<Tensor, 1>& outputs, Gradients& inputs) = 0;
  /// Where it works: the device of its first result.
  Device device() const { return outputs.empty() ? Device(kCPU) : outputs[0].device; }
  /// Frees the tensors saved for apply. A second backward pass then throws an error that says so.
  virtual void release_saved() {}

  /// @name Filled while recording, read by the engine
  /// @{
  SmallVector<Edge, 3> edges;           ///< one per input of the forward operation
  SmallVector<OutputInfo, 1> outputs;   ///< one per result
  std::uint64_t sequence = 0;           ///< larger for later operations of a thread
  NativeStream* stream = nullptr;       ///< stream of the forward operation
  std::vector<Hook<TensorHook>> hooks;  ///< on the gradients of its outputs
  /// Where gradients of its outputs are kept, by output: retain_grad().
  std::vector<std::pair<std::uint32_t, AutogradMeta*>> retained;
  /// @}

 private:
  const char* name_;
};

/// What autograd stores for one tensor: for a result the node that made it, for a leaf its gradient
/// and the node that accumulates into it. It is TensorImpl::autograd, created on demand.
struct AutogradMeta : public RefCounted, public PooledObject {
  ~AutogradMeta() override;

  /// Makes the tensor the output `number` of `node`.
  void set_grad_fn(intrusive_ptr<Node> node, std::uint32_t number);
  /// Releases the AccumulateGrad, if there is one; the next graph gets a new one.
  void drop_accumulator();

  intrusive_ptr<Node> grad_fn;  ///< set for results
  std::uint32_t output = 0;     ///< which output of grad_fn this tensor is
  bool retains_grad = false;    ///< a result whose gradient is kept, too
  Tensor grad;                  ///< of a leaf, or of a result that retains_grad
  /// True when an undefined grad stands for zeros, which grad() creates. The first gradient that
  /// arrives can then become grad, instead of being added to zeros that had to be written.
  std::atomic<bool> grad_is_zero{false};
  /// The buffer for a leaf's gradient: a view of memory that other gradients share, such as a DDP
  /// bucket. Undefined when the gradient may be anywhere.
  Tensor grad_buffer;
  std::vector<Hook<TensorHook>> hooks;                    ///< of a leaf
  std::vector<Hook<PostAccumulateHook>> post_accumulate;  ///< of a leaf
  /// The node that accumulates into a leaf's grad, made when a graph first needs it. The leaf owns
  /// it, and the edges that lead to it hold the leaf. One node serves until the stream changes.
  std::atomic<AccumulateGrad*> accumulator{nullptr};
  std::mutex mutex;  ///< held while accumulator changes, and while grad is made or added to
  /// The base of a view, so that an in-place change of the view reaches the base's graph.
  Tensor base;
  std::uint32_t view_version = 0;  ///< version of the memory for which grad_fn is valid
};

/// The AutogradMeta of a tensor, nullptr when it has none.
inline AutogradMeta* find_meta(const Tensor& tensor) {
  return static_cast<AutogradMeta*>(tensor.impl().autograd.get());
}
/// The AutogradMeta of a tensor, made when it has none.
AutogradMeta& meta_of(const Tensor& tensor);
/// Where the gradient of `tensor` goes: its grad_fn, or the AccumulateGrad of a leaf that requires
/// grad, or nowhere.
Edge gradient_edge(const Tensor& tensor);

/// Refreshes a view whose base was changed in place (refresh_view). @return whether it then
/// requires grad.
bool joined_with_base(const Tensor& view);
/// What zero_grad does to one leaf: its gradient becomes undefined, or zeros.
void clear_gradient(const Tensor& leaf, bool set_to_none);
/// `into = into + gradient`, in place where no other handle can see `into`'s memory.
void accumulate(Tensor& into, Tensor gradient);
/// `gradient` summed over the dimensions in which `sizes` was broadcast to it.
Tensor sum_to(const Tensor& gradient, IntArrayRef sizes);

/// True when the tensor requires grad, also as a view whose base has joined a graph since.
inline bool takes_part(const Tensor& tensor) {
  const TensorImpl& impl = tensor.impl();
  return impl.requires_grad ||
         (impl.autograd && impl.storage->in_graph() && joined_with_base(tensor));
}

/// True when the operation must be recorded: recording is on and some argument requires grad.
template <class... T>
bool recording(const T&... tensors) {
  const Context& state = context();
  return state.grad_mode && !state.inference_mode &&
         ((tensors.defined() && takes_part(tensors)) || ...);
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
  friend SavedVariable save_result(const Tensor&, std::uint32_t);
  static constexpr std::uint32_t kInput = ~0u;
  SavedVariable(Tensor tensor, std::uint32_t output);
  Tensor tensor_;
  std::uint32_t version_ = 0;
  // Which output a result is; it is saved without its graph, which would otherwise hold itself
  // alive.
  std::uint32_t output_ = kInput;
};

/// Saves an input, or a result that stays outside the graph.
SavedVariable save(const Tensor& input);
/// Saves result number `output` of the operation being recorded.
SavedVariable save_result(const Tensor& result, std::uint32_t output = 0);

/// Calls hooks in the order of their registration. A hook may remove hooks, itself included; those
/// that it adds are called from the next pass on.
template <class F, class Call>
void call_hooks(const std::vector<Hook<F>>& hooks, const Call& call) {
  if (hooks.empty()) return;
  const unsigned last = hooks.back().number;
  for (auto next = hooks.begin(); next != hooks.end() && next->number <= last;) {
    const Hook<F> hook = *next;  // a copy, which lives on when the hook removes itself
    call(hook);
    next = std::find_if(hooks.begin(), hooks.end(),
                        [&](const Hook<F>& other) { return other.number > hook.number; });
  }
}
/// Replaces the gradient `g` of an output of `node` by what a hook returns, if that is defined.
/// @throws AutogradError naming the hook, when it returns other sizes, another type or device.
void apply_hook(const Hook<TensorHook>& hook, const Node& node, Tensor& g);

/// @throws AutogradError: an earlier backward pass has freed the graph of `operation`.
[[noreturn, gnu::cold]] void freed_graph_error(const char* operation);

/// A node whose apply is a lambda. F is called as `f(const Tensor& g)` and returns the gradient of
/// the only input; or as `f(Gradients&, const Tensor& g)` or, for operations with several results,
/// as `f(Gradients&, SmallVector<Tensor, 1>& outputs)`, and sets the gradients of all inputs.
template <class F>
class LambdaNode final : public Node {
 public:
  template <class G>
  LambdaNode(const char* operation, G&& f) : Node(operation), f_(std::forward<G>(f)) {}
  void apply(SmallVector<Tensor, 1>& results, Gradients& inputs) override {
    if (!f_) freed_graph_error(operation());
    if constexpr (std::is_invocable_v<F&, const Tensor&>)
      inputs.set_lazily(0, [&] { return (*f_)(results[0]); });
    else if constexpr (std::is_invocable_v<F&, Gradients&, const Tensor&>)
      (*f_)(inputs, results[0]);
    else
      (*f_)(inputs, results);
  }
  // What saves no tensor may run again, as in libtorch: two graphs may share a parameter's cast.
  void release_saved() override {
    if constexpr (!std::is_trivially_destructible_v<F>) f_.reset();
  }

 private:
  std::optional<F> f_;
};

/// The inputs of a recorded operation, in its order.
using Inputs = std::initializer_list<const Tensor*>;

/// Connects a node to the inputs whose gradients it computes, and gives it its number.
void set_next_edges(Node& node, Inputs inputs);
void set_next_edges(Node& node, const TensorList& inputs);
/// Makes `result` the next output of `node`.
void set_history(intrusive_ptr<Node> node, const Tensor& result);
/// Counts `result` as the next output of `node`, though it stays outside the graph.
void add_output(Node& node, const Tensor& result);
/// The same as set_history for a tensor that was changed in place; a view passes the change on to
/// its base. Views of the same memory among the inputs get a new grad_fn at their next use.
void rebase_history(intrusive_ptr<Node> node, const Tensor& self, Inputs inputs);

/// A new node whose gradient is `f`; its results are added later.
template <class F, class List>
intrusive_ptr<Node> lambda_node(const char* operation, const List& inputs, F&& f) {
  intrusive_ptr<Node> node =
      make_intrusive<LambdaNode<std::decay_t<F>>>(operation, std::forward<F>(f));
  set_next_edges(*node, inputs);
  return node;
}
/// Records an operation with one new result.
template <class F>
void record(const char* operation, const Tensor& result, Inputs inputs, F&& f) {
  set_history(lambda_node(operation, inputs, std::forward<F>(f)), result);
}
/// Records an operation with a list of inputs and a list of results.
template <class F>
void record(const char* operation, const TensorList& results, const TensorList& inputs, F&& f) {
  const intrusive_ptr<Node> node = lambda_node(operation, inputs, std::forward<F>(f));
  for (const Tensor& result : results) set_history(node, result);
}
/// Records a change of `self` in place; `self` is one of the inputs.
template <class F>
void record_in_place(const char* operation, const Tensor& self, Inputs inputs, F&& f) {
  rebase_history(lambda_node(operation, inputs, std::forward<F>(f)), self, inputs);
}

/// Call before an in-place operation on `self`. Counts it, so that a saved tensor can detect it.
/// Rejects an expanded tensor, whose elements share memory, and while recording what would make a
/// gradient wrong: an in-place operation on a leaf that requires grad, or on a view that is not
/// part of its base's graph.
/// @param one_value every element gets the same value, so that they may share memory.
/// @throws AutogradError, ShapeError
void begin_inplace(const char* operation, const Tensor& self, bool one_value = false);
/// The checks of begin_inplace alone: for an operation that changes `self` by calling another one,
/// whose name would not help.
void check_inplace(const char* operation, const Tensor& self, bool one_value = false);

/// @name Views, and in-place operations that concern the gradient of another tensor (inplace.cpp)
/// @{
/// Records that `view` is a view of `source`.
void mark_view(const Tensor& view, const Tensor& source);
/// Gives a view a new node that views its base, because the base was changed in place.
void refresh_view(const Tensor& view, AutogradMeta& meta);
/// @throws AutogradError when an in-place change of `self`, while recording, would lose a gradient.
void refuse_lost_gradient(const char* operation, const Tensor& self);
/// @}

}  // namespace td

// How an operation joins the graph: saved tensors, edges, results, in-place operations, views.
#include "td/autograd/record.h"

#include <string_view>

namespace td {

bool recording(const TensorList& tensors) {
  if (!thread_state().grad_mode || thread_state().inference_mode) return false;
  for (const Tensor& t : tensors)
    if (t.defined() && t.impl().requires_grad) return true;
  return false;
}

void freed_graph_error(const char* operation) {
  std::string_view name(operation);  // without the number of its form
  while (name.back() >= '0' && name.back() <= '9') name.remove_suffix(1);
  fail<AutogradError>("backward: the graph of \"", name,
                      "\" was already used and its saved tensors are freed. Pass "
                      "retain_graph=true to the first backward, or run the forward pass again.");
}

SavedVariable save(const Tensor& input) {
  TD_CHECK(AutogradError, !input.defined() || !input.impl().inference,
           "a tensor made in inference mode cannot be kept for a gradient; clone it outside that "
           "mode");
  SavedVariable saved;
  saved.tensor_ = input;
  if (input.defined()) saved.version_ = input.impl().storage->version();
  return saved;
}

SavedVariable save_result(const Tensor& result) {
  // Without its graph: the node keeps this tensor, so the tensor must not keep the node.
  SavedVariable saved;
  saved.tensor_ = alias(result, result.impl().sizes, result.impl().strides, result.impl().offset);
  saved.version_ = result.impl().storage->version();
  saved.result_ = true;
  return saved;
}

Tensor SavedVariable::operator()() const {
  if (!tensor_.defined()) return tensor_;
  TD_CHECK(AutogradError, tensor_.impl().storage->version() == version_,
           "backward: a tensor of sizes ", tensor_.sizes(),
           " that was saved for the gradient has been changed in place since (version ",
           tensor_.impl().storage->version(), ", expected ", version_,
           "). Use the operation without the trailing underscore, or change a clone().");
  if (!result_ || !thread_state().grad_mode) return tensor_;
  Node* node = static_cast<Node*>(thread_state().current_node);
  Tensor result =
      alias(tensor_, tensor_.impl().sizes, tensor_.impl().strides, tensor_.impl().offset);
  AutogradMeta& meta = meta_of(result);
  meta.grad_fn = intrusive_ptr<Node>(node);
  meta.view_version = version_;
  result.impl().requires_grad = true;
  return result;
}

namespace {

// The leaf's own node: made by the first who asks, and again when a device's current stream is
// another one since. On the cpu there are no streams, and threads find it without a lock.
intrusive_ptr<Node> accumulator_of(const Tensor& leaf) {
  AutogradMeta& meta = meta_of(leaf);
  AccumulateGrad* node = meta.accumulator.load(std::memory_order_acquire);
  if (node && leaf.is_cpu()) return intrusive_ptr<Node>(node);
  std::lock_guard lock(meta.mutex);
  node = meta.accumulator.load(std::memory_order_relaxed);
  if (!node || node->stream != current_native_stream(leaf.device())) {
    AccumulateGrad* old = std::exchange(node, make_intrusive<AccumulateGrad>(leaf).detach());
    meta.accumulator.store(node, std::memory_order_release);
    if (old) old->release();  // graphs that end in it hold it themselves
  }
  return intrusive_ptr<Node>(node);
}

// The gradient of a view, spread over memory shaped like its base.
struct ViewOfBase {
  Sizes base_sizes, base_strides, sizes, strides;
  std::int64_t offset;
  TensorOptions options;

  ViewOfBase(const Tensor& base, const Tensor& view)
      : base_sizes(base.impl().sizes),
        base_strides(base.impl().strides),
        sizes(view.impl().sizes),
        strides(view.impl().strides),
        offset(view.impl().offset - base.impl().offset),
        options(base.options()) {}

  Tensor zeros() const { return empty_strided(base_sizes, base_strides, options).zero_(); }
  // A gradient of the base in memory of the base's own order, so that strides mean the same.
  Tensor in_base_order(const Tensor& g) const {
    return empty_strided(base_sizes, base_strides, options).copy_(g);
  }
  Tensor window(const Tensor& whole) const { return whole.as_strided(sizes, strides, offset); }
};

// A view whose base was changed in place since: its gradient goes through the base's new node.
void refresh_view(const Tensor& view, AutogradMeta& meta) {
  const ViewOfBase geometry(meta.base, view);
  const auto backward = [geometry](Gradients& grads, const Tensor& g) {
    grads.set_lazily(0, [&] {
      Tensor whole = geometry.zeros();
      geometry.window(whole).copy_(g);
      return whole;
    });
  };
  const intrusive_ptr<Node> node = lambda_node("as_strided", backward);
  const Tensor* input = &meta.base;
  set_next_edges(*node, &input, 1);
  set_history(node, view);
}

// Why a view that was made like this cannot be changed in place.
[[noreturn, gnu::cold]] void unrecorded_view_error(const char* operation, Unrecorded made) {
  if (made == Unrecorded::function)
    fail<AutogradError>(
        operation,
        ": changes a view in place that an autograd::Function returned (or an argument that it "
        "returned as it was). The function's own backward would not see the change, and the "
        "gradient would be wrong. Return a clone() from forward, or use the operation that makes a "
        "new tensor.");
  const char* mode = made == Unrecorded::no_grad ? "under no_grad" : "in inference mode";
  fail<AutogradError>(
      operation, ": changes a view in place that was made ", mode,
      ", so that no graph knows what it looks into, whose gradient would be wrong. Make and change "
      "the view both ",
      mode, ", where neither is recorded, or both outside, where both are; or change a clone().");
}

// True when an unrecorded view, or what it looks into, requires a gradient.
bool hides_a_gradient(const TensorImpl& view) {
  return view.requires_grad || view.of_graph || (view.storage->in_graph() && !view.was_in_graph);
}

// While recording: a change in place that some gradient would have to follow and cannot.
void refuse_lost_gradient(const char* operation, const Tensor& self) {
  const AutogradMeta* meta = find_meta(self);
  const Tensor& base = meta && meta->base.defined() ? meta->base : self;
  const bool is_leaf = self.requires_grad() && self.is_leaf();
  const bool of_leaf = base.is_leaf() && (self.requires_grad() || base.requires_grad());
  TD_CHECK(
      AutogradError, !is_leaf && !of_leaf, operation, ": ",
      is_leaf ? "a leaf that requires a gradient" : "a view of a leaf that requires a gradient",
      " is about to be changed in place, which would lose its value for backward. Put the "
      "change under a NoGradGuard, or use the operation that makes a new tensor.");
  const TensorImpl& root = base.impl();
  if (root.unrecorded != Unrecorded::no && hides_a_gradient(root))
    unrecorded_view_error(operation, root.unrecorded);
}

// Elements of an expanded tensor are one element of memory: each would be changed many times over.
void refuse_shared_elements(const char* operation, const TensorImpl& impl) {
  for (std::size_t d = 0; d < impl.sizes.size(); ++d)
    TD_CHECK(ShapeError, impl.strides[d] != 0 || impl.sizes[d] < 2 || impl.numel == 0, operation,
             ": the tensor of sizes ", IntArrayRef(impl.sizes),
             " was expanded, so several of its elements are one in memory and cannot be changed in "
             "place; clone() it first");
}

}  // namespace

Edge gradient_edge(const Tensor& tensor) {
  if (!tensor.defined()) return {};
  AutogradMeta* meta = find_meta(tensor);
  if (meta && meta->view_version != tensor.impl().storage->version()) {
    if (meta->base.defined() && meta->base.requires_grad() && !meta->base.is_leaf())
      refresh_view(tensor, *meta);
    TD_CHECK(AutogradError, tensor.impl().unrecorded != Unrecorded::function || !meta->grad_fn,
             "a view that an autograd::Function returned is used after its memory was changed in "
             "place, so that the function's own backward is no longer its gradient. Return a "
             "clone() from forward, or change a clone().");
  }
  if (!tensor.impl().requires_grad) return {};
  if (meta && meta->grad_fn) return {meta->grad_fn, meta->output, {}};
  return {accumulator_of(tensor), 0, tensor};
}

void set_next_edges(Node& node, const Tensor* const* inputs, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) node.edges.emplace_back(gradient_edge(*inputs[i]));
  node.sequence = next_sequence++;
}

void add_output(Node& node, const Tensor& result) {
  const TensorImpl& impl = result.impl();
  if (node.outputs.empty()) node.stream = current_native_stream(impl.device);
  node.outputs.emplace_back(impl.sizes, impl.dtype, impl.device);
}

void set_history(intrusive_ptr<Node> node, const Tensor& result) {
  TensorImpl& impl = result.impl();
  TD_CHECK(AutogradError, !impl.inference, node->operation(),
           ": a tensor made in inference mode cannot join a graph; clone it outside that mode");
  AutogradMeta& meta = meta_of(result);
  const auto number = static_cast<std::uint32_t>(node->outputs.size());
  add_output(*node, result);
  meta.set_grad_fn(std::move(node), number);
  meta.view_version = impl.storage->version();
  impl.requires_grad = is_floating_point(impl.dtype);
}

void mark_view(const Tensor& view, const Tensor& source) {
  const AutogradMeta* of_source = find_meta(source);
  const Tensor& base = of_source && of_source->base.defined() ? of_source->base : source;
  const bool inference = thread_state().inference_mode;
  if (!thread_state().grad_mode || inference) {
    // The base itself is not kept: its graph would live as long as the view.
    TensorImpl& impl = view.impl();
    impl.unrecorded = inference ? Unrecorded::inference : Unrecorded::no_grad;
    impl.of_graph = source.requires_grad() || base.requires_grad() ||
                    (base.impl().unrecorded != Unrecorded::no && hides_a_gradient(base.impl()));
    impl.was_in_graph = impl.storage->in_graph();
    return;
  }
  AutogradMeta& meta = meta_of(view);
  meta.base = base;
  meta.view_version = view.impl().storage->version();
}

void rebase_history(intrusive_ptr<Node> node, const Tensor& self) {
  AutogradMeta* meta = find_meta(self);
  const bool is_view = meta && meta->base.defined();
  const TensorImpl& root = (is_view ? meta->base : self).impl();
  if (root.unrecorded != Unrecorded::no) unrecorded_view_error(node->operation(), root.unrecorded);
  root.storage->set_in_graph();
  if (!is_view) return set_history(std::move(node), self);
  // The base becomes: what it was outside the window, and the node's result inside.
  const Tensor base = meta->base;
  node->outputs.push_back({self.impl().sizes, self.dtype(), self.device()});
  node->stream = current_native_stream(self.device());
  const ViewOfBase geometry(base, self);
  const auto backward = [geometry](Gradients& grads, const Tensor& g) {
    const Tensor whole = geometry.in_base_order(g);
    grads.set_lazily(1, [&] { return geometry.window(whole).clone(MemoryFormat::Contiguous); });
    grads.set_lazily(0, [&] {
      Tensor outside = whole.clone();
      geometry.window(outside).zero_();
      return outside;
    });
  };
  const intrusive_ptr<Node> of_base = lambda_node("copy_slices", backward);
  const Tensor* input = &base;
  set_next_edges(*of_base, &input, 1);
  of_base->edges.push_back({std::move(node), 0, {}});
  set_history(of_base, base);
  refresh_view(self, *meta);
}

void check_inplace(const char* operation, const Tensor& self, bool one_value) {
  TensorImpl& impl = self.impl();
  TD_CHECK(AutogradError, !impl.inference || thread_state().inference_mode, operation,
           ": a tensor made in inference mode cannot be changed in place outside it; clone it");
  if (!impl.contiguous && !one_value) refuse_shared_elements(operation, impl);
  if (thread_state().grad_mode && !thread_state().inference_mode)
    refuse_lost_gradient(operation, self);
}

}  // namespace td

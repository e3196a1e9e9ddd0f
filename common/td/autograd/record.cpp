// Joining the graph: edges, results, changes in place, views.
#include "td/autograd/record.h"

#include <string_view>

#include "td/autograd/accumulate.h"
#include "td/autograd/sequence.h"

namespace td {

thread_local constinit std::uint64_t next_sequence = 0;

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

AutogradMeta& meta_of(const Tensor& tensor) {
  intrusive_ptr<RefCounted>& slot = tensor.impl().autograd;
  if (!slot) slot = make_intrusive<AutogradMeta>();
  return static_cast<AutogradMeta&>(*slot);
}

AutogradMeta::~AutogradMeta() {
  if (grad_fn) set_grad_fn(nullptr, 0);
  AccumulateGrad* node = accumulator.load(std::memory_order_relaxed);
  if (!node) return;
  node->forget_leaf();
  drop_accumulator();
}

void AutogradMeta::drop_accumulator() {
  std::lock_guard lock(mutex);
  if (AccumulateGrad* node = accumulator.exchange(nullptr)) node->release();
}

void AutogradMeta::set_grad_fn(intrusive_ptr<Node> node, std::uint32_t number) {
  // The node knows by address whose gradient to keep, so the address must leave with us.
  if (retains_grad && grad_fn)
    std::erase_if(grad_fn->retained, [this](auto& entry) { return entry.second == this; });
  if (retains_grad && node) node->retained.emplace_back(number, this);
  retire(std::exchange(grad_fn, std::move(node)));
  output = number;
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
    grads.give(0, [&] {
      Tensor whole = geometry.zeros();
      geometry.window(whole).copy_(g);
      return whole;
    });
  };
  const intrusive_ptr<Node> node = lambda_node("as_strided", backward);
  const Tensor* input = &meta.base;
  connect(*node, &input, 1);
  attach_result(node, view);
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
  if (meta && meta->base.defined() && meta->view_version != tensor.impl().storage->version() &&
      meta->base.requires_grad() && !meta->base.is_leaf()) {
    refresh_view(tensor, *meta);
  }
  if (!tensor.impl().requires_grad) return {};
  if (meta && meta->grad_fn) return {meta->grad_fn, meta->output, {}};
  return {accumulator_of(tensor), 0, tensor};
}

void connect(Node& node, const Tensor* const* inputs, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) node.edges.emplace_back(gradient_edge(*inputs[i]));
  node.sequence = next_sequence++;
}

void attach_result(intrusive_ptr<Node> node, const Tensor& result) {
  TensorImpl& impl = result.impl();
  TD_CHECK(AutogradError, !impl.inference, node->operation(),
           ": a tensor made in inference mode cannot join a graph; clone it outside that mode");
  AutogradMeta& meta = meta_of(result);
  if (node->outputs.empty()) node->stream = current_native_stream(impl.device);
  const auto number = static_cast<std::uint32_t>(node->outputs.size());
  node->outputs.emplace_back(impl.sizes, impl.dtype, impl.device);
  meta.set_grad_fn(std::move(node), number);
  meta.view_version = impl.storage->version();
  impl.requires_grad = is_floating_point(impl.dtype);
}

void mark_view(const Tensor& view, const Tensor& source) {
  if (!thread_state().grad_mode || thread_state().inference_mode) {
    view.impl().unrecorded_view = true;
    return;
  }
  AutogradMeta* of_source = source.impl().autograd ? find_meta(source) : nullptr;
  AutogradMeta& meta = meta_of(view);
  meta.base = of_source && of_source->base.defined() ? of_source->base : source;
  meta.view_version = view.impl().storage->version();
}

void attach_in_place(intrusive_ptr<Node> node, const Tensor& self) {
  AutogradMeta* meta = find_meta(self);
  const bool is_view = meta && meta->base.defined();
  TD_CHECK(
      AutogradError, !(is_view ? meta->base : self).impl().unrecorded_view, node->operation(),
      ": changes a view in place that was made under no_grad or in inference mode, so that the "
      "gradients of what it looks into would be wrong. Make the view where recording is on, "
      "or change a clone()");
  if (!is_view) return attach_result(std::move(node), self);
  // The base becomes: what it was outside the window, and the node's result inside.
  const Tensor base = meta->base;
  node->outputs.push_back({self.impl().sizes, self.dtype(), self.device()});
  node->stream = current_native_stream(self.device());
  const ViewOfBase geometry(base, self);
  const auto backward = [geometry](Gradients& grads, const Tensor& g) {
    const Tensor whole = geometry.in_base_order(g);
    grads.give(1, [&] { return geometry.window(whole).clone(MemoryFormat::Contiguous); });
    grads.give(0, [&] {
      Tensor outside = whole.clone();
      geometry.window(outside).zero_();
      return outside;
    });
  };
  const intrusive_ptr<Node> of_base = lambda_node("copy_slices", backward);
  const Tensor* input = &base;
  connect(*of_base, &input, 1);
  of_base->edges.push_back({std::move(node), 0, {}});
  attach_result(of_base, base);
  refresh_view(self, *meta);
}

void about_to_change(const char* operation, const Tensor& self, bool one_value) {
  TensorImpl& impl = self.impl();
  TD_CHECK(AutogradError, !impl.inference || thread_state().inference_mode, operation,
           ": a tensor made in inference mode cannot be changed in place outside it; clone it");
  if (!impl.contiguous && !one_value) refuse_shared_elements(operation, impl);
  if (thread_state().grad_mode) {
    const AutogradMeta* meta = find_meta(self);
    const Tensor& base = meta && meta->base.defined() ? meta->base : self;
    TD_CHECK(AutogradError, !(base.requires_grad() && base.is_leaf()), operation, ": ",
             base.is_same(self) ? "a leaf that requires a gradient"
                                : "a view of a leaf that requires a gradient",
             " is about to be changed in place, which would lose its value for backward. Put the "
             "change under a NoGradGuard, or use the operation that makes a new tensor.");
  }
  impl.storage->bump_version();
}

}  // namespace td

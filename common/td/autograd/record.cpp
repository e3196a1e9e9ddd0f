// Recording: what is saved for backward, where a gradient goes, the nodes of results and of leaves,
// and how a graph is taken apart. inplace.cpp is about views and in-place operations.
#include "td/autograd/record.h"

#include <algorithm>
#include <limits>

namespace td {

bool recording(const TensorList& tensors) {
  return std::any_of(tensors.begin(), tensors.end(), [](const Tensor& t) { return recording(t); });
}

SavedVariable::SavedVariable(Tensor tensor, std::uint32_t output)
    : tensor_(std::move(tensor)),
      version_(tensor_.defined() ? tensor_.impl().storage->version() : 0),
      output_(output) {}

SavedVariable save(const Tensor& input) {
  TD_CHECK(AutogradError, !input.defined() || !input.impl().inference,
           "a tensor made in inference mode cannot be kept for a gradient; clone it outside that "
           "mode");
  return {input, SavedVariable::kInput};
}

// Saved without its graph: the node keeps this tensor, so the tensor must not keep the node.
SavedVariable save_result(const Tensor& result, std::uint32_t output) {
  return {result.detach(), output};
}

Tensor SavedVariable::operator()() const {
  if (!tensor_.defined()) return tensor_;
  TD_CHECK(AutogradError, tensor_.impl().storage->version() == version_,
           "backward: a tensor of sizes ", tensor_.sizes(),
           " that was saved for the gradient has been changed in place since (version ",
           tensor_.impl().storage->version(), ", expected ", version_,
           "). Use the operation without the trailing underscore, or change a clone().");
  if (output_ == kInput || !context().grad_mode) return tensor_;
  Tensor result = tensor_.detach();
  AutogradMeta& meta = meta_of(result);
  meta.grad_fn = intrusive_ptr<Node>(static_cast<Node*>(context().underway.node));
  meta.output = output_;
  meta.view_version = version_;
  result.impl().requires_grad = true;
  return result;
}

AutogradMeta& meta_of(const Tensor& tensor) {
  intrusive_ptr<RefCounted>& slot = tensor.impl().autograd;
  if (!slot) slot = make_intrusive<AutogradMeta>();
  return static_cast<AutogradMeta&>(*slot);
}

namespace {

// True when no other handle can see the tensor's memory.
bool sole_owner(const Tensor& t) {
  return t.impl_ptr()->use_count() == 1 && t.impl().storage->use_count() == 1;
}

// True when no other handle, such as grad_buffer, would see the gradient become undefined.
bool is_unseen(const AutogradMeta& meta) {
  if (meta.grad.is_same(meta.grad_buffer)) return meta.grad.impl_ptr()->use_count() == 2;
  return sole_owner(meta.grad);
}

// An expanded view (the gradient of a sum, say) stores many elements at one address.
bool repeats_elements(const TensorImpl& t) {
  for (std::size_t d = 0; d < t.sizes.size(); ++d)
    if (t.strides[d] == 0 && t.sizes[d] > 1 && t.numel > 0) return true;
  return false;
}

}  // namespace

void accumulate(Tensor& into, Tensor gradient) {
  if (!into.defined()) {
    into = std::move(gradient);
  } else if (!GradMode::is_enabled() && sole_owner(into) && !repeats_elements(into.impl()) &&
             into.impl().sizes == gradient.impl().sizes) {
    into.add_(gradient);
  } else {
    into = into.add(gradient);
  }
}

// Where the graph ends at a leaf: adds what arrives to the leaf's grad.
class AccumulateGrad final : public Node {
 public:
  explicit AccumulateGrad(const Tensor& leaf) : Node("AccumulateGrad"), leaf_(leaf.impl()) {
    // Leaves come first among the ready nodes: their hooks (an all-reduce, say) start early.
    sequence = std::numeric_limits<std::uint64_t>::max();
    add_output(*this, leaf);
  }
  void apply(SmallVector<Tensor, 1>& gradient, Gradients&) override;

 private:
  Tensor leaf() const { return Tensor(intrusive_ptr<TensorImpl>(&leaf_)); }
  TensorImpl& leaf_;
};

void AccumulateGrad::apply(SmallVector<Tensor, 1>& gradient, Gradients&) {
  AutogradMeta& meta = static_cast<AutogradMeta&>(*leaf_.autograd);
  Tensor g = std::move(gradient[0]);
  call_hooks(meta.hooks, [&](const auto& hook) { apply_hook(hook, *this, g); });
  {
    std::lock_guard lock(meta.mutex);
    if (meta.grad.defined() && !GradMode::is_enabled()) {
      meta.grad.add_(g);
    } else if (meta.grad.defined()) {
      meta.grad = meta.grad.add(g);
    } else if (GradMode::is_enabled()) {
      meta.grad = g;
    } else if (meta.grad_buffer.defined()) {
      if (!g.is_same(meta.grad_buffer)) meta.grad_buffer.copy_(g);
      meta.grad = meta.grad_buffer;
    } else if (sole_owner(g) && g.impl().strides == leaf_.strides) {
      meta.grad = std::move(g);
    } else {
      // Another handle sees this memory, or its layout differs: the leaf gets its own.
      meta.grad = empty_like(leaf()).copy_(g);
    }
    meta.grad_is_zero = false;
  }
  call_hooks(meta.post_accumulate, [&](const auto& hook) { hook.call(leaf()); });
}

namespace {

// The leaf's own node. The first call makes it, and a call makes it again when the device's current
// stream has changed since. The cpu has no streams, so its threads find the node without a lock.
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

void set_next_edges(Node& node, Inputs inputs) {
  for (const Tensor* input : inputs) node.edges.emplace_back(gradient_edge(*input));
  node.sequence = context().next_sequence++;
}

void set_next_edges(Node& node, const TensorList& inputs) {
  for (const Tensor& input : inputs) node.edges.emplace_back(gradient_edge(input));
  node.sequence = context().next_sequence++;
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

void check_inplace(const char* operation, const Tensor& self, bool one_value) {
  const TensorImpl& impl = self.impl();
  const Context& state = context();
  TD_CHECK(AutogradError, !impl.inference || state.inference_mode, operation,
           ": a tensor made in inference mode cannot be changed in place outside it; clone it");
  TD_CHECK(ShapeError, impl.contiguous || one_value || !repeats_elements(impl), operation,
           ": the tensor of sizes ", IntArrayRef(impl.sizes),
           " was expanded, so several of its elements are one in memory and cannot be changed in "
           "place; clone() it first");
  if (state.grad_mode && !state.inference_mode) refuse_lost_gradient(operation, self);
}

void begin_inplace(const char* operation, const Tensor& self, bool one_value) {
  check_inplace(operation, self, one_value);
  self.impl().storage->bump_version();
}

namespace {

// Releases a node without recursion, however deep the graph that it keeps. Destroying a node
// releases its edges and saved tensors, which release the nodes before it. The outermost call keeps
// a list, so that a chain of a million operations does not recurse.
void retire(intrusive_ptr<Node> node) {
  thread_local SmallVector<intrusive_ptr<Node>, 16>* pending = nullptr;
  if (!node || node->use_count() > 1) return;
  if (pending) return pending->push_back(std::move(node));
  SmallVector<intrusive_ptr<Node>, 16> list;
  pending = &list;
  list.push_back(std::move(node));
  while (!list.empty()) {
    intrusive_ptr<Node> last = std::move(list[list.size() - 1]);
    list.resize(list.size() - 1);
    last.reset();
  }
  pending = nullptr;
}

}  // namespace

Node::~Node() {
  for (Edge& edge : edges) retire(std::move(edge.node));
}

void AutogradMeta::set_grad_fn(intrusive_ptr<Node> node, std::uint32_t number) {
  // The node finds the gradient to retain by this address, so it must forget the address now.
  if (retains_grad && grad_fn)
    std::erase_if(grad_fn->retained, [this](auto& entry) { return entry.second == this; });
  if (retains_grad && node) node->retained.emplace_back(number, this);
  retire(std::exchange(grad_fn, std::move(node)));
  output = number;
}

void AutogradMeta::drop_accumulator() {
  std::lock_guard lock(mutex);
  if (AccumulateGrad* node = accumulator.exchange(nullptr)) node->release();
}

AutogradMeta::~AutogradMeta() {
  if (grad_fn) set_grad_fn(nullptr, 0);
  if (accumulator.load(std::memory_order_relaxed)) drop_accumulator();
}

const Tensor& Tensor::grad() const {
  static const Tensor undefined;
  AutogradMeta* meta = find_meta(*this);
  if (!meta) return undefined;
  if (meta->grad_fn && !meta->retains_grad && !meta->grad.defined() && requires_grad()) [[unlikely]]
    warn_once(
        "grad: this tensor is the result of an operation, and backward() keeps the gradients of "
        "leaves only. Call retain_grad() on it before backward(), or ask the leaf that it was made "
        "from");
  if (meta->grad_is_zero) [[unlikely]] {
    std::lock_guard lock(meta->mutex);  // another thread may read it, too
    const InferenceMode normal(false);
    if (!meta->grad.defined()) meta->grad = empty_like(detach()).zero_();
    meta->grad_is_zero = false;
  }
  return meta->grad;
}

void clear_gradient(const Tensor& leaf, bool set_to_none) {
  AutogradMeta* meta = find_meta(leaf);
  if (!meta) return;
  Tensor& gradient = meta->grad;
  if (set_to_none) {
    gradient = Tensor();
    meta->grad_is_zero = false;
  } else if (gradient.defined() && is_unseen(*meta)) {
    gradient = Tensor();
    meta->grad_is_zero = true;
  } else if (gradient.defined()) {  // another handle must see it become zero
    if (gradient.requires_grad()) gradient = gradient.detach();
    gradient.zero_();
  }
}

}  // namespace td

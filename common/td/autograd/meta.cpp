// What autograd stores per tensor, and how gradients are accumulated: between nodes, and into
// leaves.
#include "td/autograd/meta.h"

#include <limits>

#include "td/autograd/modes.h"

namespace td {

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

bool sole_owner(const Tensor& t) {
  return t.impl_ptr()->use_count() == 1 && t.impl().storage->use_count() == 1;
}

namespace {

// An expanded view (the gradient of a sum, say) stores many elements at one address.
bool repeats_elements(const Tensor& t) {
  for (std::size_t d = 0; d < t.impl().sizes.size(); ++d)
    if (t.impl().strides[d] == 0 && t.impl().sizes[d] > 1) return true;
  return false;
}

// No other handle would see the gradient become undefined.
bool is_unseen(const AutogradMeta& meta) {
  if (meta.grad.is_same(meta.grad_buffer)) return meta.grad.impl_ptr()->use_count() == 2;
  return sole_owner(meta.grad);
}

}  // namespace

void accumulate(Tensor& into, Tensor gradient) {
  if (!into.defined()) {
    into = std::move(gradient);
  } else if (!GradMode::is_enabled() && sole_owner(into) && !repeats_elements(into) &&
             into.impl().sizes == gradient.impl().sizes) {
    into.add_(gradient);
  } else {
    into = into.add(gradient);
  }
}

Tensor sum_to(const Tensor& gradient, IntArrayRef sizes) {
  if (gradient.sizes() == sizes) return gradient;
  const std::int64_t added = gradient.dim() - static_cast<std::int64_t>(sizes.size());
  Sizes dims;
  for (std::int64_t d = 0; d < gradient.dim(); ++d)
    if (d < added || (sizes[d - added] == 1 && gradient.impl().sizes[d] != 1)) dims.push_back(d);
  if (added > 0 && dims.size() == static_cast<std::size_t>(added)) return gradient.sum(dims);
  const Tensor summed = dims.empty() ? gradient : gradient.sum(dims, /*keepdim=*/true);
  return summed.view(sizes);
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

AccumulateGrad::AccumulateGrad(const Tensor& leaf) : Node("AccumulateGrad"), leaf_(&leaf.impl()) {
  // Leaves come first among the ready nodes: their hooks (an all-reduce, say) start early.
  sequence = std::numeric_limits<std::uint64_t>::max();
  stream = current_native_stream(leaf.device());
  outputs.push_back({leaf.impl().sizes, leaf.dtype(), leaf.device()});
}

void AccumulateGrad::apply(SmallVector<Tensor, 1>& gradient, Gradients&) {
  AutogradMeta& meta = static_cast<AutogradMeta&>(*leaf_->autograd);
  Tensor g = std::move(gradient[0]);
  for (auto& [number, hook] : meta.hooks)
    if (Tensor changed = hook(g); changed.defined()) g = changed;
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
    } else if (sole_owner(g) && g.impl().strides == leaf_->strides) {
      meta.grad = std::move(g);
    } else {
      // Another handle sees this memory, or its layout differs: the leaf gets its own.
      meta.grad = empty_like(leaf()).copy_(g);
    }
    meta.grad_is_zero = false;
  }
  for (auto& [number, hook] : meta.post_accumulate) hook(leaf());
}

}  // namespace td

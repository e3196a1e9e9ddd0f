// What programs query of the graph: Tensor's methods that concern gradients, and names of nodes.
#include <cctype>
#include <string_view>

#include "td/autograd/record.h"

namespace td {

const Tensor& Tensor::requires_grad_(bool wants) const {
  TensorImpl& t = impl();
  TD_CHECK(AutogradError, !wants || td::is_floating_point(t.dtype),
           "requires_grad_: only floating point tensors can have a gradient, but this one is ",
           t.dtype, "; convert it with to(kFloat32)");
  TD_CHECK(AutogradError, wants || is_leaf(),
           "requires_grad_: only a leaf can stop requiring a gradient; use detach() for a result");
  TD_CHECK(AutogradError, !wants || !t.inference || InferenceMode::is_enabled(),
           "requires_grad_: a tensor made in inference mode cannot require a gradient outside it; "
           "clone it first");
  if (wants) {
    // Created now, so that threads that record on it later do not create it concurrently.
    const AutogradMeta& meta = meta_of(*this);
    if (!meta.base.defined() && t.unrecorded == Unrecorded::no) t.storage->set_in_graph();
  }
  t.requires_grad = wants;
  return *this;
}

bool Tensor::requires_grad() const { return takes_part(*this); }

bool Tensor::is_leaf() const {
  const AutogradMeta* meta = requires_grad() ? find_meta(*this) : nullptr;
  return !meta || !meta->grad_fn;
}

intrusive_ptr<Node> Tensor::grad_fn() const {
  if (!requires_grad() || is_leaf()) return nullptr;
  return gradient_edge(*this).node;
}

Tensor& Tensor::mutable_grad() const {
  grad();
  return meta_of(*this).grad;
}

void Tensor::retain_grad() const {
  TD_CHECK(AutogradError, requires_grad(),
           "retain_grad: the tensor does not require a gradient, so none will ever arrive");
  AutogradMeta& meta = meta_of(*this);
  if (is_leaf() || std::exchange(meta.retains_grad, true)) return;
  const Edge edge = gradient_edge(*this);
  edge.node->retained.emplace_back(edge.output, &meta);
}

namespace {

std::atomic<unsigned> next_hook_number = 0;

}  // namespace

unsigned Tensor::register_hook(TensorHook hook) const {
  TD_CHECK(AutogradError, requires_grad(),
           "register_hook: the tensor does not require a gradient, so the hook would never run");
  const unsigned number = next_hook_number++;
  const Edge edge = gradient_edge(*this);
  auto& hooks = is_leaf() ? meta_of(*this).hooks : edge.node->hooks;
  hooks.push_back({number, std::move(hook), edge.output});
  return number;
}

unsigned Tensor::register_post_accumulate_grad_hook(PostAccumulateHook hook) const {
  TD_CHECK(AutogradError, requires_grad() && is_leaf(),
           "register_post_accumulate_grad_hook: only a leaf that requires a gradient accumulates "
           "one; use register_hook for a result");
  const unsigned number = next_hook_number++;
  meta_of(*this).post_accumulate.push_back({number, std::move(hook)});
  return number;
}

void Tensor::remove_hook(unsigned number) const {
  const auto is_it = [number](const auto& hook) { return hook.number == number; };
  std::size_t removed = 0;
  if (!is_leaf()) {
    removed = std::erase_if(gradient_edge(*this).node->hooks, is_it);
  } else if (AutogradMeta* meta = find_meta(*this)) {
    removed = std::erase_if(meta->hooks, is_it) + std::erase_if(meta->post_accumulate, is_it);
  }
  TD_CHECK(AutogradError, removed == 1, "remove_hook: this tensor has no hook of number ", number,
           ". Was it removed before, or registered with another tensor, or before a change in "
           "place?");
}

Tensor& Tensor::detach_() {
  if (AutogradMeta* meta = find_meta(*this)) {
    TD_CHECK(AutogradError, !meta->base.defined(),
             "detach_: a view cannot leave its base's graph in place; use detach()");
    meta->set_grad_fn(nullptr, 0);
  }
  impl().requires_grad = false;
  return *this;
}

void Tensor::set_data(const Tensor& other) const {
  TensorImpl& to = impl();
  const TensorImpl& from = other.impl();
  TD_CHECK(DtypeError, td::is_floating_point(from.dtype) || !to.requires_grad,
           "set_data: a tensor that requires a gradient cannot become ", from.dtype);
  to.storage = from.storage;
  to.offset = from.offset;
  to.dtype = from.dtype;
  to.device = from.device;
  to.set_geometry(from.sizes, from.strides);
  // A graph recorded earlier ends in the old memory's AccumulateGrad; the next one gets a new one.
  if (AutogradMeta* meta = find_meta(*this)) meta->drop_accumulator();
}

std::string Node::name() const {
  // mse_loss -> MseLossBackward0 and sum1 -> SumBackward1, as PyTorch prints them.
  if (std::string_view(name_) == "AccumulateGrad") return name_;
  std::string out;
  bool upper = true;
  for (const char* c = name_; *c; ++c) {
    if (*c != '_')
      out += upper ? static_cast<char>(std::toupper(static_cast<unsigned char>(*c))) : *c;
    upper = *c == '_';
  }
  const bool numbered = std::isdigit(static_cast<unsigned char>(out.back())) != 0;
  return numbered ? out.insert(out.size() - 1, "Backward") : out + "Backward0";
}

void freed_graph_error(const char* operation) {
  std::string_view name(operation);  // without the number of its form
  while (name.back() >= '0' && name.back() <= '9') name.remove_suffix(1);
  fail<AutogradError>("backward: the graph of \"", name,
                      "\" was already used and its saved tensors are freed. Pass "
                      "retain_graph=true to the first backward, or run the forward pass again.");
}

}  // namespace td

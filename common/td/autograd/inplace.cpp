// In-place operations, also through views: either the graph of the base follows them, or they throw
// an error. Called by the functions that record.h declares.
#include "td/autograd/record.h"

namespace td {
namespace {

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

  // In the base's own memory layout, so that strides mean the same.
  Tensor like_base() const { return empty_strided(base_sizes, base_strides, options); }
  Tensor window(const Tensor& whole) const { return whole.as_strided(sizes, strides, offset); }
};

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

// True when an unrecorded view, or a tensor that shares its storage, requires grad.
bool hides_a_gradient(const TensorImpl& view) {
  return view.requires_grad || view.of_graph || (view.storage->in_graph() && !view.was_in_graph);
}

}  // namespace

void mark_view(const Tensor& view, const Tensor& source) {
  const AutogradMeta* of_source = find_meta(source);
  const Tensor& base = of_source && of_source->base.defined() ? of_source->base : source;
  const bool inference = context().inference_mode;
  if (!context().grad_mode || inference) {
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

void refresh_view(const Tensor& view, AutogradMeta& meta) {
  const ViewOfBase geometry(meta.base, view);
  record("as_strided", view, {&meta.base}, [geometry](Gradients& grads, const Tensor& g) {
    grads.set_lazily(0, [&] {
      const Tensor whole = geometry.like_base().zero_();
      geometry.window(whole).copy_(g);
      return whole;
    });
  });
}

bool joined_with_base(const Tensor& view) {
  gradient_edge(view);
  return view.impl().requires_grad;
}

void rebase_history(intrusive_ptr<Node> node, const Tensor& self, Inputs inputs) {
  AutogradMeta* meta = find_meta(self);
  const bool is_view = meta && meta->base.defined();
  const TensorImpl& root = (is_view ? meta->base : self).impl();
  if (root.unrecorded != Unrecorded::no) unrecorded_view_error(node->operation(), root.unrecorded);
  root.storage->set_in_graph();
  // The inputs' edges lead to what they were before the change. Example: a.mul_(b), where a and b
  // are views of x. begin_inplace has raised the version from 3 to 4. Then set_next_edges gave b a
  // node that views the old x, and noted version 4. It is right for version 3 only, so that is
  // noted here, and the next use of b makes a node that views the new x.
  for (const Tensor* input : inputs)
    if (AutogradMeta* of_input = input->defined() ? find_meta(*input) : nullptr)
      if (of_input->base.defined() && input->impl().storage == root.storage)
        of_input->view_version = root.storage->version() - 1;
  if (!is_view) return set_history(std::move(node), self);
  // The base becomes: what it was outside the window, and the node's result inside.
  const Tensor base = meta->base;
  add_output(*node, self);
  const auto backward = [geometry = ViewOfBase(base, self)](Gradients& grads, const Tensor& g) {
    const Tensor whole = geometry.like_base().copy_(g);
    grads.set_lazily(1, [&] { return geometry.window(whole).clone(MemoryFormat::Contiguous); });
    grads.set_lazily(0, [&] {
      const Tensor outside = whole.clone();
      geometry.window(outside).zero_();
      return outside;
    });
  };
  const intrusive_ptr<Node> of_base = lambda_node("copy_slices", Inputs{&base}, backward);
  of_base->edges.push_back({std::move(node), 0, {}});
  set_history(of_base, base);
  refresh_view(self, *meta);
}

}  // namespace td

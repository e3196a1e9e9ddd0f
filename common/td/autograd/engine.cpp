// The backward pass. First it counts, for every node that it will run, how many gradients will
// arrive; then it runs the nodes whose gradients are complete, later operations first. Counting is
// right for graphs that several threads recorded, where sequence numbers alone would not be.
#include <algorithm>

#include "td/autograd/graph_task.h"
#include "td/base/span.h"

namespace td {
namespace {

// Checks that a root has a graph, and that its gradient has its sizes or is undefined.
void check_root(const Tensor& root, const Tensor& gradient) {
  TD_CHECK(AutogradError, root.requires_grad(),
           "backward: the tensor does not require a gradient and has no grad_fn. Was it made "
           "under NoGradGuard, or from parameters without requires_grad?");
  TD_CHECK(ShapeError, !gradient.defined() || gradient.impl().sizes == root.impl().sizes,
           "backward: a gradient of sizes ", gradient.sizes(), " for a tensor of sizes ",
           root.sizes(), "; they must be equal");
  TD_CHECK(AutogradError, gradient.defined() || root.numel() == 1,
           "backward: a gradient can be left out only for a single element, but the tensor has "
           "sizes ",
           root.sizes(), ". Reduce it first (sum, mean) or pass a gradient.");
}

// Whether a tensor of these sizes may have been broadcast to the sizes `to`.
bool broadcasts(const Sizes& sizes, const Sizes& to) {
  if (sizes.size() > to.size()) return false;
  const std::size_t added = to.size() - sizes.size();
  for (std::size_t d = 0; d < sizes.size(); ++d)
    if (sizes[d] != 1 && sizes[d] != to[added + d]) return false;
  return true;
}

// Makes a gradient fit the result that it belongs to: same sizes, type and device.
void validate(const Node& node, const OutputInfo& expected, Tensor& g) {
  if (!(g.impl().sizes == expected.sizes)) {
    TD_CHECK(ShapeError, broadcasts(expected.sizes, g.impl().sizes), "backward: \"",
             node.operation(), "\" got a gradient of sizes ", g.sizes(), " for a result of sizes ",
             IntArrayRef(expected.sizes));
    g = sum_to(g, expected.sizes);
  }
  // An operation on a device takes a number on the cpu.
  if (expected.device.is_cpu() && g.dim() == 0) g = g.to(expected.device);
  TD_CHECK(DeviceError, g.device() == expected.device, "backward: \"", node.operation(),
           "\" got a gradient on ", g.device(), " for a result on ", expected.device,
           "; move it with to(\"", expected.device, "\")");
  if (g.dtype() != expected.dtype) g = g.to(expected.dtype);
}

std::string describe(const Tensor& g) {
  return str("sizes ", g.sizes(), ", ", g.dtype(), ", ", g.device());
}

}  // namespace

void apply_hook(const Hook<TensorHook>& hook, const Node& node, Tensor& g) {
  const Tensor changed = hook.call(g);
  if (!changed.defined()) return;
  TD_CHECK(AutogradError,
           changed.impl().sizes == g.impl().sizes && changed.dtype() == g.dtype() &&
               changed.device() == g.device(),
           "backward: hook ", hook.number, " of ",
           node.edges.empty() ? str("a leaf") : str("a result of \"", node.operation(), "\""),
           " returned a gradient of ", describe(changed), ". The gradient that it got has ",
           describe(g), "; a hook must keep these");
  g = changed;
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

void Tensor::backward(const Tensor& gradient, optional<bool> retain_graph,
                      bool create_graph) const {
  run_backward({this, 1}, {&gradient, 1}, retain_graph, create_graph);
}

void run_backward(GraphTask::Tensors roots, GraphTask::Tensors gradients,
                  optional<bool> retain_graph, bool create_graph, std::span<Capture> captures,
                  bool accumulates) {
  const AutoGradMode mode(create_graph);  // gradients are recorded only under create_graph
  // Gradients have the types of the forward pass: no call of backward casts anything again.
  const AutocastModeGuard no_autocast{AutocastMode()};
  thread_local GraphTask first;
  GraphTask inner;  // for a pass inside a pass, which a hook may start
  (GraphTask::current() ? inner : first)
      .run(roots, gradients, retain_graph.value_or(create_graph), captures, accumulates);
}

/// Makes a pass the innermost one until the end of the scope, and then empties it.
struct GraphTask::Running {
  explicit Running(GraphTask& task) : task_(task), current_(context().underway.graph_task, &task) {}
  ~Running() { task_.clear(); }
  GraphTask& task_;
  ScopedValue<GraphTask*> current_;
};

GraphTask* GraphTask::current() { return context().underway.graph_task; }

void GraphTask::run(Tensors roots, Tensors gradients, bool keep_graph, std::span<Capture> captures,
                    bool accumulates) {
  accumulates_ = accumulates;
  const Running running(*this);
  SmallVector<Edge, 1> edges;  // where the roots enter the graph; they keep it alive
  for (std::size_t i = 0; i < roots.size(); ++i) {
    check_root(roots[i], gradients[i]);
    edges.push_back(gradient_edge(roots[i]));
  }
  count_dependencies({edges.begin(), edges.size()});
  if (!captures.empty()) restrict_to(captures);
  for (std::size_t i = 0; i < roots.size(); ++i) {
    Tensor g = gradients[i];
    if (!g.defined())
      g = empty_on(roots[i].impl().sizes, roots[i].dtype(), roots[i].device()).fill_(1);
    arrive(*find(edges[i].node.get()), edges[i].output, std::move(g), nullptr);
  }
  for (NodeTask& task : tasks_)
    if (task.dependencies == 0) ready_.push(&task);
  while (!ready_.empty()) {
    NodeTask& task = *ready_.top();
    ready_.pop();
    run_node(task, keep_graph);
  }
  for (const NodeTask& task : tasks_)
    if (!task.node->device().is_cpu()) wait_for(*task.node);
  // By index: a callback may queue another one.
  for (std::size_t i = 0; i < callbacks.size(); ++i) std::exchange(callbacks[i], {})();
}

/// Finds every node that the roots depend on. No task is added later, so task addresses stay valid.
void GraphTask::count_dependencies(std::span<const Edge> roots) {
  for (const Edge& root : roots) add(root.node.get());
  for (std::size_t i = 0; i < tasks_.size(); ++i) {
    const Node& node = *tasks_[i].node;
    for (const Edge& edge : node.edges)
      if (edge.node) ++add(edge.node.get()).dependencies;
  }
}

/// Runs one node and passes its results on, even when it has none, so that no node waits for them.
void GraphTask::run_node(NodeTask& task, bool keep_graph) {
  Node& node = *task.node;
  Gradients results(node, captures_.empty() ? nullptr : this);
  const bool computed = compute(task, results);
  task.gradients.clear();
  for (std::size_t i = 0; i < node.edges.size(); ++i) {
    const Edge& edge = node.edges[i];
    if (!edge.node) continue;
    NodeTask& next = *find(edge.node.get());
    if (computed && results[i].defined()) arrive(next, edge.output, std::move(results[i]), &node);
    if (--next.dependencies == 0) ready_.push(&next);
  }
  if (computed && !keep_graph) node.release_saved();
}

/// The gradients of the node's inputs from those of its outputs; false when there is nothing to
/// compute.
bool GraphTask::compute(NodeTask& task, Gradients& results) {
  Node& node = *task.node;
  SmallVector<Tensor, 1>& gradients = task.gradients;
  if (std::none_of(gradients.begin(), gradients.end(), std::mem_fn(&Tensor::defined))) return false;
  std::optional<StreamGuard> on_stream;
  if (!node.device().is_cpu()) enter_stream(node.device(), node, on_stream);
  call_hooks(node.hooks, [&](const auto& hook) {
    if (Tensor& g = gradients[hook.output]; g.defined()) apply_hook(hook, node, g);
  });
  for (auto& [output, meta] : node.retained)
    if (gradients[output].defined()) accumulate(meta->grad, gradients[output]);
  if (!captures_.empty()) {
    const bool is_leaf = node.edges.empty();
    if (!is_leaf || !accumulates_) capture(task);
    if (!task.needed || (is_leaf && !accumulates_)) return false;
  }
  const ScopedValue current(context().underway.node, &node);  // for SavedVariable
  const trace::Span span(node.operation(), trace::Category::kBackward);
  node.apply(gradients, results);
  return true;
}

/// Adds a gradient to what has arrived, on the stream that will use the sum.
void GraphTask::arrive(NodeTask& task, std::size_t output, Tensor g, const Node* producer) {
  const Node& node = *task.node;
  std::optional<StreamGuard> on_stream;
  if (!g.is_cpu()) hand_over(g, producer, node, on_stream);
  validate(node, node.outputs[output], g);
  accumulate(task.gradients[output], std::move(g));
}

std::int32_t& GraphTask::slot_of(const Node* node) {
  const std::size_t mask = table_.size() - 1;
  std::size_t slot = (reinterpret_cast<std::uintptr_t>(node) >> 6) * 0x9e3779b97f4a7c15ull >> 20;
  for (slot &= mask; table_[slot] >= 0; slot = (slot + 1) & mask)
    if (tasks_[table_[slot]].node == node) break;
  return table_[slot];
}

/// The task of `node`, made at the first call. References hold until the next call.
NodeTask& GraphTask::add(Node* node) {
  if (2 * (tasks_.size() + 1) > table_.size()) {  // at least half of the table stays free
    table_.assign(std::max<std::size_t>(64, 2 * table_.size()), -1);
    for (std::size_t i = 0; i < tasks_.size(); ++i)
      slot_of(tasks_[i].node) = static_cast<std::int32_t>(i);
  }
  std::int32_t& slot = slot_of(node);
  if (slot < 0) {
    slot = static_cast<std::int32_t>(tasks_.size());
    NodeTask& task = tasks_.emplace_back();
    task.node = node;
    task.gradients.resize(node->outputs.size());
  }
  return tasks_[slot];
}

NodeTask* GraphTask::find(const Node* node) {
  if (table_.empty()) return nullptr;
  const std::int32_t slot = slot_of(node);
  return slot < 0 ? nullptr : &tasks_[slot];
}

/// Drops everything but keeps the memory.
void GraphTask::clear() {
  // Slot by slot, because after one deep graph the table is large, and most graphs are small. The
  // last task first: the search for a task may pass the slots of tasks that were added earlier.
  for (std::size_t i = tasks_.size(); i-- > 0;) slot_of(tasks_[i].node) = -1;
  tasks_.clear();
  while (!ready_.empty()) ready_.pop();
  callbacks.clear();
  captures_ = {};
}

Gradients::Gradients(const Node& node, GraphTask* partial)
    : node_(node), partial_(partial), values_(node.edges.size()) {}

bool Gradients::should_compute(std::size_t i) const {
  const Node* target = i < node_.edges.size() ? node_.edges[i].node.get() : nullptr;
  return target && (!partial_ || partial_->needs(target));
}

// Only for the leaf's first and only gradient, because a second one would overwrite it, and only
// where no code but AccumulateGrad sees the gradient.
Tensor Gradients::home(std::size_t i) const {
  const Edge& edge = node_.edges[i];
  if (!edge.leaf.defined() || partial_ || GradMode::is_enabled()) return {};
  const AutogradMeta& meta = *find_meta(edge.leaf);
  if (!meta.grad_buffer.defined() || meta.grad.defined() || !meta.hooks.empty()) return {};
  const NodeTask& next = *GraphTask::current()->find(edge.node.get());
  const bool only = next.dependencies == 1 && !next.gradients[0].defined();
  // The leaf may have been moved since.
  return only && meta.grad_buffer.device() == edge.leaf.device() ? meta.grad_buffer : Tensor();
}

}  // namespace td

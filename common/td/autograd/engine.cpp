// The backward pass. First it counts, for every node that it will run, how many gradients will
// arrive; then it runs the nodes whose gradients are complete, later operations first. Counting is
// right for graphs that several threads recorded, where sequence numbers alone would not be. The
// tables, partial passes and captures are in graph_task.h, streams in engine_streams.h.
#include "td/autograd/engine.h"

#include "td/autograd/engine_streams.h"
#include "td/autograd/meta.h"
#include "td/autograd/modes.h"
#include "td/base/span.h"

namespace td {
namespace {

using Tensors = std::span<const Tensor>;

/// One backward pass.
class Pass {
 public:
  Pass(GraphTask& graph, bool keep_graph, bool create_graph)
      : graph_(graph), keep_graph_(keep_graph), mode_(create_graph) {}

  void run(Tensors roots, Tensors gradients, std::span<Capture> captures);

 private:
  void count_dependencies();
  void run_node(NodeTask& task);
  bool compute(NodeTask& task, Gradients& results);
  void run_hooks(NodeTask& task);
  void arrive(NodeTask& task, const Edge& edge, Tensor gradient, void* producer);

  GraphTask& graph_;
  bool keep_graph_;
  AutoGradMode mode_;  // gradients are recorded only under create_graph
  // Gradients have the types of their forward: wherever backward is called, nothing is cast again.
  AutocastModeGuard no_autocast_{AutocastMode()};
  SmallVector<Edge, 1> roots_;  // where the roots enter the graph; they keep it alive
};

// What a caller may pass: a root that has a graph, and a gradient of its sizes or none.
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

/// `gradients` has one entry per root; an undefined one means 1.
void Pass::run(Tensors roots, Tensors gradients, std::span<Capture> captures) {
  for (std::size_t i = 0; i < roots.size(); ++i) check_root(roots[i], gradients[i]);
  for (const Tensor& root : roots) roots_.push_back(gradient_edge(root));
  count_dependencies();
  if (!captures.empty()) graph_.restrict_to(captures);
  for (std::size_t i = 0; i < roots.size(); ++i) {
    const Tensor& root = roots[i];
    Tensor g = gradients[i];
    if (!g.defined()) g = empty_on(root.impl().sizes, root.dtype(), root.device()).fill_(1);
    void* producer = current_native_stream(g.device());
    arrive(*graph_.find(roots_[i].node.get()), roots_[i], std::move(g), producer);
  }
  for (NodeTask& task : graph_.tasks())
    if (task.dependencies == 0) graph_.push_ready(task);
  while (NodeTask* task = graph_.pop_ready()) run_node(*task);
  wait_for_streams(graph_);
}

/// Finds every node that the roots depend on. From here on no task is added, so that they stay put.
void Pass::count_dependencies() {
  for (const Edge& root : roots_) graph_.add(root.node.get());
  for (std::size_t i = 0; i < graph_.tasks().size(); ++i) {
    const Node& node = *graph_.tasks()[i].node;
    for (const Edge& edge : node.edges)
      if (edge.node) ++graph_.add(edge.node.get()).dependencies;
  }
}

/// Runs one node, and passes its results on; also when there are none, so that no node waits for
/// them.
void Pass::run_node(NodeTask& task) {
  Node& node = *task.node;
  Gradients results(node, graph_.is_partial() ? &graph_ : nullptr);
  const bool computed = compute(task, results);
  task.gradients.clear();
  for (std::size_t i = 0; i < node.edges.size(); ++i) {
    const Edge& edge = node.edges[i];
    if (!edge.node) continue;
    NodeTask& next = *graph_.find(edge.node.get());
    if (computed && results[i].defined()) {
      void* producer = stream_on(results[i].device(), node);
      arrive(next, edge, std::move(results[i]), producer);
    }
    if (--next.dependencies == 0) graph_.push_ready(next);
  }
  if (computed && !keep_graph_) node.release_saved();
}

/// Makes a node the one that saved results belong to (SavedVariable), until the end of the scope.
class CurrentNode {
 public:
  explicit CurrentNode(Node& node) : previous_(std::exchange(thread_state().current_node, &node)) {}
  ~CurrentNode() { thread_state().current_node = previous_; }
  CurrentNode(const CurrentNode&) = delete;
  CurrentNode& operator=(const CurrentNode&) = delete;

 private:
  void* previous_;
};

/// The gradients of the node's inputs from those of its outputs; false when there is nothing to
/// compute.
bool Pass::compute(NodeTask& task, Gradients& results) {
  Node& node = *task.node;
  bool any = false;
  for (const Tensor& g : task.gradients) any = any || g.defined();
  if (!any) return false;
  const NodeStream stream(node.outputs[0].device, node);
  run_hooks(task);
  graph_.capture(task);
  if (!graph_.runs(task)) return false;
  const CurrentNode current(node);
  const trace::Span span(node.operation(), trace::Category::kBackward);
  node.apply(task.gradients, results);
  return true;
}

void Pass::run_hooks(NodeTask& task) {
  Node& node = *task.node;
  for (auto& [output, hook] : node.hooks) {
    Tensor& g = task.gradients[output];
    if (!g.defined()) continue;
    if (Tensor changed = hook.second(g); changed.defined()) g = changed;
  }
  for (auto& [output, meta] : node.retained)
    if (task.gradients[output].defined()) accumulate(meta->grad, task.gradients[output]);
}

/// Makes a gradient fit the result that it belongs to: same sizes, type and device.
void validate(const Node& node, std::size_t output, Tensor& g) {
  const OutputInfo& expected = node.outputs[output];
  if (!(g.impl().sizes == expected.sizes)) {
    TD_CHECK(ShapeError, g.dim() >= static_cast<std::int64_t>(expected.sizes.size()),
             "backward: \"", node.operation(), "\" got a gradient of sizes ", g.sizes(),
             " for a result of sizes ", IntArrayRef(expected.sizes));
    g = sum_to(g, expected.sizes);
  }
  TD_CHECK(DeviceError, g.device() == expected.device, "backward: \"", node.operation(),
           "\" got a gradient on ", g.device(), " for a result on ", expected.device,
           "; move it with to(\"", expected.device, "\")");
  if (g.dtype() != expected.dtype) g = g.to(expected.dtype);
}

/// Adds a gradient to what has arrived, on the stream that will use the sum.
void Pass::arrive(NodeTask& task, const Edge& edge, Tensor g, void* producer) {
  hand_over(g, producer, *task.node);
  const NodeStream stream(g.device(), *task.node);
  validate(*task.node, edge.output, g);
  accumulate(task.gradients[edge.output], std::move(g));
}

void run_pass(Tensors roots, Tensors gradients, optional<bool> retain_graph, bool create_graph,
              std::span<Capture> captures = {}) {
  GraphTaskLease lease;
  GraphTask& graph = lease.task();
  Pass pass(graph, retain_graph.value_or(create_graph), create_graph);
  pass.run(roots, gradients, captures);
  // By index: a callback may queue another one.
  for (std::size_t i = 0; i < graph.callbacks.size(); ++i) std::exchange(graph.callbacks[i], {})();
}

// One gradient for each root; `given` may be left out as a whole.
TensorList one_each(const TensorList& roots, const TensorList& given) {
  TD_CHECK(AutogradError, given.empty() || given.size() == roots.size(), "backward: ", roots.size(),
           " tensors but ", given.size(), " gradients; give one each");
  return given.empty() ? TensorList(roots.size()) : given;
}

}  // namespace

// Only for the leaf's first and only gradient: a second one would be written over it. And not where
// anybody but AccumulateGrad gets to see it.
Tensor Gradients::home(std::size_t i) const {
  const Edge& edge = node_.edges[i];
  const AutogradMeta* meta = edge.leaf.defined() ? find_meta(edge.leaf) : nullptr;
  if (!meta || !meta->grad_buffer.defined() || meta->grad.defined() || !meta->hooks.empty())
    return {};
  GraphTask& task = *GraphTask::current();
  const NodeTask* next = task.find(edge.node.get());
  const bool only = next->dependencies == 1 && !next->gradients[0].defined();
  const bool fits =
      meta->grad_buffer.device() == edge.leaf.device();  // it may have been moved since
  return only && fits && !task.is_partial() && !GradMode::is_enabled() ? meta->grad_buffer
                                                                       : Tensor();
}

namespace autograd {

void backward_from(const Tensor& root, const Tensor& gradient, optional<bool> retain_graph,
                   bool create_graph) {
  run_pass({&root, 1}, {&gradient, 1}, retain_graph, create_graph);
}

void backward(const TensorList& roots, const TensorList& gradients, optional<bool> retain_graph,
              bool create_graph, const TensorList& inputs) {
  std::vector<Capture> captures;
  for (const Tensor& input : inputs) captures.push_back({gradient_edge(input), {}});
  run_pass(roots, one_each(roots, gradients), retain_graph, create_graph, captures);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    AutoGradMode mode(create_graph);
    if (captures[i].gradient.defined()) accumulate(meta_of(inputs[i]).grad, captures[i].gradient);
  }
}

TensorList grad(const TensorList& outputs, const TensorList& inputs, const TensorList& grad_outputs,
                optional<bool> retain_graph, bool create_graph, bool allow_unused) {
  TD_CHECK(AutogradError, !inputs.empty(), "grad: no inputs to differentiate with respect to");
  std::vector<Capture> captures;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    TD_CHECK(AutogradError, inputs[i].requires_grad(), "grad: inputs[", i,
             "] does not require a gradient; call requires_grad_() before it is used");
    captures.push_back({gradient_edge(inputs[i]), {}});
  }
  run_pass(outputs, one_each(outputs, grad_outputs), retain_graph, create_graph, captures);
  TensorList gradients;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    TD_CHECK(AutogradError, allow_unused || captures[i].gradient.defined(), "grad: inputs[", i,
             "] was not used to compute the outputs. Pass allow_unused=true to get an undefined "
             "gradient for it.");
    gradients.push_back(captures[i].gradient);
  }
  return gradients;
}

void queue_callback(std::function<void()> callback) {
  GraphTask* task = GraphTask::current();
  TD_CHECK(AutogradError, task,
           "queue_callback: this thread runs no backward; call it from a hook of a tensor");
  task->callbacks.push_back(std::move(callback));
}

}  // namespace autograd
}  // namespace td

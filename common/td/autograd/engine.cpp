// The backward pass. First it counts, for every node it will meet, how many gradients will arrive;
// then it runs the nodes whose gradients are complete, later operations first. Counting is right
// for graphs that several threads recorded, where numbers alone would not be.
#include "td/autograd/engine.h"

#include <algorithm>
#include <optional>
#include <span>

#include "td/autograd/accumulate.h"
#include "td/autograd/graph_task.h"
#include "td/autograd/modes.h"
#include "td/base/span.h"
#include "td/device/guard.h"

namespace td {
namespace {

// A tensor whose gradient is handed to the caller instead of being added to a leaf.
struct Capture {
  Edge edge;
  Tensor gradient;
};

using Tensors = std::span<const Tensor>;

// One backward pass over the thread's GraphTask.
class Pass {
 public:
  Pass(GraphTask& task, bool keep_graph, bool create_graph, std::vector<Capture>& captures)
      : task_(task), keep_graph_(keep_graph), mode_(create_graph), captures_(captures) {}

  // `gradients` has one entry a root; undefined ones mean 1.
  void run(Tensors roots, Tensors gradients);

 private:
  void count(Tensors roots);
  void mark_needed();
  void seed(const Tensor& root, const Edge& edge, Tensor gradient);
  void deposit(const Edge& edge, Tensor gradient, const Node* from);
  void arrive(Visit& visit, const Edge& edge, Tensor gradient, void* producer);
  bool compute(Visit& visit, Gradients& results);
  void run_node(Visit& visit);
  void run_hooks(Visit& visit);
  void finish(Visit& visit, Gradients* results);
  void check(const Node& node, std::size_t i, Tensor& gradient) const;
  void push_ready(Visit& visit);
  Visit& pop_ready();
  void wait_for_streams();

  GraphTask& task_;
  bool keep_graph_;
  AutoGradMode mode_;  // gradients are recorded only under create_graph
  // Gradients have the types of their forward: wherever backward is called, nothing is cast anew.
  AutocastModeGuard no_autocast_{AutocastMode()};
  std::vector<Capture>& captures_;
  SmallVector<Edge, 1> roots_;     // where the roots enter the graph; they keep it alive
  SmallVector<Visit*, 16> ready_;  // a heap, the latest operation on top
};

// Visits the whole graph behind the roots. From here on no visit is added, so that they stay put.
void Pass::count(Tensors roots) {
  for (const Tensor& root : roots) {
    roots_.push_back(gradient_edge(root));
    task_.visit(roots_[roots_.size() - 1].node.get());
  }
  for (std::size_t i = 0; i < task_.visits().size(); ++i) {
    const Node& node = *task_.visits()[i].node;
    for (const Edge& edge : node.edges)
      if (edge.node) ++task_.visit(edge.node.get()).waiting;
  }
}

// With a list of wanted inputs: a node is needed when it is one of them or leads to one.
void Pass::mark_needed() {
  task_.partial = true;
  for (Visit& v : task_.visits()) v.needed = false;
  for (const Capture& c : captures_)
    if (Visit* v = task_.find(c.edge.node.get())) v->needed = true;
  // Later visits are not always deeper, so repeat until nothing changes; two rounds are typical.
  for (bool changed = true; changed;) {
    changed = false;
    for (auto v = task_.visits().rbegin(); v != task_.visits().rend(); ++v) {
      if (v->needed) continue;
      for (const Edge& edge : v->node->edges)
        if (edge.node && task_.needs(edge.node.get())) v->needed = changed = true;
    }
  }
}

bool runs_later(const Visit* a, const Visit* b) { return a->node->sequence < b->node->sequence; }

void Pass::push_ready(Visit& visit) {
  ready_.push_back(&visit);
  std::push_heap(ready_.begin(), ready_.end(), runs_later);
}

Visit& Pass::pop_ready() {
  std::pop_heap(ready_.begin(), ready_.end(), runs_later);
  Visit* visit = ready_[ready_.size() - 1];
  ready_.resize(ready_.size() - 1);
  return *visit;
}

// Where `node` works on `device`: on the stream of its forward or, when that ran on another device,
// on this thread's current stream. A node of several devices remembers the stream of the first.
void* stream_on(Device device, const Node& node) {
  return device == node.outputs[0].device ? node.stream : current_native_stream(device);
}

// The stream that uses a gradient waits for the one that made it.
void hand_over(const Tensor& g, void* producer, void* consumer) {
  const Device device = g.device();
  if (device.is_cpu() || producer == consumer) return;
  const Stream waiting(device, consumer);
  waiting.wait(Stream(device, producer));
  g.record_stream(waiting);
}

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

void Pass::run(Tensors roots, Tensors gradients) {
  for (std::size_t i = 0; i < roots.size(); ++i) check_root(roots[i], gradients[i]);
  count(roots);
  if (!captures_.empty()) mark_needed();
  for (std::size_t i = 0; i < roots.size(); ++i) seed(roots[i], roots_[i], gradients[i]);
  for (Visit& visit : task_.visits())
    if (visit.waiting == 0) push_ready(visit);
  while (!ready_.empty()) run_node(pop_ready());
  wait_for_streams();
}

// Puts the gradient of a root where it enters the graph.
void Pass::seed(const Tensor& root, const Edge& edge, Tensor g) {
  if (!g.defined()) g = empty_on(root.impl().sizes, root.dtype(), root.device()).fill_(1);
  void* producer = current_native_stream(g.device());
  arrive(*task_.find(edge.node.get()), edge, std::move(g), producer);
}

// Adds a gradient to what has arrived, on the stream that will use the sum.
void Pass::arrive(Visit& visit, const Edge& edge, Tensor g, void* producer) {
  const Device device = g.device();
  void* consumer = stream_on(device, *edge.node);
  hand_over(g, producer, consumer);
  std::optional<StreamGuard> there;
  if (consumer != current_native_stream(device)) there.emplace(Stream(device, consumer));
  check(*edge.node, edge.output, g);
  accumulate(visit.gradients[edge.output], std::move(g));
}

// The gradient fits the result it belongs to: same sizes, type and device.
void Pass::check(const Node& node, std::size_t i, Tensor& g) const {
  const OutputInfo& want = node.outputs[i];
  if (!(g.impl().sizes == want.sizes)) {
    TD_CHECK(ShapeError, g.dim() >= static_cast<std::int64_t>(want.sizes.size()), "backward: \"",
             node.operation(), "\" got a gradient of sizes ", g.sizes(), " for a result of sizes ",
             IntArrayRef(want.sizes));
    g = sum_to(g, want.sizes);
  }
  TD_CHECK(DeviceError, g.device() == want.device, "backward: \"", node.operation(),
           "\" got a gradient on ", g.device(), " for a result on ", want.device,
           "; move it with to(\"", want.device, "\")");
  if (g.dtype() != want.dtype) g = g.to(want.dtype);
}

void Pass::deposit(const Edge& edge, Tensor g, const Node* from) {
  Visit* visit = task_.find(edge.node.get());
  if (g.defined()) {
    void* producer = stream_on(g.device(), *from);
    arrive(*visit, edge, std::move(g), producer);
  }
  if (--visit->waiting == 0) push_ready(*visit);
}

void Pass::run_hooks(Visit& visit) {
  Node& node = *visit.node;
  for (auto& [output, hook] : node.hooks) {
    Tensor& g = visit.gradients[output];
    if (!g.defined()) continue;
    if (Tensor changed = hook.second(g); changed.defined()) g = changed;
  }
  for (auto& [output, meta] : node.retained)
    if (visit.gradients[output].defined()) accumulate(meta->grad, visit.gradients[output]);
  for (Capture& c : captures_)
    if (c.edge.node.get() == visit.node && visit.gradients[c.edge.output].defined())
      accumulate(c.gradient, visit.gradients[c.edge.output]);
}

// Runs hooks and node where its forward ran; false when there is nothing to compute.
bool Pass::compute(Visit& visit, Gradients& results) {
  Node& node = *visit.node;
  bool any = false;
  for (Tensor& g : visit.gradients) any = any || g.defined();
  if (!any) return false;
  const Device device = node.outputs[0].device;
  std::optional<StreamGuard> there;
  if (!device.is_cpu()) there.emplace(Stream(device, node.stream));
  run_hooks(visit);
  const bool is_leaf = node.edges.empty();
  if (!visit.needed || (is_leaf && !captures_.empty())) return false;
  void* previous_node = std::exchange(thread_state().current_node, &node);
  struct Restore {
    void* node;
    ~Restore() { thread_state().current_node = node; }
  } restore{previous_node};
  const trace::Span span(node.operation(), trace::Category::kBackward);
  node.apply(visit.gradients, results);
  return true;
}

void Pass::run_node(Visit& visit) {
  Node& node = *visit.node;
  Gradients results(node, task_.partial ? &task_ : nullptr);
  const bool computed = compute(visit, results);
  visit.gradients.clear();
  finish(visit, computed ? &results : nullptr);
  if (computed && !keep_graph_) node.release_saved();
}

// Hands the results on; also when there are none, so that nobody waits for them.
void Pass::finish(Visit& visit, Gradients* results) {
  const Node& node = *visit.node;
  for (std::size_t i = 0; i < node.edges.size(); ++i)
    if (node.edges[i].node)
      deposit(node.edges[i], results ? std::move((*results)[i]) : Tensor(), &node);
}

// What the caller does next, on its own streams, comes after all gradients.
void Pass::wait_for_streams() {
  for (const Visit& visit : task_.visits()) {
    const Device device =
        visit.node->outputs.empty() ? Device(kCPU) : visit.node->outputs[0].device;
    if (device.is_cpu()) continue;
    void* current = current_native_stream(device);
    if (visit.node->stream != current)
      Stream(device, current).wait(Stream(device, visit.node->stream));
  }
}

// A task of this thread that no pass further out is using (a hook may call backward).
class TaskLease {
 public:
  TaskLease()
      : task_(depth_++ == 0 ? &mine() : new GraphTask), outer_(std::exchange(current_, task_)) {}
  ~TaskLease() {
    current_ = outer_;
    if (--depth_ == 0)
      task_->clear();
    else
      delete task_;
  }
  TaskLease(const TaskLease&) = delete;
  TaskLease& operator=(const TaskLease&) = delete;
  GraphTask& operator*() { return *task_; }
  // The task of the innermost pass of this thread, nullptr outside.
  static GraphTask* current() { return current_; }

 private:
  static GraphTask& mine() {
    thread_local GraphTask task;
    return task;
  }
  static thread_local int depth_;
  static thread_local GraphTask* current_;
  GraphTask *task_, *outer_;
};
thread_local int TaskLease::depth_ = 0;
thread_local GraphTask* TaskLease::current_ = nullptr;

void run_pass(Tensors roots, Tensors gradients, optional<bool> retain_graph, bool create_graph,
              std::vector<Capture>& captures) {
  TaskLease task;
  Pass pass(*task, retain_graph.value_or(create_graph), create_graph, captures);
  pass.run(roots, gradients);
  // By index: a callback may queue another one.
  for (std::size_t i = 0; i < (*task).callbacks.size(); ++i)
    std::exchange((*task).callbacks[i], {})();
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
  GraphTask& task = *TaskLease::current();
  const Visit* visit = task.find(edge.node.get());
  const bool only = visit->waiting == 1 && !visit->gradients[0].defined();
  const bool fits =
      meta->grad_buffer.device() == edge.leaf.device();  // it may have been moved since
  return only && fits && !task.partial && !GradMode::is_enabled() ? meta->grad_buffer : Tensor();
}

namespace autograd {

void backward_from(const Tensor& root, const Tensor& gradient, optional<bool> retain_graph,
                   bool create_graph) {
  std::vector<Capture> none;
  run_pass({&root, 1}, {&gradient, 1}, retain_graph, create_graph, none);
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
  GraphTask* task = TaskLease::current();
  TD_CHECK(AutogradError, task,
           "queue_callback: this thread runs no backward; call it from a hook of a tensor");
  task->callbacks.push_back(std::move(callback));
}

}  // namespace autograd
}  // namespace td

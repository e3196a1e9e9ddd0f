// The backward pass. First it counts, for every node it will meet, how many gradients will arrive;
// then it runs the nodes whose gradients are complete, later operations first. Counting is right
// for graphs that several threads recorded, where numbers alone would not be.
#include "td/autograd/engine.h"

#include <algorithm>

#include "td/autograd/accumulate.h"
#include "td/autograd/graph_task.h"
#include "td/autograd/modes.h"
#include "td/device/guard.h"

namespace td {
namespace {

// A tensor whose gradient is handed to the caller instead of being added to a leaf.
struct Capture {
  Edge edge;
  Tensor gradient;
};

// One backward pass over the thread's GraphTask.
class Pass {
 public:
  Pass(GraphTask& task, bool keep_graph, bool create_graph, std::vector<Capture>& captures)
      : task_(task), keep_graph_(keep_graph), mode_(create_graph), captures_(captures) {}

  void run(const TensorList& roots, const TensorList& gradients);

 private:
  void count(const TensorList& roots);
  void mark_needed();
  void deposit(const Edge& edge, Tensor gradient, const Node* from);
  void run_node(Visit visit);
  void run_hooks(Visit& visit);
  void finish(Visit& visit, Gradients* results);
  void check(const Node& node, std::size_t i, Tensor& gradient) const;
  void push_ready(const intrusive_ptr<Node>& node);
  intrusive_ptr<Node> pop_ready();
  void wait_for_streams();

  GraphTask& task_;
  bool keep_graph_;
  AutoGradMode mode_;  // gradients are recorded only under create_graph
  std::vector<Capture>& captures_;
  SmallVector<intrusive_ptr<Node>, 16> ready_;  // a heap, the latest operation on top
};

void Pass::count(const TensorList& roots) {
  SmallVector<intrusive_ptr<Node>, 16> open;
  for (const Tensor& root : roots) {
    const Edge edge = gradient_edge(root);
    if (!task_.find(edge.node.get())) open.push_back(edge.node);
    task_.visit(edge.node);
  }
  while (!open.empty()) {
    const intrusive_ptr<Node> node = std::move(open[open.size() - 1]);
    open.resize(open.size() - 1);
    for (const Edge& edge : node->edges) {
      if (!edge.node) continue;
      if (!task_.find(edge.node.get())) open.push_back(edge.node);
      ++task_.visit(edge.node).waiting;
    }
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

bool runs_later(const intrusive_ptr<Node>& a, const intrusive_ptr<Node>& b) {
  return a->sequence < b->sequence;
}

void Pass::push_ready(const intrusive_ptr<Node>& node) {
  ready_.push_back(node);
  std::push_heap(ready_.begin(), ready_.end(), runs_later);
}

intrusive_ptr<Node> Pass::pop_ready() {
  std::pop_heap(ready_.begin(), ready_.end(), runs_later);
  intrusive_ptr<Node> node = std::move(ready_[ready_.size() - 1]);
  ready_.resize(ready_.size() - 1);
  return node;
}

// The stream that uses a gradient waits for the one that made it.
void hand_over(const Tensor& g, void* producer, void* consumer) {
  const Device device = g.device();
  if (device.is_cpu() || producer == consumer) return;
  const Stream waiting(device, consumer);
  waiting.wait(Stream(device, producer));
  g.record_stream(waiting);
}

void Pass::run(const TensorList& roots, const TensorList& gradients) {
  count(roots);
  if (!captures_.empty()) mark_needed();
  for (std::size_t i = 0; i < roots.size(); ++i) {
    const Edge edge = gradient_edge(roots[i]);
    Visit& visit = task_.visit(edge.node);
    Tensor g = gradients[i];
    check(*edge.node, edge.output, g);
    if (!g.is_cpu()) hand_over(g, current_native_stream(g.device()), edge.node->stream);
    accumulate(visit.gradients[edge.output], g);
  }
  for (Visit& visit : task_.visits())
    if (visit.waiting == 0) push_ready(visit.node);
  while (!ready_.empty()) {
    const intrusive_ptr<Node> node = pop_ready();
    Visit& visit = task_.visit(node);
    Visit taken{node, 0, visit.needed, std::move(visit.gradients)};
    run_node(std::move(taken));
  }
  wait_for_streams();
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
    check(*edge.node, edge.output, g);
    hand_over(g, from->stream, edge.node->stream);
    accumulate(visit->gradients[edge.output], g);
  }
  if (--visit->waiting == 0) push_ready(edge.node);
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
    if (c.edge.node == visit.node && visit.gradients[c.edge.output].defined())
      accumulate(c.gradient, visit.gradients[c.edge.output]);
}

void Pass::run_node(Visit visit) {
  Node& node = *visit.node;
  bool any = false;
  for (Tensor& g : visit.gradients) any = any || g.defined();
  if (any) run_hooks(visit);
  const bool is_leaf = node.edges.empty();
  if (!any || !visit.needed || (is_leaf && !captures_.empty())) return finish(visit, nullptr);

  Gradients results(node, task_.partial ? &task_ : nullptr);
  void* previous_node = std::exchange(thread_state().current_node, &node);
  struct Restore {
    void* node;
    ~Restore() { thread_state().current_node = node; }
  } restore{previous_node};
  const Device device = node.outputs[0].device;
  if (device.is_cpu()) {
    node.apply(visit.gradients, results);
  } else {
    StreamGuard guard(Stream(device, node.stream));  // where the forward ran
    node.apply(visit.gradients, results);
  }
  visit.gradients.clear();
  finish(visit, &results);
  if (!keep_graph_) node.release_saved();
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

TensorList checked_gradients(const TensorList& roots, const TensorList& gradients) {
  TD_CHECK(AutogradError, gradients.empty() || gradients.size() == roots.size(),
           "backward: ", roots.size(), " tensors but ", gradients.size(),
           " gradients; give one each");
  TensorList all;
  for (std::size_t i = 0; i < roots.size(); ++i) {
    const Tensor& root = roots[i];
    TD_CHECK(AutogradError, root.requires_grad(),
             "backward: the tensor does not require a gradient and has no grad_fn. Was it made "
             "under NoGradGuard, or from parameters without requires_grad?");
    if (i < gradients.size() && gradients[i].defined()) {
      TD_CHECK(ShapeError, gradients[i].impl().sizes == root.impl().sizes,
               "backward: a gradient of sizes ", gradients[i].sizes(), " for a tensor of sizes ",
               root.sizes(), "; they must be equal");
      all.push_back(gradients[i]);
      continue;
    }
    TD_CHECK(AutogradError, root.numel() == 1,
             "backward: a gradient can be left out only for a single element, but the tensor has "
             "sizes ",
             root.sizes(), ". Reduce it first (sum, mean) or pass a gradient.");
    all.push_back(empty(root.sizes(), root.options()).fill_(1));
  }
  return all;
}

// A task of this thread that no pass further out is using (a hook may call backward).
class TaskLease {
 public:
  TaskLease() : task_(depth_++ == 0 ? &mine() : new GraphTask) {}
  ~TaskLease() {
    if (--depth_ == 0)
      task_->clear();
    else
      delete task_;
  }
  TaskLease(const TaskLease&) = delete;
  TaskLease& operator=(const TaskLease&) = delete;
  GraphTask& operator*() { return *task_; }

 private:
  static GraphTask& mine() {
    thread_local GraphTask task;
    return task;
  }
  static thread_local int depth_;
  GraphTask* task_;
};
thread_local int TaskLease::depth_ = 0;

void run_pass(const TensorList& roots, const TensorList& gradients, optional<bool> retain_graph,
              bool create_graph, std::vector<Capture>& captures) {
  TaskLease task;
  Pass pass(*task, retain_graph.value_or(create_graph), create_graph, captures);
  pass.run(roots, checked_gradients(roots, gradients));
}

}  // namespace

namespace autograd {

void backward(const TensorList& roots, const TensorList& gradients, optional<bool> retain_graph,
              bool create_graph, const TensorList& inputs) {
  std::vector<Capture> captures;
  for (const Tensor& input : inputs) captures.push_back({gradient_edge(input), {}});
  run_pass(roots, gradients, retain_graph, create_graph, captures);
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
  run_pass(outputs, grad_outputs, retain_graph, create_graph, captures);
  TensorList gradients;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    TD_CHECK(AutogradError, allow_unused || captures[i].gradient.defined(), "grad: inputs[", i,
             "] was not used to compute the outputs. Pass allow_unused=true to get an undefined "
             "gradient for it.");
    gradients.push_back(captures[i].gradient);
  }
  return gradients;
}

}  // namespace autograd
}  // namespace td

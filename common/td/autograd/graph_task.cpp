// What a backward pass needs beyond the plain one of engine.cpp: the gradients of some inputs only,
// callbacks, and streams.
#include "td/autograd/graph_task.h"

#include "td/autograd/engine.h"

namespace td {

/// Runs only nodes that lead to one of `captures`. Called when all tasks are added.
void GraphTask::restrict_to(std::span<Capture> captures) {
  captures_ = captures;
  for (NodeTask& task : tasks_) task.needed = false;
  for (const Capture& c : captures)
    if (NodeTask* task = find(c.edge.node.get())) task->needed = true;
  // Later tasks are not always deeper, so repeat until nothing changes; two rounds are typical.
  for (bool changed = true; changed;) {
    changed = false;
    for (auto task = tasks_.rbegin(); task != tasks_.rend(); ++task) {
      if (task->needed) continue;
      for (const Edge& edge : task->node->edges)
        if (edge.node && needs(edge.node.get())) task->needed = changed = true;
    }
  }
}

bool GraphTask::needs(const Node* node) {
  const NodeTask* task = find(node);
  return task && task->needed;
}

/// Stores the gradients of the task that the caller asked for.
void GraphTask::capture(NodeTask& task) {
  for (Capture& c : captures_)
    if (c.edge.node.get() == task.node && task.gradients[c.edge.output].defined())
      accumulate(c.gradient, task.gradients[c.edge.output]);
}

namespace autograd {
namespace {

// The gradients of `inputs` that `roots` give. `gradients` may be left out as a whole.
std::vector<Capture> partial_pass(const TensorList& roots, const TensorList& gradients,
                                  const TensorList& inputs, optional<bool> retain_graph,
                                  bool create_graph, bool accumulates) {
  TD_CHECK(AutogradError, gradients.empty() || gradients.size() == roots.size(),
           "backward: ", roots.size(), " tensors but ", gradients.size(),
           " gradients; give one each");
  std::vector<Capture> captures;
  for (const Tensor& input : inputs) captures.push_back({gradient_edge(input), {}});
  run_backward(roots, gradients.empty() ? TensorList(roots.size()) : gradients, retain_graph,
               create_graph, captures, accumulates);
  return captures;
}

}  // namespace

void backward(const TensorList& roots, const TensorList& gradients, optional<bool> retain_graph,
              bool create_graph, const TensorList& inputs) {
  const auto captures = partial_pass(roots, gradients, inputs, retain_graph, create_graph, true);
  const AutoGradMode mode(create_graph);
  for (std::size_t i = 0; i < inputs.size(); ++i)
    if (captures[i].gradient.defined()) accumulate(meta_of(inputs[i]).grad, captures[i].gradient);
}

TensorList grad(const TensorList& outputs, const TensorList& inputs, const TensorList& grad_outputs,
                optional<bool> retain_graph, bool create_graph, bool allow_unused) {
  TD_CHECK(AutogradError, !inputs.empty(), "grad: no inputs to differentiate with respect to");
  for (std::size_t i = 0; i < inputs.size(); ++i)
    TD_CHECK(AutogradError, inputs[i].requires_grad(), "grad: inputs[", i,
             "] does not require a gradient; call requires_grad_() before it is used");
  TensorList gradients;
  for (Capture& c :
       partial_pass(outputs, grad_outputs, inputs, retain_graph, create_graph, false)) {
    TD_CHECK(AutogradError, allow_unused || c.gradient.defined(), "grad: inputs[", gradients.size(),
             "] was not used to compute the outputs. Pass allow_unused=true to get an undefined "
             "gradient for it.");
    gradients.push_back(std::move(c.gradient));
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

namespace {

// The stream of `node` on `device`: that of its forward operation or, when this ran on another
// device, this thread's current stream. A node of several devices has the stream of the first.
NativeStream* stream_on(Device device, const Node& node) {
  return device == node.outputs[0].device ? node.stream : current_native_stream(device);
}

// Makes `to` wait for the work that is now in `from`; returns false if they are the same.
bool wait_between(Device device, NativeStream* from, NativeStream* to) {
  if (from != to) Stream(device, to).wait(Stream(device, from));
  return from != to;
}

}  // namespace

void enter_stream(Device device, const Node& node, std::optional<StreamGuard>& guard) {
  NativeStream* stream = stream_on(device, node);
  if (stream != current_native_stream(device) || current_device(device.type()) != device.index())
    guard.emplace(Stream(device, stream));
}

void hand_over(const Tensor& g, const Node* producer, const Node& consumer,
               std::optional<StreamGuard>& guard) {
  const Device device = g.device();
  NativeStream* const from =
      producer ? stream_on(device, *producer) : current_native_stream(device);
  NativeStream* const to = stream_on(device, consumer);
  if (wait_between(device, from, to)) g.record_stream(Stream(device, to));
  enter_stream(device, consumer, guard);
}

void wait_for(const Node& node) {
  wait_between(node.device(), node.stream, current_native_stream(node.device()));
}

}  // namespace td

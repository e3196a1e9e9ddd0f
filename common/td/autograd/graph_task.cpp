// A small hash table from nodes to tasks, the queue of ready tasks, and partial passes.
#include "td/autograd/graph_task.h"

#include <algorithm>
#include <utility>

#include "td/autograd/meta.h"

namespace td {

std::size_t GraphTask::slot_of(const Node* node) const {
  const std::size_t mask = table_.size() - 1;
  std::size_t slot = (reinterpret_cast<std::uintptr_t>(node) >> 6) * 0x9e3779b97f4a7c15ull >> 20;
  for (slot &= mask; table_[slot] >= 0; slot = (slot + 1) & mask)
    if (tasks_[table_[slot]].node == node) break;
  return slot;
}

void GraphTask::rehash(std::size_t slots) {
  table_.assign(slots, -1);
  for (std::size_t i = 0; i < tasks_.size(); ++i) {
    tasks_[i].slot = slot_of(tasks_[i].node);
    table_[tasks_[i].slot] = static_cast<std::int32_t>(i);
  }
}

NodeTask& GraphTask::add(Node* node) {
  if (2 * (tasks_.size() + 1) > table_.size()) rehash(table_.empty() ? 64 : 2 * table_.size());
  const std::size_t slot = slot_of(node);
  if (table_[slot] < 0) {
    table_[slot] = static_cast<std::int32_t>(tasks_.size());
    NodeTask& task = tasks_.emplace_back();
    task.node = node;
    task.gradients.resize(node->outputs.size());
    task.slot = slot;
  }
  return tasks_[table_[slot]];
}

NodeTask* GraphTask::find(const Node* node) {
  if (table_.empty()) return nullptr;
  const std::size_t slot = slot_of(node);
  return table_[slot] < 0 ? nullptr : &tasks_[table_[slot]];
}

void GraphTask::clear() {
  // Slot by slot: after one deep graph the table is large, and most graphs are small.
  for (const NodeTask& task : tasks_) table_[task.slot] = -1;
  tasks_.clear();
  ready_.clear();
  callbacks.clear();
  captures_ = {};
}

namespace {

bool runs_later(const NodeTask* a, const NodeTask* b) {
  return a->node->sequence < b->node->sequence;
}

}  // namespace

void GraphTask::push_ready(NodeTask& task) {
  ready_.push_back(&task);
  std::push_heap(ready_.begin(), ready_.end(), runs_later);
}

NodeTask* GraphTask::pop_ready() {
  if (ready_.empty()) return nullptr;
  std::pop_heap(ready_.begin(), ready_.end(), runs_later);
  NodeTask* task = ready_[ready_.size() - 1];
  ready_.resize(ready_.size() - 1);
  return task;
}

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

bool GraphTask::needs(const Node* node) const {
  if (!is_partial()) return true;
  const NodeTask* task = const_cast<GraphTask*>(this)->find(node);
  return task && task->needed;
}

void GraphTask::capture(NodeTask& task) {
  for (Capture& c : captures_)
    if (c.edge.node.get() == task.node && task.gradients[c.edge.output].defined())
      accumulate(c.gradient, task.gradients[c.edge.output]);
}

namespace {

thread_local int depth = 0;
thread_local GraphTask* innermost = nullptr;

GraphTask& mine() {
  thread_local GraphTask task;
  return task;
}

}  // namespace

GraphTask* GraphTask::current() { return innermost; }

GraphTaskLease::GraphTaskLease()
    : task_(depth++ == 0 ? &mine() : new GraphTask), outer_(std::exchange(innermost, task_)) {}

GraphTaskLease::~GraphTaskLease() {
  innermost = outer_;
  if (--depth == 0)
    task_->clear();
  else
    delete task_;
}

}  // namespace td

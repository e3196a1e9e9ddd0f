// A small hash table from nodes to visits.
#include "td/autograd/graph_task.h"

namespace td {

std::size_t GraphTask::slot_of(const Node* node) const {
  const std::size_t mask = table_.size() - 1;
  std::size_t slot = (reinterpret_cast<std::uintptr_t>(node) >> 6) * 0x9e3779b97f4a7c15ull >> 20;
  for (slot &= mask; table_[slot] >= 0; slot = (slot + 1) & mask)
    if (visits_[table_[slot]].node == node) break;
  return slot;
}

void GraphTask::rehash(std::size_t slots) {
  table_.assign(slots, -1);
  for (std::size_t i = 0; i < visits_.size(); ++i) {
    visits_[i].slot = slot_of(visits_[i].node);
    table_[visits_[i].slot] = static_cast<std::int32_t>(i);
  }
}

Visit& GraphTask::visit(Node* node) {
  if (2 * (visits_.size() + 1) > table_.size()) rehash(table_.empty() ? 64 : 2 * table_.size());
  const std::size_t slot = slot_of(node);
  if (table_[slot] < 0) {
    table_[slot] = static_cast<std::int32_t>(visits_.size());
    Visit& visit = visits_.emplace_back();
    visit.node = node;
    visit.gradients.resize(node->outputs.size());
    visit.slot = slot;
  }
  return visits_[table_[slot]];
}

Visit* GraphTask::find(const Node* node) {
  if (table_.empty()) return nullptr;
  const std::size_t slot = slot_of(node);
  return table_[slot] < 0 ? nullptr : &visits_[table_[slot]];
}

bool GraphTask::needs(const Node* node) const {
  if (!partial) return true;
  const Visit* v = const_cast<GraphTask*>(this)->find(node);
  return v && v->needed;
}

void GraphTask::clear() {
  // Slot by slot: after one deep graph the table is large, and most graphs are small.
  for (const Visit& visit : visits_) table_[visit.slot] = -1;
  visits_.clear();
  callbacks.clear();
  partial = false;
}

}  // namespace td

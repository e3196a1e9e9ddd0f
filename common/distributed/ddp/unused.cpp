// A walk over the graph.
#include "distributed/ddp/unused.h"

#include <unordered_set>

#include "td/autograd/meta.h"

namespace td::distributed {

std::vector<std::size_t> unreached_parameters(const TensorList& parameters,
                                              const TensorList& outputs) {
  std::unordered_set<const Node*> seen;
  std::vector<const Node*> to_visit;
  const auto reach = [&](const Node* node) {
    if (node && seen.insert(node).second) to_visit.push_back(node);
  };
  for (const Tensor& output : outputs) reach(gradient_edge(output).node.get());
  while (!to_visit.empty()) {
    const Node* node = to_visit.back();
    to_visit.pop_back();
    for (const Edge& edge : node->edges) reach(edge.node.get());
  }
  std::vector<std::size_t> unreached;
  for (std::size_t i = 0; i < parameters.size(); ++i)
    if (!seen.count(gradient_edge(parameters[i]).node.get())) unreached.push_back(i);
  return unreached;
}

}  // namespace td::distributed

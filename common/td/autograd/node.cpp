// Nodes: names, what they hand back, and how a deep graph is taken apart.
#include "td/autograd/node.h"

#include <cctype>
#include <string_view>

namespace td {

thread_local constinit std::uint64_t next_sequence = 0;

Gradients::Gradients(const Node& node, const NodeFilter* needed)
    : node_(node), needed_(needed), values_(node.edges.size()) {}

bool Gradients::should_compute(std::size_t i) const {
  const Node* target = i < node_.edges.size() ? node_.edges[i].node.get() : nullptr;
  return target && (!needed_ || needed_->needs(target));
}

std::string Node::name() const {
  // mse_loss -> MseLossBackward0 and sum1 -> SumBackward1, as PyTorch prints them.
  std::string out;
  bool upper = true;
  for (const char* c = name_; *c; ++c) {
    if (*c == '_') {
      upper = true;
    } else {
      out += upper ? static_cast<char>(std::toupper(static_cast<unsigned char>(*c))) : *c;
      upper = false;
    }
  }
  if (std::string_view(name_) == "AccumulateGrad") return name_;
  const bool numbered = std::isdigit(static_cast<unsigned char>(out.back())) != 0;
  return numbered ? out.insert(out.size() - 1, "Backward") : out + "Backward0";
}

Node::~Node() {
  for (Edge& edge : edges) retire(std::move(edge.node));
}

void retire(intrusive_ptr<Node> node) {
  // Destroying a node releases its edges and saved tensors, which release the nodes before it. The
  // outermost call keeps a list, so that a chain of a million operations does not recurse.
  thread_local SmallVector<intrusive_ptr<Node>, 16>* pending = nullptr;
  if (!node || node->use_count() > 1) return;
  if (pending) return pending->push_back(std::move(node));
  SmallVector<intrusive_ptr<Node>, 16> list;
  pending = &list;
  list.push_back(std::move(node));
  while (!list.empty()) {
    intrusive_ptr<Node> last = std::move(list[list.size() - 1]);
    list.resize(list.size() - 1);
    last.reset();
  }
  pending = nullptr;
}

}  // namespace td

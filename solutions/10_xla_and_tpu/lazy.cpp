// lazy_sync: exercise 10.lazy, declared in exercises.h.
#include "exercises.h"
#include "td/exercise.h"

// solution only
namespace {

struct Recording {
  lazy::Graph graph;
  TensorList inputs;
  std::map<const lazy::Node*, std::size_t> numbers;  // of the lines

  // Returns the number of the node's line. Adds the line, and before it those of its operands.
  std::size_t line_of(const lazy::Tensor& node) {
    const auto known = numbers.find(node.get());
    if (known != numbers.end()) return known->second;
    lazy::Line line{lazy::Op::kInput, {}, node->sizes};
    if (node->value.defined()) {  // also what an earlier program has computed
      inputs.push_back(node->value);
    } else if (node->op == lazy::Op::kNumber) {
      inputs.push_back(td::full({}, node->number));
    } else {
      line.op = node->op;
      for (const lazy::Tensor& operand : node->operands) line.operands.push_back(line_of(operand));
    }
    graph.lines.push_back(line);
    return numbers[node.get()] = graph.lines.size() - 1;
  }
};

}  // namespace
// end

void lazy_sync(lazy::Session& session, const std::vector<lazy::Tensor>& results) {
  // blank: A line for each node that is needed; look up or compile; run. About 24 lines.
  Recording recording;
  std::vector<lazy::Tensor> wanted;
  for (const lazy::Tensor& result : results) {
    if (result->value.defined()) continue;
    wanted.push_back(result);
    recording.graph.results.push_back(recording.line_of(result));
  }
  if (wanted.empty()) return;
  auto found = session.programs.find(recording.graph);
  if (found == session.programs.end())
    found = session.programs.emplace(recording.graph, session.compile(recording.graph)).first;
  const TensorList values = found->second(recording.inputs);
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    wanted[i]->value = values.at(i);
    wanted[i]->operands.clear();  // frees what only this result needed
  }
  // end
}

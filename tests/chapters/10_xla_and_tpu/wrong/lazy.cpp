#include <algorithm>

#include "exercises.h"

namespace {

// How an answer differs from a right one. The recording is the same in most of them.
struct Flaws {
  bool bakes_numbers = false, forgets_values = false, repeats_lines = false, sorts_operands = false;
  bool drops_sizes = false;
};

struct Recording {
  Flaws flaws = {};
  lazy::Graph graph = {};
  TensorList inputs = {};
  std::map<const lazy::Node*, std::size_t> numbers = {};

  std::size_t line_of(const lazy::Tensor& node) {
    const auto known = numbers.find(node.get());
    if (known != numbers.end() && !flaws.repeats_lines) return known->second;
    lazy::Line line{lazy::Op::kInput, {}, node->sizes};
    const bool computed = node->value.defined() && !flaws.forgets_values;
    if (computed || node->op == lazy::Op::kInput) {
      inputs.push_back(node->value);
    } else if (node->op == lazy::Op::kNumber && !flaws.bakes_numbers) {
      inputs.push_back(td::full({}, node->number));
    } else {
      line.op = node->op;
      line.number = node->number;
      for (const lazy::Tensor& operand : node->operands) line.operands.push_back(line_of(operand));
      if (flaws.sorts_operands) std::sort(line.operands.begin(), line.operands.end());
    }
    graph.lines.push_back(line);
    return numbers[node.get()] = graph.lines.size() - 1;
  }
  // The key of the cache.
  lazy::Graph key() const {
    lazy::Graph result = graph;
    for (lazy::Line& line : result.lines)
      if (flaws.drops_sizes) line.sizes.clear();
    return result;
  }
};

const lazy::Program& program_of(lazy::Session& session, const Recording& recording) {
  const lazy::Graph key = recording.key();
  auto found = session.programs.find(key);
  if (found == session.programs.end())
    found = session.programs.emplace(key, session.compile(recording.graph)).first;
  return found->second;
}

std::vector<lazy::Tensor> record(Recording& recording, const std::vector<lazy::Tensor>& results) {
  std::vector<lazy::Tensor> wanted;
  for (const lazy::Tensor& result : results) {
    if (result->value.defined()) continue;
    wanted.push_back(result);
    recording.graph.results.push_back(recording.line_of(result));
  }
  return wanted;
}

void sync_with(const Flaws& flaws, lazy::Session& session,
               const std::vector<lazy::Tensor>& results) {
  Recording recording{flaws};
  const std::vector<lazy::Tensor> wanted = record(recording, results);
  if (wanted.empty()) return;
  const TensorList values = program_of(session, recording)(recording.inputs);
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    wanted[i]->value = values.at(i);
    if (!flaws.forgets_values) wanted[i]->operands.clear();
  }
}

}  // namespace

// answer: bakes_numbers
// expect: 1 compilations, got 2
// Numbers are constants of the program: each new learning rate is compiled.
namespace bakes_numbers {
void lazy_sync(lazy::Session& session, const std::vector<lazy::Tensor>& results) {
  sync_with({.bakes_numbers = true}, session, results);
}
}  // namespace bakes_numbers

// answer: forgets_values
// expect: expected 1 compilations, got 2
// Follows the operands of nodes that have a value: the graph grows with every step.
namespace forgets_values {
void lazy_sync(lazy::Session& session, const std::vector<lazy::Tensor>& results) {
  sync_with({.forgets_values = true}, session, results);
}
}  // namespace forgets_values

// answer: repeats_lines
// expect: expected a graph of
// A node that is used twice has two lines. The results are right.
namespace repeats_lines {
void lazy_sync(lazy::Session& session, const std::vector<lazy::Tensor>& results) {
  sync_with({.repeats_lines = true}, session, results);
}
}  // namespace repeats_lines

// answer: sorts_operands
// expect: has other sizes than its operands give
// Sorts the operands, so that a + b and b + a are equal. A product is not.
namespace sorts_operands {
void lazy_sync(lazy::Session& session, const std::vector<lazy::Tensor>& results) {
  sync_with({.sorts_operands = true}, session, results);
}
}  // namespace sorts_operands

// answer: drops_sizes
// expect: compiled for the sizes of its lines
// The key has the operations, without the sizes.
namespace drops_sizes {
void lazy_sync(lazy::Session& session, const std::vector<lazy::Tensor>& results) {
  sync_with({.drops_sizes = true}, session, results);
}
}  // namespace drops_sizes

// answer: one_program_per_result
// expect: expected 1 compilations
// Computes the results one after another.
namespace one_program_per_result {
void lazy_sync(lazy::Session& session, const std::vector<lazy::Tensor>& results) {
  for (const lazy::Tensor& result : results) sync_with({}, session, {result});
}
}  // namespace one_program_per_result

// answer: runs_again
// expect: and then an input, which has a value
// Computes results that have a value, too.
namespace runs_again {
void lazy_sync(lazy::Session& session, const std::vector<lazy::Tensor>& results) {
  Recording recording;
  for (const lazy::Tensor& result : results)
    recording.graph.results.push_back(recording.line_of(result));
  if (results.empty()) return;
  const TensorList values = program_of(session, recording)(recording.inputs);
  for (std::size_t i = 0; i < results.size(); ++i) {
    results[i]->value = values.at(i);
    results[i]->operands.clear();
  }
}
}  // namespace runs_again

// answer: keeps_operands
// expect: still refers to its operands
// Every result keeps all nodes of all steps before it.
namespace keeps_operands {
void lazy_sync(lazy::Session& session, const std::vector<lazy::Tensor>& results) {
  Recording recording;
  const std::vector<lazy::Tensor> wanted = record(recording, results);
  if (wanted.empty()) return;
  const TensorList values = program_of(session, recording)(recording.inputs);
  for (std::size_t i = 0; i < wanted.size(); ++i) wanted[i]->value = values.at(i);
}
}  // namespace keeps_operands

// answer: never_compiles_once
// expect: expected 1 compilations, got 2
// Compiles in each call and caches nothing.
namespace never_compiles_once {
void lazy_sync(lazy::Session& session, const std::vector<lazy::Tensor>& results) {
  Recording recording;
  const std::vector<lazy::Tensor> wanted = record(recording, results);
  if (wanted.empty()) return;
  const TensorList values = session.compile(recording.graph)(recording.inputs);
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    wanted[i]->value = values.at(i);
    wanted[i]->operands.clear();
  }
}
}  // namespace never_compiles_once

// answer: results_are_no_key
// expect: relu: index 0: expected 2, got 4
// Finds programs by their lines alone.
namespace results_are_no_key {
void lazy_sync(lazy::Session& session, const std::vector<lazy::Tensor>& results) {
  Recording recording;
  const std::vector<lazy::Tensor> wanted = record(recording, results);
  if (wanted.empty()) return;
  lazy::Graph key = recording.graph;
  key.results.clear();
  auto found = session.programs.find(key);
  if (found == session.programs.end())
    found = session.programs.emplace(key, session.compile(recording.graph)).first;
  const TensorList values = found->second(recording.inputs);
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    wanted[i]->value = values.at(i % values.size());
    wanted[i]->operands.clear();
  }
}
}  // namespace results_are_no_key

// answer: one_cache_for_all
// expect: relu in a second, new session
// The cache belongs to the process instead of the session.
namespace one_cache_for_all {
void lazy_sync(lazy::Session& session, const std::vector<lazy::Tensor>& results) {
  static lazy::Session& first = *new lazy::Session{session.compile};
  first.compile = session.compile;
  sync_with({}, first, results);
}
}  // namespace one_cache_for_all

// answer: releases_everything
// expect: has 0 operands, expected 2
// Releases the operands of all nodes of the graph, also of those that still have to be computed.
namespace releases_everything {
void lazy_sync(lazy::Session& session, const std::vector<lazy::Tensor>& results) {
  Recording recording;
  const std::vector<lazy::Tensor> wanted = record(recording, results);
  if (wanted.empty()) return;
  const TensorList values = program_of(session, recording)(recording.inputs);
  for (std::size_t i = 0; i < wanted.size(); ++i) wanted[i]->value = values.at(i);
  std::vector<lazy::Tensor> left(wanted);
  while (!left.empty()) {
    const lazy::Tensor node = left.back();
    left.pop_back();
    left.insert(left.end(), node->operands.begin(), node->operands.end());
    node->operands.clear();
  }
}
}  // namespace releases_everything

// answer: stores_an_empty_program
// expect: an error of another type was thrown
// Makes the entry of the cache before it compiles. After an error an empty program is there.
namespace stores_an_empty_program {
void lazy_sync(lazy::Session& session, const std::vector<lazy::Tensor>& results) {
  Recording recording;
  const std::vector<lazy::Tensor> wanted = record(recording, results);
  if (wanted.empty()) return;
  const auto [entry, is_new] = session.programs.try_emplace(recording.graph);
  if (is_new) entry->second = session.compile(recording.graph);
  const TensorList values = entry->second(recording.inputs);
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    wanted[i]->value = values.at(i);
    wanted[i]->operands.clear();
  }
}
}  // namespace stores_an_empty_program

// answer: releases_first
// expect: has 0 operands, expected 1
// Releases the operands before the program has run.
namespace releases_first {
void lazy_sync(lazy::Session& session, const std::vector<lazy::Tensor>& results) {
  Recording recording;
  const std::vector<lazy::Tensor> wanted = record(recording, results);
  if (wanted.empty()) return;
  const lazy::Program& program = program_of(session, recording);
  for (const lazy::Tensor& result : wanted) result->operands.clear();
  const TensorList values = program(recording.inputs);
  for (std::size_t i = 0; i < wanted.size(); ++i) wanted[i]->value = values.at(i);
}
}  // namespace releases_first

// answer: computes_all_nodes
// expect: is not among the results got a value
// Stores the values of all nodes: each one must be returned by the program.
namespace computes_all_nodes {
void lazy_sync(lazy::Session& session, const std::vector<lazy::Tensor>& results) {
  Recording recording;
  std::vector<lazy::Tensor> wanted = record(recording, results);
  if (wanted.empty()) return;
  for (std::size_t i = 0; i < wanted.size(); ++i)
    for (const lazy::Tensor& operand : wanted[i]->operands)
      if (!operand->value.defined()) wanted.push_back(lazy::Tensor(operand));
  Recording all;
  wanted = record(all, std::vector<lazy::Tensor>(wanted));
  const TensorList values = program_of(session, all)(all.inputs);
  for (std::size_t i = 0; i < wanted.size(); ++i) wanted[i]->value = values.at(i);
  for (const lazy::Tensor& result : wanted) result->operands.clear();
}
}  // namespace computes_all_nodes

// answer: numbers_have_values
// expect: has no value afterwards
// Takes every number for a node that has its value.
namespace numbers_have_values {
void lazy_sync(lazy::Session& session, const std::vector<lazy::Tensor>& results) {
  std::vector<lazy::Tensor> wanted;
  for (const lazy::Tensor& result : results)
    if (!result->value.defined() && result->op != lazy::Op::kNumber) wanted.push_back(result);
  if (wanted.empty()) return;
  lazy::Graph graph;
  td::TensorList inputs;
  std::map<lazy::Node*, std::size_t> numbers;
  const std::function<std::size_t(const lazy::Tensor&)> number_of = [&](const lazy::Tensor& node) {
    if (const auto found = numbers.find(node.get()); found != numbers.end()) return found->second;
    lazy::Line line{node->op, {}, node->sizes};
    if (node->value.defined() || node->op == lazy::Op::kNumber) {
      line.op = lazy::Op::kInput;
      inputs.push_back(node->value.defined() ? node->value : td::full({}, node->number));
    } else {
      for (const lazy::Tensor& operand : node->operands)
        line.operands.push_back(number_of(operand));
    }
    graph.lines.push_back(line);
    return numbers[node.get()] = graph.lines.size() - 1;
  };
  for (const lazy::Tensor& result : wanted) graph.results.push_back(number_of(result));
  auto program = session.programs.find(graph);
  if (program == session.programs.end())
    program = session.programs.emplace(graph, session.compile(graph)).first;
  const td::TensorList values = program->second(inputs);
  for (std::size_t i = 0; i < wanted.size(); ++i) wanted[i]->value = values.at(i);
  for (const lazy::Tensor& result : wanted) result->operands.clear();
}
}  // namespace numbers_have_values

// answer: all_or_nothing
// expect: relu of a new input; another result has a value already: expected a graph of 2 lines, got
// 3 Computes all results again if one of them has no value.
namespace all_or_nothing {
void lazy_sync(lazy::Session& session, const std::vector<lazy::Tensor>& results) {
  std::vector<lazy::Tensor> wanted;
  for (const lazy::Tensor& result : results)
    if (!result->value.defined()) wanted = results;
  if (wanted.empty()) return;
  lazy::Graph graph;
  td::TensorList inputs;
  std::map<lazy::Node*, std::size_t> numbers;
  const std::function<std::size_t(const lazy::Tensor&)> number_of = [&](const lazy::Tensor& node) {
    if (const auto found = numbers.find(node.get()); found != numbers.end()) return found->second;
    lazy::Line line{node->op, {}, node->sizes};
    if (node->value.defined() || node->op == lazy::Op::kNumber) {
      line.op = lazy::Op::kInput;
      inputs.push_back(node->value.defined() ? node->value : td::full({}, node->number));
    } else {
      for (const lazy::Tensor& operand : node->operands)
        line.operands.push_back(number_of(operand));
    }
    graph.lines.push_back(line);
    return numbers[node.get()] = graph.lines.size() - 1;
  };
  for (const lazy::Tensor& result : wanted) graph.results.push_back(number_of(result));
  auto program = session.programs.find(graph);
  if (program == session.programs.end())
    program = session.programs.emplace(graph, session.compile(graph)).first;
  const td::TensorList values = program->second(inputs);
  for (std::size_t i = 0; i < wanted.size(); ++i) wanted[i]->value = values.at(i);
  for (const lazy::Tensor& result : wanted) result->operands.clear();
}
}  // namespace all_or_nothing

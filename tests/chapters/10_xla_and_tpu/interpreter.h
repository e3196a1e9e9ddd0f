// A compiler for the graphs of lazy tensors that needs no XLA: its programs are loops in float64.
// Included by the tests of the exercise `lazy`. It counts what a session compiles and runs.
#pragma once

#include <algorithm>
#include <cmath>

#include "check_tensors.h"
#include "exercises.h"

/// The sizes that a line must have by those of its operands; operands exist.
inline std::vector<std::int64_t> sizes_by_rule(const lazy::Graph& graph, const lazy::Line& line) {
  const auto of = [&](std::size_t i) { return graph.lines[line.operands[i]].sizes; };
  switch (line.op) {
    case lazy::Op::kAdd:
    case lazy::Op::kMul:
      return of(0).empty() ? of(1) : of(0);
    case lazy::Op::kMatmul:
      return {of(0).at(0), of(1).at(1)};
    case lazy::Op::kRelu:
      return of(0);
    default:
      return line.sizes;
  }
}

/// Fails unless the graph is a program: operands are earlier lines, and sizes follow the rules.
inline void expect_program(const lazy::Graph& graph) {
  for (std::size_t k = 0; k < graph.lines.size(); ++k) {
    const lazy::Line& line = graph.lines[k];
    const bool leaf = line.op == lazy::Op::kInput || line.op == lazy::Op::kNumber;
    const std::size_t operands = leaf ? 0 : line.op == lazy::Op::kRelu ? 1 : 2;
    const std::string where = "line " + std::to_string(k) + " of the graph";
    check::expect(line.operands.size() == operands,
                  where + " has " + std::to_string(line.operands.size()) + " operands, expected " +
                      std::to_string(operands) + "; were its node's operands released too early?");
    for (const std::size_t operand : line.operands)
      check::expect(operand < k, where + " takes line " + std::to_string(operand) +
                                     ": operands must be earlier lines");
    check::expect(line.sizes == sizes_by_rule(graph, line),
                  where + " has other sizes than its operands give; is their order right?");
  }
  check::expect(!graph.results.empty(), "the graph has no results");
  for (const std::size_t result : graph.results)
    check::expect(result < graph.lines.size(), "a result is no line of the graph");
}

/// Computes one line, in float64.
inline std::vector<double> compute(const lazy::Graph& graph, const lazy::Line& line,
                                   const std::vector<std::vector<double>>& values) {
  std::size_t count = 1;
  for (const std::int64_t size : line.sizes) count *= static_cast<std::size_t>(size);
  std::vector<double> out(count, line.number);
  if (line.operands.empty()) return out;
  const std::vector<double>& a = values[line.operands[0]];
  if (line.op == lazy::Op::kRelu) {
    for (std::size_t i = 0; i < count; ++i) out[i] = std::max(a[i], 0.0);
    return out;
  }
  const std::vector<double>& b = values[line.operands[1]];
  const auto at = [](const std::vector<double>& v, std::size_t i) {
    return v.size() == 1 ? v[0] : v[i];
  };
  if (line.op != lazy::Op::kMatmul) {
    for (std::size_t i = 0; i < count; ++i)
      out[i] = line.op == lazy::Op::kAdd ? at(a, i) + at(b, i) : at(a, i) * at(b, i);
    return out;
  }
  const auto inner = static_cast<std::size_t>(graph.lines[line.operands[0]].sizes[1]);
  const auto columns = static_cast<std::size_t>(line.sizes[1]);
  for (std::size_t i = 0; i < count; ++i) {
    out[i] = 0;
    for (std::size_t k = 0; k < inner; ++k)
      out[i] += a[i / columns * inner + k] * b[k * columns + i % columns];
  }
  return out;
}

/// What a session did. Programs share it, because a faulty answer may keep them too long.
struct Log {
  int runs = 0;
  std::vector<lazy::Graph> compiled;     ///< each graph that was compiled
  std::string compile_error, run_error;  ///< if not empty, the next call throws it
};

inline TensorList run_graph(Log& log, const lazy::Graph& graph, const TensorList& inputs) {
  if (!log.run_error.empty()) throw std::runtime_error(std::exchange(log.run_error, {}));
  ++log.runs;
  std::vector<std::vector<double>> values;
  std::size_t next = 0;
  for (const lazy::Line& line : graph.lines) {
    if (line.op != lazy::Op::kInput) {
      values.push_back(compute(graph, line, values));
      continue;
    }
    check::expect(next < inputs.size(), "the program has more kInput lines than inputs");
    check::expect_sizes(inputs[next], line.sizes,
                        "input " + std::to_string(next) +
                            " of a program that was compiled for the sizes of its lines");
    values.push_back(check::values(inputs[next++]));
  }
  check::expect(next == inputs.size(), "the program has fewer kInput lines than inputs");
  TensorList results;
  for (const std::size_t line : graph.results)
    results.push_back(td::tensor(values[line]).to(td::kFloat32).reshape(graph.lines[line].sizes));
  return results;
}

/// A session whose programs are loops.
struct Machine {
  std::shared_ptr<Log> log = std::make_shared<Log>();
  lazy::Session session{[log = log](const lazy::Graph& graph) -> lazy::Program {
    if (!log->compile_error.empty())
      throw std::runtime_error(std::exchange(log->compile_error, {}));
    expect_program(graph);
    log->compiled.push_back(graph);
    return [log, graph](const TensorList& inputs) { return run_graph(*log, graph, inputs); };
  }};

  /// lazy_sync, then the values of the results.
  std::vector<td::Tensor> values_of(const std::vector<lazy::Tensor>& results) {
    lazy_sync(session, results);
    std::vector<td::Tensor> values;
    for (const lazy::Tensor& result : results) {
      check::expect(result->value.defined(), "a result has no value after lazy_sync");
      values.push_back(result->value);
    }
    return values;
  }
};

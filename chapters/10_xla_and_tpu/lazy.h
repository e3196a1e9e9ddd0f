// Lazy tensors: a call records a node and computes nothing. Included by exercises.h: the exercise
// `lazy` turns the recorded nodes into a program, compiles it if it is new, and runs it.
// Invariant: a node with a value needs no other node. All values are float32 on the cpu.
#pragma once

#include <compare>
#include <functional>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "td/td.h"

namespace lazy {

// anchor: node
enum class Op { kInput, kNumber, kAdd, kMul, kMatmul, kRelu };

struct Node;
using Tensor = std::shared_ptr<Node>;

/// One recorded call.
struct Node {
  Op op;
  std::vector<Tensor> operands;     ///< of kAdd, kMul, kMatmul and kRelu
  std::vector<std::int64_t> sizes;  ///< known when the node is recorded
  float number = 0;                 ///< of kNumber
  td::Tensor value = td::Tensor();  ///< of kInput; of the others defined after they were computed
};
// anchor end

/// Data of the host. Do not modify the tensor afterwards.
inline Tensor input(const td::Tensor& value) {
  return std::make_shared<Node>(Node{Op::kInput, {}, value.sizes().vec(), 0, value});
}
/// A number of the host, such as a learning rate. Its sizes are [].
inline Tensor number(double value) {
  return std::make_shared<Node>(Node{Op::kNumber, {}, {}, static_cast<float>(value)});
}

namespace detail {
inline Tensor element_wise(Op op, const Tensor& a, const Tensor& b) {
  TD_CHECK(td::ShapeError, a->sizes == b->sizes || a->sizes.empty() || b->sizes.empty(),
           "lazy: add and mul take equal sizes, or a number and a tensor");
  return std::make_shared<Node>(Node{op, {a, b}, a->sizes.empty() ? b->sizes : a->sizes});
}
}  // namespace detail

/// a + b. The sizes are equal, or one of the two has the sizes [].
inline Tensor add(const Tensor& a, const Tensor& b) { return detail::element_wise(Op::kAdd, a, b); }
/// a * b, element by element. The sizes are those of add.
inline Tensor mul(const Tensor& a, const Tensor& b) { return detail::element_wise(Op::kMul, a, b); }
/// The product of [n, k] and [k, m].
inline Tensor matmul(const Tensor& a, const Tensor& b) {
  TD_CHECK(td::ShapeError,
           a->sizes.size() == 2 && b->sizes.size() == 2 && a->sizes[1] == b->sizes[0],
           "lazy: matmul takes [n, k] and [k, m]");
  return std::make_shared<Node>(Node{Op::kMatmul, {a, b}, {a->sizes[0], b->sizes[1]}});
}
/// max(a, 0), element by element.
inline Tensor relu(const Tensor& a) {
  return std::make_shared<Node>(Node{Op::kRelu, {a}, a->sizes});
}

// anchor: graph
/// Line k of a program computes value k from the values of earlier lines.
struct Line {
  Op op;                              ///< kInput takes the next input of the program
  std::vector<std::size_t> operands;  ///< numbers of earlier lines
  std::vector<std::int64_t> sizes;
  float number = 0;  ///< of kNumber: a constant, which is compiled into the program
  friend auto operator<=>(const Line&, const Line&) = default;
};

/// A program, and the key of the cache: two graphs are equal if all their members are.
struct Graph {
  std::vector<Line> lines;
  std::vector<std::size_t> results;  ///< numbers of the lines whose values the program returns
  friend auto operator<=>(const Graph&, const Graph&) = default;
};

/// A compiled graph: takes the values of the kInput lines, in order, and returns the results.
using Program = std::function<td::TensorList(const td::TensorList& inputs)>;

struct Session {
  std::function<Program(const Graph&)> compile;  ///< slow
  std::map<Graph, Program> programs = {};        ///< the cache: what has been compiled
};
// anchor end

}  // namespace lazy

// Tests of lazy: results against loops, and what a session compiles and runs. They need no plugin.
#include "interpreter.h"

namespace {

td::Tensor ramp(const std::vector<std::int64_t>& sizes, double first) {
  std::int64_t count = 1;
  for (const std::int64_t size : sizes) count *= size;
  std::vector<double> values;
  for (std::int64_t i = 0; i < count; ++i)
    values.push_back(first + 0.25 * static_cast<double>(i % 7));
  return td::tensor(values).to(td::kFloat32).reshape(sizes);
}

lazy::Tensor leaf(const std::vector<std::int64_t>& sizes, double first = -0.5) {
  return lazy::input(ramp(sizes, first));
}

void expect_counts(const Machine& machine, std::size_t compiled, int runs,
                   const std::string& what) {
  check::expect(machine.log->compiled.size() == compiled,
                what + ": expected " + std::to_string(compiled) + " compilations, got " +
                    std::to_string(machine.log->compiled.size()));
  check::expect(machine.log->runs == runs, what + ": expected " + std::to_string(runs) +
                                               " runs of a program, got " +
                                               std::to_string(machine.log->runs));
}

void expect_lines(const Machine& machine, std::size_t lines, const std::string& what) {
  check::expect(!machine.log->compiled.empty(), what + ": nothing was compiled");
  check::expect(machine.log->compiled.back().lines.size() == lines,
                what + ": expected a graph of " + std::to_string(lines) + " lines, got " +
                    std::to_string(machine.log->compiled.back().lines.size()));
}

/// One step of a linear model: the sum of relu(x w), and w - rate * x^T (x w).
struct Step {
  Step(const lazy::Tensor& weight, const td::Tensor& x, double rate) {
    const lazy::Tensor rows = lazy::input(x), turned = lazy::input(x.t().contiguous());
    const lazy::Tensor output = lazy::matmul(rows, weight);
    const lazy::Tensor gradient = lazy::matmul(turned, output);
    loss = lazy::matmul(lazy::input(td::ones({1, x.size(0)})), lazy::relu(output));
    next = lazy::add(weight, lazy::mul(lazy::number(-rate), gradient));
  }
  lazy::Tensor loss, next;
};

/// The same step in loops. `w` has as many elements as x has columns.
double step_by_loops(std::vector<double>& w, const td::Tensor& x, double rate) {
  const std::vector<double> values = check::values(x);
  const std::size_t n = w.size();
  std::vector<double> gradient(n, 0);
  double loss = 0;
  for (std::size_t row = 0; row < values.size() / n; ++row) {
    double output = 0;
    for (std::size_t k = 0; k < n; ++k) output += values[row * n + k] * w[k];
    loss += std::max(output, 0.0);
    for (std::size_t k = 0; k < n; ++k) gradient[k] += values[row * n + k] * output;
  }
  for (std::size_t k = 0; k < n; ++k) w[k] -= rate * gradient[k];
  return loss;
}

}  // namespace

TEST_CASE("five steps with changing rates compile once", "[lazy]") {
  Machine machine;
  std::vector<double> expected = {0.5, -1, 2};
  lazy::Tensor weight = lazy::input(td::tensor(expected).to(td::kFloat32).reshape({3, 1}));
  for (int n = 0; n < 5; ++n) {
    const td::Tensor x = ramp({4, 3}, 0.1 * n - 0.6);
    const double rate = 0.05 / (n + 1);
    const Step step(weight, x, rate);
    const auto values = machine.values_of({step.next, step.loss});
    const double loss = step_by_loops(expected, x, rate);
    const std::string what = "step " + std::to_string(n);
    check::expect_close(check::values(values[1]), std::vector<double>{loss}, 1e-4, what + ", loss");
    check::expect_close(check::values(values[0]), expected, 1e-4, what + ", weight");
    weight = step.next;
    expect_counts(machine, 1, n + 1, "after " + what + ", whose rate is " + std::to_string(rate));
  }
  expect_lines(machine, 11, "one step: 4 inputs, 1 number, 6 operations");
}

TEST_CASE("other sizes are another program, and old ones are found again", "[lazy]") {
  Machine machine;
  std::string got;
  for (const std::int64_t rows : {32, 32, 4, 32, 4}) {
    const std::size_t before = machine.log->compiled.size();
    const td::Tensor x = ramp({rows, 3}, 1);
    std::vector<double> expected = {1, 1.25, 1.5};
    const Step step(leaf({3, 1}, 1), x, 0.01);
    const auto values = machine.values_of({step.next});
    step_by_loops(expected, x, 0.01);
    check::expect_close(check::values(values[0]), expected, 1e-4,
                        "the weight with " + std::to_string(rows) + " rows");
    got += machine.log->compiled.size() > before ? 'c' : '-';
  }
  check::expect(got == "c-c--",
                "32, 32, 4, 32 and 4 rows: expected c-c-- (c: compiles), got " + got);
}

TEST_CASE("the same number of elements in other sizes is another program", "[lazy]") {
  Machine machine;
  for (const std::vector<std::int64_t>& sizes :
       std::vector<std::vector<std::int64_t>>{{2, 3}, {3, 2}, {6}, {1, 6}, {}})
    machine.values_of({lazy::relu(leaf(sizes))});
  expect_counts(machine, 5, 5, "relu of [2, 3], [3, 2], [6], [1, 6] and []");
}

TEST_CASE("nothing runs before a value is needed, and a second request runs nothing", "[lazy]") {
  Machine machine;
  const lazy::Tensor a = leaf({2, 2}), unused = lazy::matmul(a, a), sum = lazy::add(a, a);
  const lazy::Tensor result = lazy::relu(sum);
  expect_counts(machine, 0, 0, "four recorded calls");
  lazy_sync(machine.session, {});
  machine.values_of({a});
  expect_counts(machine, 0, 0, "no results, and then an input, which has a value");
  machine.values_of({result});
  machine.values_of({result, a, result});
  expect_counts(machine, 1, 1, "a result, and then the same result again");
  expect_lines(machine, 3, "relu(a + a): a, the sum and relu, without the product");
  check::expect(!unused->value.defined() && !sum->value.defined(),
                "a node that is not among the results got a value");
}

TEST_CASE("two results are one program and one run", "[lazy]") {
  Machine machine;
  const lazy::Tensor a = leaf({2, 3}), b = leaf({3, 2}, 1), product = lazy::matmul(a, b);
  const lazy::Tensor positive = lazy::relu(product);
  const auto values = machine.values_of({positive, product, positive});
  expect_counts(machine, 1, 1, "three results, one of them twice");
  expect_lines(machine, 4, "relu(a b) and a b");
  const std::vector<double> x = check::values(a->value), y = check::values(b->value);
  std::vector<double> expected(4, 0);
  for (std::size_t i = 0; i < 4; ++i)
    for (std::size_t k = 0; k < 3; ++k) expected[i] += x[i / 2 * 3 + k] * y[k * 2 + i % 2];
  check::expect_close(check::values(values[1]), expected, 1e-5, "the second result, a b");
  for (double& value : expected) value = std::max(value, 0.0);
  check::expect_close(check::values(values[0]), expected, 1e-5, "the first result, relu(a b)");
  check::expect_close(check::values(values[2]), expected, 1e-5, "the third result, relu(a b)");
}

TEST_CASE("other results of the same calls are another program", "[lazy]") {
  Machine machine;
  const lazy::Tensor first = lazy::relu(leaf({3}, 1)), second = lazy::relu(leaf({3}, 2));
  machine.values_of({lazy::add(first, first)});
  const auto values = machine.values_of({lazy::add(second, second), second});
  check::expect_close(check::values(values[0]), std::vector<double>{4, 4.5, 5}, 1e-6, "the sum");
  check::expect_close(check::values(values[1]), std::vector<double>{2, 2.25, 2.5}, 1e-6, "relu");
  expect_counts(machine, 2, 2, "one result, then two results of the same lines");
}

TEST_CASE("another order of operations and of operands", "[lazy]") {
  Machine machine;
  const lazy::Tensor a = leaf({2, 2}, -1), b = leaf({2, 2}, 0.5);
  const std::vector<double> x = check::values(a->value), y = check::values(b->value);
  const auto inside = machine.values_of({lazy::relu(lazy::add(a, b))});
  const auto outside = machine.values_of({lazy::add(lazy::relu(a), b)});
  expect_counts(machine, 2, 2, "relu(a + b), then relu(a) + b");
  std::vector<double> of_sum, of_first;
  for (std::size_t i = 0; i < 4; ++i) {
    of_sum.push_back(std::max(x[i] + y[i], 0.0));
    of_first.push_back(std::max(x[i], 0.0) + y[i]);
  }
  check::expect_close(check::values(inside[0]), of_sum, 1e-6, "relu(a + b)");
  check::expect_close(check::values(outside[0]), of_first, 1e-6, "relu(a) + b");
  for (const bool swapped : {false, true}) {
    const auto product = machine.values_of({swapped ? lazy::matmul(b, a) : lazy::matmul(a, b)});
    const std::vector<double>&l = swapped ? y : x, &r = swapped ? x : y;
    check::expect_close(check::values(product[0]),
                        std::vector<double>{l[0] * r[0] + l[1] * r[2], l[0] * r[1] + l[1] * r[3],
                                            l[2] * r[0] + l[3] * r[2], l[2] * r[1] + l[3] * r[3]},
                        1e-6, swapped ? "b a, after a b" : "a b");
  }
}

TEST_CASE("a node that is used often is one line", "[lazy]") {
  Machine machine;
  lazy::Tensor x = leaf({3}, 1);
  for (int i = 0; i < 8; ++i) x = lazy::add(x, x);
  const auto values = machine.values_of({x});
  expect_lines(machine, 9, "x = add(x, x), eight times");
  check::expect_close(check::values(values[0]), std::vector<double>{256, 320, 384}, 1e-3,
                      "256 times x");
}

TEST_CASE("which operand is shared distinguishes graphs", "[lazy]") {
  Machine machine;
  const lazy::Tensor a = leaf({2}, 1), b = leaf({2}, 3);
  machine.values_of({lazy::add(a, b)});
  const auto values = machine.values_of({lazy::add(a, a)});
  expect_counts(machine, 2, 2, "a + b, then a + a");
  check::expect_close(check::values(values[0]), std::vector<double>{2, 2.5}, 1e-6, "a + a");
}

TEST_CASE("a computed node is an input of the next program", "[lazy]") {
  Machine machine;
  lazy::Tensor x = leaf({2}, 1);
  for (int n = 0; n < 3; ++n) {
    x = lazy::mul(lazy::number(3), x);
    machine.values_of({x});
  }
  expect_counts(machine, 1, 3, "x = 3 x, with lazy_sync after each");
  check::expect_close(check::values(x->value), std::vector<double>{27, 33.75}, 1e-4, "27 x");
}

TEST_CASE("memory of earlier steps is released, other nodes stay recorded", "[lazy]") {
  Machine machine;
  std::weak_ptr<lazy::Node> old;
  lazy::Tensor x = leaf({2}, 1), kept;
  {
    const lazy::Tensor inner = lazy::relu(x);
    old = inner;
    kept = lazy::mul(lazy::number(2), x);
    x = lazy::add(inner, kept);
  }
  machine.values_of({x});
  check::expect(old.expired(),
                "after lazy_sync a result still refers to its operands: the memory grows with "
                "every step");
  const auto values = machine.values_of({kept});
  check::expect_close(check::values(values[0]), std::vector<double>{2, 2.5}, 1e-6,
                      "a node that was not among the results, asked for later");
}

TEST_CASE("two sessions share nothing", "[lazy]") {
  Machine one, two;
  one.values_of({lazy::relu(leaf({3}))});
  two.values_of({lazy::relu(leaf({3}))});
  expect_counts(two, 1, 1, "relu in a second, new session");
}

TEST_CASE("an error of compile or of a program leaves everything as it was", "[lazy]") {
  Machine machine;
  const lazy::Tensor a = leaf({2}, 1), result = lazy::relu(lazy::add(a, lazy::number(0.5)));
  machine.log->compile_error = "no memory for the program";
  check::expect_throws<std::runtime_error>([&] { lazy_sync(machine.session, {result}); },
                                           {"no memory for the program"}, "compile throws");
  machine.log->run_error = "the device was lost";
  check::expect_throws<std::runtime_error>([&] { lazy_sync(machine.session, {result}); },
                                           {"the device was lost"}, "the program throws");
  check::expect(!result->value.defined(), "after an error the result has a value");
  const auto values = machine.values_of({result});
  check::expect_close(check::values(values[0]), std::vector<double>{1.5, 1.75}, 1e-6,
                      "relu(a + 0.5), after two errors");
  expect_counts(machine, 1, 1, "an error of compile, one of the program, then a good call");
}

TEST_CASE("a result that has a value takes no part", "[lazy]") {
  Machine machine;
  const lazy::Tensor first = lazy::relu(leaf({3}, 1));
  machine.values_of({first});
  const lazy::Tensor second = lazy::relu(leaf({3}, 2));
  const auto values = machine.values_of({first, second});
  expect_lines(machine, 2, "relu of a new input; another result has a value already");
  check::expect_close(check::values(values[1]), std::vector<double>{2, 2.25, 2.5}, 1e-6,
                      "the result that had no value");
}

TEST_CASE("a number can be a result", "[lazy]") {
  Machine machine;
  const lazy::Tensor rate = lazy::number(0.5), twice = lazy::add(rate, rate);
  lazy_sync(machine.session, {twice, rate});
  for (const auto& [node, expected] : {std::pair(twice, 1.0), std::pair(rate, 0.5)}) {
    check::expect(node->value.defined(), "lazy_sync of x + x and x, where x is a number: " +
                                             std::string(node == rate ? "x" : "x + x") +
                                             " has no value afterwards");
    check::expect_close(node->value.item<double>(), expected, 1e-6,
                        node == rate ? "the number 0.5" : "0.5 + 0.5");
  }
}

// The operation suite over products of matrices and vectors, against three nested loops.
#include "catch.h"
#include "suite.h"

using namespace suite;
using td::Tensor;
using td::TensorList;

namespace {

// a [m, k] times b [k, n], all row-major from these places on.
void multiply(const Array& a, std::size_t from_a, const Array& b, std::size_t from_b, std::size_t m,
              std::size_t k, std::size_t n, std::vector<double>& out) {
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      double total = 0;
      for (std::size_t l = 0; l < k; ++l)
        total += a.values[from_a + i * k + l] * b.values[from_b + l * n + j];
      out.push_back(total);
    }
}

// One product of the first two arguments in these sizes.
Reference product(const std::vector<std::int64_t>& sizes, std::size_t m, std::size_t k,
                  std::size_t n) {
  return [=](const std::vector<Array>& in) {
    Array y{sizes, {}};
    multiply(in[0], 0, in[1], 0, m, k, n, y.values);
    return y;
  };
}

}  // namespace

TEST_CASE("products of matrices and vectors") {
  const Tensor a = spread({2, 3}), b = spread({3, 4}, -2, 2, 2), v = spread({3}, -2, 2, 3);
  check_operation({"mm",
                   {"input", "mat2"},
                   {a, b},
                   [](const TensorList& x) { return mm(x[0], x[1]); },
                   product({2, 4}, 2, 3, 4)});
  check_operation({"mv",
                   {"input", "vec"},
                   {a, v},
                   [](const TensorList& x) { return mv(x[0], x[1]); },
                   product({2}, 2, 3, 1)});
  check_operation({"dot",
                   {"input", "tensor"},
                   {v, spread({3}, -1, 1, 5)},
                   [](const TensorList& x) { return dot(x[0], x[1]); },
                   product({}, 1, 3, 1)});
  check_operation({"outer",
                   {"input", "vec2"},
                   {v, spread({4}, -1, 1, 5)},
                   [](const TensorList& x) { return outer(x[0], x[1]); },
                   product({3, 4}, 3, 1, 4)});
  const Reference batched = [](const std::vector<Array>& in) {
    Array y{{2, 2, 4}, {}};
    for (std::size_t i = 0; i < 2; ++i) multiply(in[0], i * 6, in[1], i * 12, 2, 3, 4, y.values);
    return y;
  };
  const TensorList stacks{spread({2, 2, 3}), spread({2, 3, 4}, -2, 2, 2)};
  check_operation({"bmm",
                   {"input", "mat2"},
                   stacks,
                   [](const TensorList& x) { return bmm(x[0], x[1]); },
                   batched});
  check_operation({"matmul",
                   {"input", "other"},
                   stacks,
                   [](const TensorList& x) { return matmul(x[0], x[1]); },
                   batched});
}

TEST_CASE("products that add") {
  const Tensor a = spread({2, 3}), b = spread({3, 4}, -2, 2, 2);
  check_operation({"addmm",
                   {"input", "mat1", "mat2"},
                   {spread({4}, -1, 1, 4), a, b},
                   [](const TensorList& x) { return addmm(x[0], x[1], x[2], 0.5, 2); },
                   [](const std::vector<Array>& in) {
                     const Array y = product({2, 4}, 2, 3, 4)({in[1], in[2]});
                     return each(y, in[0], [](double p, double x) { return 2 * p + 0.5 * x; });
                   }});
  check_operation({"linear",
                   {"input", "weight", "bias"},
                   {a, spread({4, 3}, -2, 2, 2), spread({4}, -1, 1, 4)},
                   [](const TensorList& x) { return linear(x[0], x[1], x[2]); },
                   [](const std::vector<Array>& in) {
                     Array turned{{3, 4}, {}};
                     for (std::size_t k = 0; k < 3; ++k)
                       for (std::size_t o = 0; o < 4; ++o)
                         turned.values.push_back(in[1].values[o * 3 + k]);
                     const Array y = product({2, 4}, 2, 3, 4)({in[0], turned});
                     return each(y, in[2], [](double p, double bias) { return p + bias; });
                   }});
}

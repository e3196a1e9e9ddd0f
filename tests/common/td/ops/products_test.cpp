// Products against plain float64 loops: every type, layout and device; gradients and their
// gradients against differences; the text of every error.
#include "reference.h"
#include "td/base/parallel.h"
#include "trace/recorder.h"

using namespace td;
using namespace reference;

namespace {

// a [m, k] times b [k, n], row by row.
Values product(const Values& a, const Values& b, std::int64_t m, std::int64_t k, std::int64_t n) {
  Values c(static_cast<std::size_t>(m * n), 0.0);
  for (std::int64_t i = 0; i < m; ++i)
    for (std::int64_t j = 0; j < n; ++j)
      for (std::int64_t p = 0; p < k; ++p)
        c[static_cast<std::size_t>(i * n + j)] +=
            a[static_cast<std::size_t>(i * k + p)] * b[static_cast<std::size_t>(p * n + j)];
  return c;
}

double tolerance(ScalarType dtype, std::int64_t k) {
  const double unit = dtype == kHalf       ? 1e-3
                      : dtype == kBFloat16 ? 8e-3
                      : dtype == kFloat    ? 1e-6
                                           : 0;
  return dtype == kDouble ? 1e-12 : unit * std::sqrt(static_cast<double>(k) + 1) * 4;
}

Values scaled(Values v, double factor) {
  for (double& x : v) x *= factor;
  return v;
}

}  // namespace

TEST_CASE("mm: all types, sizes and layouts on every device") {
  const std::int64_t sizes[][3] = {{1, 1, 1},  {3, 5, 2},   {17, 5, 3},  {9, 11, 10},
                                   {1, 30, 9}, {31, 33, 1}, {1, 40, 33}, {65, 70, 66}};
  for (const Device device : all_devices())
    for (const ScalarType dtype : {kFloat, kDouble, kHalf, kBFloat16, kLong, kInt, kByte})
      for (const auto& [m, k, n] : sizes) {
        INFO(device << " " << dtype << " " << m << " " << k << " " << n);
        const Tensor a = filled({m, k}, dtype).to(device), b = filled({k, n}, dtype, 2).to(device);
        Values expected = product(values(a), values(b), m, k, n);
        if (dtype == kByte)
          for (double& x : expected) x = static_cast<std::uint8_t>(static_cast<std::int64_t>(x));
        const double close = tolerance(dtype, k);
        const Tensor c = mm(a, b);
        CHECK(c.device() == device);
        CHECK(c.dtype() == dtype);
        CHECK(distance(values(c), expected) <= close);
        CHECK(distance(values(mm(strided(a), b)), expected) <= close);
        CHECK(distance(values(mm(a, strided(b))), expected) <= close);
        const Tensor ta = a.t().contiguous().t(), tb = b.t().contiguous().t();  // columns in memory
        CHECK(distance(values(mm(ta, b)), expected) <= close);
        CHECK(distance(values(mm(ta, tb)), expected) <= close);
      }
}

TEST_CASE("mm: expanded rows, parts of a larger matrix, and empty matrices") {
  for (const Device device : all_devices()) {
    const Tensor row = filled({1, 7}).to(device), b = filled({7, 3}).to(device);
    const Tensor rows = row.expand({4, 7});
    CHECK(distance(values(mm(rows, b)), product(values(rows), values(b), 4, 7, 3)) < 1e-12);
    const Tensor part = filled({9, 20}).to(device).slice(0, 2, 6).slice(1, 5, 12);
    CHECK(distance(values(mm(part, b)), product(values(part), values(b), 4, 7, 3)) < 1e-12);
    CHECK(mm(filled({0, 7}).to(device), b).sizes() == IntArrayRef({0, 3}));
    const Tensor zero = mm(filled({2, 0}).to(device), filled({0, 3}).to(device));
    CHECK(values(zero) == Values(6, 0.0));
  }
}

// Sums of no terms. cuBLAS takes no null pointers for factors, so no device's product may start.
TEST_CASE("products over no features are zeros, or what is added to them, for every type") {
  for (const Device device : all_devices())
    for (const ScalarType dtype : {kFloat, kDouble, kHalf, kBFloat16, kLong, kInt, kByte}) {
      INFO(device << " " << dtype);
      const Tensor a = filled({2, 0}, dtype).to(device), b = filled({0, 3}, dtype).to(device);
      CHECK(values(mm(a, b)) == Values(6, 0.0));
      CHECK(values(bmm(a.expand({4, 2, 0}), b.expand({4, 0, 3}))) == Values(24, 0.0));
      const Tensor c = filled({2, 3}, dtype, 3).to(device);
      CHECK(values(addmm(c, a, b)) == values(c));
      CHECK(values(addmm(c, a, b, 2, 7)) == values(c.mul(2)));
      CHECK(values(addmm(c, a, b, 0)) == Values(6, 0.0));
      const Tensor bias = filled({3}, dtype, 5).to(device), none = filled({3, 0}, dtype).to(device);
      CHECK(values(linear(a, none, bias)) == values(bias.expand({2, 3})));
      CHECK(values(linear(a, none, Tensor())) == Values(6, 0.0));
      CHECK(linear(filled({2, 4, 0}, dtype).to(device), none, bias).sizes() ==
            IntArrayRef({2, 4, 3}));
      CHECK(mm(b, filled({3, 0}, dtype).to(device)).numel() == 0);
      CHECK(mm(filled({0, 2}, dtype).to(device), c).sizes() == IntArrayRef({0, 3}));
      CHECK(bmm(filled({0, 2, 3}, dtype).to(device), filled({0, 3, 2}, dtype).to(device)).numel() ==
            0);
    }
}

TEST_CASE("a product over no features starts no product") {
  for (const Device device : all_devices()) {
    const Tensor a = filled({2, 0}).to(device), b = filled({0, 3}).to(device);
    trace::start();
    linear(a, b.t(), addmm(mm(a, b), a, b)[0]);
    for (const trace::SpanRecord& span : trace::stop().spans) {
      const std::string name = span.name;
      CHECK_FALSE((name == "mm" || name == "addmm" || name == "linear"));
    }
  }
}

TEST_CASE("the gradients of a layer without features") {
  for (const Device device : all_devices()) {
    const auto leaf = [&](const Sizes& sizes) { return filled(sizes).to(device).requires_grad_(); };
    const Tensor x = leaf({2, 0}), w = leaf({3, 0}), b = leaf({3});
    linear(x, w, b).sum().backward();
    CHECK(x.grad().sizes() == IntArrayRef({2, 0}));
    CHECK(w.grad().sizes() == IntArrayRef({3, 0}));
    CHECK(values(b.grad()) == Values(3, 2.0));
  }
}

TEST_CASE("bmm and addmm") {
  for (const Device device : all_devices()) {
    const Tensor a = filled({3, 4, 5}).to(device), b = filled({3, 5, 2}, kDouble, 2).to(device);
    const Tensor c = bmm(a, b), shared = bmm(a, b[1].expand({3, 5, 2}));
    const Tensor turned = bmm(a, b.transpose(1, 2).contiguous().transpose(1, 2));
    for (int i = 0; i < 3; ++i) {
      CHECK(distance(values(c[i]), product(values(a[i]), values(b[i]), 4, 5, 2)) < 1e-12);
      CHECK(distance(values(turned[i]), values(c[i])) < 1e-12);
      CHECK(distance(values(shared[i]), product(values(a[i]), values(b[1]), 4, 5, 2)) < 1e-12);
    }
    const Tensor bias = filled({2}, kDouble, 3).to(device);
    Values expected = scaled(product(values(a[0]), values(b[0]), 4, 5, 2), 0.5);
    for (std::size_t i = 0; i < 8; ++i) expected[i] += 3 * values(bias)[i % 2];
    CHECK(distance(values(addmm(bias, a[0], b[0], 3, 0.5)), expected) < 1e-12);
    const Tensor unread = filled({2}).to(device).fill_(NAN);  // beta 0: not read
    CHECK(distance(values(addmm(unread, a[0], b[0], 0, 0.5)),
                   scaled(product(values(a[0]), values(b[0]), 4, 5, 2), 0.5)) < 1e-12);
  }
}

TEST_CASE("matmul: what the numbers of dimensions ask for") {
  const Tensor v = filled({4}), w = filled({4}, kDouble, 2), a = filled({3, 4}), b = filled({4, 5});
  CHECK(matmul(v, w).dim() == 0);
  CHECK(distance(values(matmul(v, w)), product(values(v), values(w), 1, 4, 1)) < 1e-12);
  CHECK(matmul(a, v).sizes() == IntArrayRef({3}));
  CHECK(distance(values(matmul(a, v)), product(values(a), values(v), 3, 4, 1)) < 1e-12);
  CHECK(distance(values(mv(a, v)), product(values(a), values(v), 3, 4, 1)) < 1e-12);
  CHECK(matmul(v, b).sizes() == IntArrayRef({5}));
  CHECK(distance(values(matmul(v, b)), product(values(v), values(b), 1, 4, 5)) < 1e-12);
  CHECK(matmul(filled({2, 6, 3, 4}), b).sizes() == IntArrayRef({2, 6, 3, 5}));
  CHECK(matmul(filled({2, 6, 3, 4}), v).sizes() == IntArrayRef({2, 6, 3}));
  CHECK(matmul(v, filled({2, 6, 4, 5})).sizes() == IntArrayRef({2, 6, 5}));
  const Tensor x = filled({2, 1, 3, 4}), y = filled({6, 4, 5}, kDouble, 5), z = matmul(x, y);
  REQUIRE(z.sizes() == IntArrayRef({2, 6, 3, 5}));
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 6; ++j)
      CHECK(distance(values(z[i][j]), product(values(x[i][0]), values(y[j]), 3, 4, 5)) < 1e-12);
  CHECK(distance(values(outer(v, w)), product(values(v), values(w), 4, 1, 4)) < 1e-12);
}

TEST_CASE("linear: any number of leading sizes, with and without bias") {
  for (const Device device : all_devices())
    for (const ScalarType dtype : {kFloat, kDouble, kHalf, kBFloat16}) {
      INFO(device << " " << dtype);
      const Tensor w = filled({6, 5}, dtype, 2).to(device), b = filled({6}, dtype, 3).to(device);
      const Tensor x = filled({2, 3, 5}, dtype).to(device);
      const Values wt = values(w.t());
      Values expected = product(values(x), wt, 6, 5, 6);
      CHECK(distance(values(linear(x, w)), expected) <= tolerance(dtype, 5));
      for (std::size_t i = 0; i < expected.size(); ++i) expected[i] += values(b)[i % 6];
      const Tensor y = linear(x, w, b);
      CHECK(y.sizes() == IntArrayRef({2, 3, 6}));
      CHECK(distance(values(y), expected) <= 2 * tolerance(dtype, 5));
      CHECK(linear(x[0][0], w, b).sizes() == IntArrayRef({6}));
      CHECK(distance(values(linear(strided(x), w, strided(b))), expected) <=
            2 * tolerance(dtype, 5));
      CHECK(linear(x.slice(0, 0, 0), w, b).sizes() == IntArrayRef({0, 3, 6}));
    }
}

// Where another library, blocks of rows, or columns for each thread take over.
TEST_CASE("linear in float32: every way to compute it, with one thread and with several") {
  constexpr std::int64_t kInner = 131;
  const int width = parallel_width();
  for (const std::int64_t m : {13, 14, 27, 32, 33, 70})
    for (const std::int64_t n : {15, 96, 97, 203, 515}) {
      INFO(m << " x " << n);
      const Tensor wide = filled({m + n, 2 * kInner}, kFloat);  // rows of x and w are not adjacent
      const Tensor x = wide.slice(0, 0, m).slice(1, 0, kInner),
                   w = wide.slice(0, m).slice(1, kInner);
      const Tensor bias = filled({n}, kFloat, 3), before = filled({m, n}, kFloat, 4);
      Values with_bias = product(values(x), values(w.t()), m, kInner, n), added = with_bias;
      const Values b = values(bias), c = values(before);
      for (std::size_t i = 0; i < with_bias.size(); ++i) {
        with_bias[i] += b[i % b.size()];
        added[i] = added[i] / 2 + c[i] * 3;
      }
      for (const int threads : {1, 2, 3}) {
        set_parallel_width(threads);
        CHECK(distance(values(linear(x, w, bias)), with_bias) <= tolerance(kFloat, kInner));
        CHECK(distance(values(addmm(before, x, w.t(), 3, 0.5)), added) <=
              tolerance(kFloat, kInner));
      }
    }
  set_parallel_width(width);
}

TEST_CASE("gradients of products, and theirs") {
  for (const Device device : all_devices()) {
    INFO(device);
    const Tensor a = filled({3, 4}).to(device), b = filled({4, 2}, kDouble, 2).to(device);
    check_gradients([](const TensorList& x) { return mm(x[0], x[1]); }, {a, b});
    check_gradients([](const TensorList& x) { return addmm(x[2], x[0], x[1], 2, 0.5); },
                    {a, b, filled({2}).to(device)});
    check_gradients([](const TensorList& x) { return linear(x[0], x[1], x[2]); },
                    {a, filled({5, 4}).to(device), filled({5}).to(device)});
    check_gradients([](const TensorList& x) { return matmul(x[0], x[1]); },
                    {filled({2, 1, 3, 4}).to(device), filled({2, 4, 2}).to(device)});
    check_gradients([](const TensorList& x) { return mv(x[0], x[1]); },
                    {a, filled({4}).to(device)});
  }
}

TEST_CASE("sizes that do not fit are a clear error") {
  const Tensor a = empty({2, 3}), b = empty({4, 5});
  CHECK_THROWS_WITH(mm(a, b),
                    "mm: \"input\" of sizes [2, 3] and \"mat2\" of sizes [4, 5] do not "
                    "fit: the inner sizes 3 and 4 must be equal");
  CHECK_THROWS_WITH(mm(a, empty({3})), "mm: \"mat2\" must have 2 dimensions but has sizes [3]");
  CHECK_THROWS_AS(mm(a, empty({3, 2}, kDouble)), DtypeError);
  CHECK_THROWS_AS(mm(a, Tensor()), Error);
  CHECK_THROWS_AS(matmul(empty({2, 3, 4}), empty({3, 4, 5})), ShapeError);
  CHECK_THROWS_AS(matmul(empty({}), a), ShapeError);
  CHECK_THROWS_AS(bmm(empty({2, 3, 4}), empty({3, 4, 5})), ShapeError);
  CHECK_THROWS_AS(addmm(empty({3}), a, empty({3, 2})), ShapeError);
  CHECK_THROWS_WITH(linear(empty({4, 12}), empty({3, 10})),
                    "linear: \"input\" has 12 features but \"weight\" expects 10 (input [4, 12], "
                    "weight [3, 10]); the last size of the input must be in_features");
  CHECK_THROWS_AS(linear(a, empty({4, 3}), empty({3})), ShapeError);
  CHECK_THROWS_AS(linear(a, empty({4, 3}, kDouble)), DtypeError);
  const Device sim("sim:0");
  CHECK_THROWS_WITH(linear(a, empty({4, 3}, TensorOptions().device(sim)), {}),
                    Catch::Contains("linear: \"weight\" is on sim:0 but \"input\" is on cpu"));
  CHECK_THROWS_AS(mm(empty({2, 3}, TensorOptions().device(sim)), empty({3, 2})), DeviceError);
}

// Operations that the host computes in blocks, in the order of memory: sizes around those of the
// blocks. Expected is what one row, or one element, gives by itself.
#include "reference.h"

using namespace td;
using namespace reference;

namespace {

// The largest difference of two tensors, or NaN.
double difference(const Tensor& a, const Tensor& b) {
  return (a.to(kDouble) - b.to(kDouble)).abs().max().item<double>();
}

}  // namespace

TEST_CASE("softmax along a dimension whose elements are apart") {
  for (const Device device : {Device(kCPU), Device("sim:0")})
    for (const std::int64_t columns : {2, 255, 256, 257, 600})
      for (const ScalarType type : {kDouble, kFloat, kHalf}) {
        INFO(device << ' ' << columns << ' ' << type);
        const double bound = type == kDouble ? 1e-14 : type == kFloat ? 1e-6 : 3e-3;
        Tensor x = (filled({3, 5, columns}) * 4).to(device, type).requires_grad_();
        Tensor rows = x.detach().transpose(1, 2).contiguous().requires_grad_();
        const Tensor g = filled({3, 5, columns}, kDouble, 2).to(device, type);
        for (const bool log : {false, true}) {
          const Tensor y = log ? log_softmax(x, 1) : softmax(x, 1);
          const Tensor expected = log ? log_softmax(rows, 2) : softmax(rows, 2);
          CHECK(difference(y, expected.transpose(1, 2)) <= bound);
          x.mutable_grad() = rows.mutable_grad() = Tensor();
          y.backward(g);
          expected.backward(g.transpose(1, 2).contiguous());
          CHECK(difference(x.grad(), rows.grad().transpose(1, 2)) <= 4 * bound);
        }
      }
  const Tensor odd = td::tensor({{1.f, -INFINITY, NAN}, {2.f, 0.f, 0.f}});
  const Values y = values(softmax(odd, 0));
  CHECK(y[1] == 0);
  CHECK(y[4] == 1);
  CHECK(std::isnan(y[2]));
  CHECK(std::isnan(y[5]));
}

TEST_CASE("the index of an extreme in rows longer than a block") {
  for (const Device device : {Device(kCPU), Device("sim:0")})
    for (const ScalarType type : {kFloat, kHalf, kLong, kByte})
      for (const std::int64_t n : {1, 63, 64, 65, 200})
        for (const std::int64_t at : {std::int64_t{0}, n / 2, n - 1}) {
          INFO(device << ' ' << type << ' ' << n << ' ' << at);
          Tensor x = full({3, n}, 5, type);
          x[1][at] = 9;     // the only one
          x[2][n - 1] = 9;  // the second of two, unless at is there too
          x[2][at] = 9;
          const Tensor moved = x.to(device);
          const Values expected{0, static_cast<double>(at), static_cast<double>(at)};
          CHECK(values(argmax(moved, 1)) == expected);
          CHECK(values(argmin(moved * (type == kByte ? 1 : -1), 1))[0] == 0);
          CHECK(values(std::get<1>(max(moved, 1))) == expected);
          CHECK(values(std::get<0>(max(moved, 1))) == Values{5, 9, 9});
          CHECK(values(argmax(moved))[0] == static_cast<double>(n + at));
          CHECK(values(argmax(moved.t(), 0)) == expected);
          if (type != kFloat && type != kHalf) continue;
          x[0][at] = NAN, x[0][n - 1] = NAN;
          CHECK(values(argmax(x.to(device), 1))[0] == static_cast<double>(at));
          CHECK(values(argmin(x.to(device), 1))[0] == static_cast<double>(at));
        }
  CHECK(values(argmax(td::tensor({-0.f, 0.f})))[0] == 0);
}

TEST_CASE("gather and scatter along a dimension whose elements are apart") {
  for (const Device device : {Device(kCPU), Device("sim:0")})
    for (const std::int64_t columns : {1, 2, 63, 64, 65, 150}) {
      INFO(device << ' ' << columns);
      const Tensor index = (arange(2 * 7 * columns) * 5).remainder(4).view({2, 7, columns});
      const Tensor x = filled({2, 4, columns + 1}).to(device), source = filled({2, 7, columns});
      const Tensor got = gather(x, 1, index.to(device)).cpu();
      const Tensor sums = scatter_add(x, 1, index.to(device), source.to(device)).cpu();
      const Tensor last = scatter(x, 1, index.to(device), source.to(device)).cpu();
      Tensor expected = empty({2, 7, columns}, kDouble), added = x.cpu().clone(),
             written = x.cpu().clone();
      for (std::int64_t i = 0; i < 2; ++i)
        for (std::int64_t j = 0; j < 7; ++j)
          for (std::int64_t k = 0; k < columns; ++k) {
            const auto to = index[i][j][k].item<std::int64_t>();
            expected[i][j][k] = x.cpu()[i][to][k];
            added[i][to][k] += source[i][j][k];
            written[i][to][k] = source[i][j][k];
          }
      CHECK(equal(got, expected));
      CHECK(equal(sums, added));
      CHECK(equal(last, written));
    }
}

TEST_CASE("mse_loss of operands with the same strides, and with others") {
  const Tensor a = filled({4, 30, 50}, kDouble, 1).transpose(0, 2);
  const Tensor b = filled({4, 30, 50}, kDouble, 2).transpose(0, 2);
  const double expected = (a - b).square().mean().item<double>();
  for (const Tensor& x : {a, a.contiguous()})
    for (const Tensor& y : {b, b.contiguous()}) {
      Tensor leaf = x.detach().requires_grad_();
      const Tensor loss = mse_loss(leaf, y);
      CHECK(loss.item<double>() == Approx(expected).epsilon(1e-12));
      loss.backward();
      CHECK(difference(leaf.grad(), (a - b) * (2.0 / 6000)) < 1e-15);
    }
}

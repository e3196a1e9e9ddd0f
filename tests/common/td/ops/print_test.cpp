// Printing: the exact text. The expected texts are PyTorch 1.13.1's own output for the same tensors
// (device suffixes of sim excepted: PyTorch has no such device).
#include <cmath>
#include <sstream>

#include "catch.h"
#include "td/ops/ops.h"

using namespace td;

namespace {

std::string text(const Tensor& t) {
  std::ostringstream out;
  out << t;
  return out.str();
}

}  // namespace

TEST_CASE("numbers: whole, with four digits, scientific") {
  CHECK(text(tensor({1., 2., 3.})) == "tensor([1., 2., 3.])");
  CHECK(text(tensor({1.5, 2.25, -3.0})) == "tensor([ 1.5000,  2.2500, -3.0000])");
  CHECK(text(tensor(3.25)) == "tensor(3.2500)");
  CHECK(text(tensor({1e-5, 1.})) == "tensor([1.0000e-05, 1.0000e+00])");
  CHECK(text(tensor({1000., 1.})) == "tensor([1000.,    1.])");
  CHECK(text(tensor({1001., 1.})) == "tensor([1.0010e+03, 1.0000e+00])");
  CHECK(text(tensor({0., 0.})) == "tensor([0., 0.])");
  CHECK(text(tensor({0.5, double(NAN), -double(INFINITY)})) == "tensor([0.5000,    nan,   -inf])");
  CHECK(text(tensor({1., double(NAN), -double(INFINITY)})) == "tensor([1., nan, -inf])");
}

TEST_CASE("types that the values do not show are printed") {
  CHECK(text(tensor({true, false})) == "tensor([ True, False])");
  CHECK(text(tensor({{1, 2}, {3, 40}})) == "tensor([[ 1,  2],\n        [ 3, 40]])");
  CHECK(text(tensor({1, 2}, kInt32)) == "tensor([1, 2], dtype=torch.int32)");
  CHECK(text(tensor({1., 2.}, kFloat64)) == "tensor([1., 2.], dtype=torch.float64)");
  CHECK(text(tensor({1.5, 2.}, kBFloat16)) == "tensor([1.5000, 2.0000], dtype=torch.bfloat16)");
}

TEST_CASE("tensors without elements") {
  CHECK(text(tensor({})) == "tensor([])");
  CHECK(text(zeros({0, 3})) == "tensor([], size=(0, 3))");
  CHECK(text(zeros({0}, kInt64)) == "tensor([], dtype=torch.int64)");
  CHECK(text(zeros({2, 0}, kInt64)) == "tensor([], size=(2, 0), dtype=torch.int64)");
}

TEST_CASE("devices and graphs") {
  CHECK(text(tensor({1., 2.}, Device("sim:0"))) == "tensor([1., 2.], device='sim:0')");
  const Tensor a = tensor({1., 2.}, requires_grad());
  CHECK(text(a) == "tensor([1., 2.], requires_grad=True)");
  CHECK(text(a + 1) == "tensor([2., 3.], grad_fn=<AddBackward0>)");
  CHECK(text((a * 2).sum()) == "tensor(6., grad_fn=<SumBackward0>)");
  CHECK(text((a * 2).sum(0)) == "tensor(6., grad_fn=<SumBackward1>)");
  CHECK(text(stack({a, a}).max()) == "tensor(2., grad_fn=<MaxBackward1>)");
  CHECK(stack({a, a}).grad_fn()->name() == "StackBackward0");
  CHECK(text((a + 1).to("sim:0")) == "tensor([2., 3.], device='sim:0', grad_fn=<ToCopyBackward0>)");
  CHECK(text(arange(12.).reshape({2, 6}).requires_grad_() * 1.23456) ==
        "tensor([[ 0.0000,  1.2346,  2.4691,  3.7037,  4.9382,  6.1728],\n"
        "        [ 7.4074,  8.6419,  9.8765, 11.1110, 12.3456, 13.5802]],\n"
        "       grad_fn=<MulBackward0>)");
}

TEST_CASE("long lines break, large tensors show their edges") {
  CHECK(text(arange(-5, 25)) ==
        "tensor([-5, -4, -3, -2, -1,  0,  1,  2,  3,  4,  5,  6,  7,  8,  9, 10, 11, 12,\n"
        "        13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24])");
  CHECK(text(arange(1001)) == "tensor([   0,    1,    2,  ...,  998,  999, 1000])");
  CHECK(text(arange(10000.).reshape({100, 100})) ==
        "tensor([[0.0000e+00, 1.0000e+00, 2.0000e+00,  ..., 9.7000e+01, 9.8000e+01,\n"
        "         9.9000e+01],\n"
        "        [1.0000e+02, 1.0100e+02, 1.0200e+02,  ..., 1.9700e+02, 1.9800e+02,\n"
        "         1.9900e+02],\n"
        "        [2.0000e+02, 2.0100e+02, 2.0200e+02,  ..., 2.9700e+02, 2.9800e+02,\n"
        "         2.9900e+02],\n"
        "        ...,\n"
        "        [9.7000e+03, 9.7010e+03, 9.7020e+03,  ..., 9.7970e+03, 9.7980e+03,\n"
        "         9.7990e+03],\n"
        "        [9.8000e+03, 9.8010e+03, 9.8020e+03,  ..., 9.8970e+03, 9.8980e+03,\n"
        "         9.8990e+03],\n"
        "        [9.9000e+03, 9.9010e+03, 9.9020e+03,  ..., 9.9970e+03, 9.9980e+03,\n"
        "         9.9990e+03]])");
  CHECK(text(arange(12).reshape({2, 3, 2})) ==
        "tensor([[[ 0,  1],\n         [ 2,  3],\n         [ 4,  5]],\n\n"
        "        [[ 6,  7],\n         [ 8,  9],\n         [10, 11]]])");
}

// Reductions and channel sums on a GPU, against the host in double: shapes for each path of
// reduce_cuda.h. tests/common/td/backends/cuda/reduce_plan_test.cpp tests the plans.
#include <cmath>
#include <cstring>
#include <string>

#include "catch.h"
#include "gpu.h"
#include "td/ops/ops.h"
#include "td_more/td_more.h"

namespace td {
namespace {

struct Shape {
  const char* way;
  Sizes sizes;
  Sizes dims;
};

const Shape kShapes[] = {
    {"rows, one block each", {700, 768}, {1}},
    {"short rows, many to a block", {5000, 16}, {1}},
    {"rows in pieces", {3, 1000003}, {1}},
    {"everything, in pieces", {4, 512, 513}, {0, 1, 2}},
    {"columns in pieces", {8192, 768}, {0}},
    {"columns that do not fill a tile", {8192, 33}, {0}},
    {"few columns in pieces", {300000, 5}, {0}},
    {"short columns", {6, 100000}, {0}},
    {"two loops", {64, 32, 24, 24}, {0, 2, 3}},
    {"columns within an outer dimension", {20, 3000, 40}, {1}},
    {"three loops", {30, 3, 40, 3, 50}, {0, 2, 4}},
    {"nothing to combine", {0, 5}, {0}},
};

double difference(const Tensor& on_gpu, const Tensor& expected) {
  REQUIRE(on_gpu.sizes() == expected.sizes());
  if (expected.numel() == 0) return 0;
  const Tensor got = on_gpu.cpu().to(kDouble), want = expected.to(kDouble);
  return ((got - want).abs() / (want.abs() + 1)).max().item<double>();
}

bool same_bytes(const Tensor& a, const Tensor& b) {
  const Tensor x = a.cpu(), y = b.cpu();
  return std::memcmp(x.data_ptr(), y.data_ptr(), x.nbytes()) == 0;
}

TEST_CASE("reductions agree with the host's in double, for every shape") {
  manual_seed(1);
  for (const Shape& shape : kShapes) {
    const Tensor x = randn(shape.sizes) + 0.5, wide = x.to(kDouble), on = x.to(gpu::device());
    INFO(shape.way);
    CHECK(difference(on.sum(shape.dims), wide.sum(shape.dims)) < 1e-5);
    CHECK(same_bytes(on.sum(shape.dims), on.sum(shape.dims)));
    if (x.numel() == 0) continue;
    CHECK(difference(on.var(shape.dims), wide.var(shape.dims)) < 1e-5);
    const Tensor far = x + 4096;  // a mean that is large compared with the distances from it
    CHECK(difference(far.to(gpu::device()).var(shape.dims), far.to(kDouble).var(shape.dims)) <
          1e-5);
    CHECK(difference(on.amax(shape.dims), wide.amax(shape.dims)) == 0);
    CHECK(difference(on.to(kBFloat16).amin(shape.dims), x.to(kBFloat16).amin(shape.dims)) == 0);
    const Tensor whole = (x * 3).to(kInt64);
    CHECK(same_bytes(whole.to(gpu::device()).sum(shape.dims), whole.sum(shape.dims)));
    if (shape.dims.size() == 1) {
      const std::int64_t dim = shape.dims[0];
      CHECK(
          same_bytes(whole.to(gpu::device()).argmax(dim), whole.argmax(dim)));  // the first of many
    }
  }
}

TEST_CASE("reductions of transposed and sliced tensors") {
  const Tensor x = randn({300, 70, 41}), wide = x.to(kDouble), on = x.to(gpu::device());
  for (const Sizes& dims : {Sizes{0}, Sizes{1}, Sizes{2}, Sizes{0, 2}, Sizes{0, 1, 2}}) {
    const Sizes order = {2, 0, 1};
    CHECK(difference(on.permute(order).sum(dims), wide.permute(order).sum(dims)) < 1e-5);
    CHECK(difference(on.narrow(1, 3, 50).sum(dims), wide.narrow(1, 3, 50).sum(dims)) < 1e-5);
  }
}

TEST_CASE("NaN and infinity reach the result") {
  const Tensor x = randn({2, 100000});
  x.select(0, 0).narrow(0, 77777, 1).fill_(std::nan(""));
  x.select(0, 1).fill_(-INFINITY);
  const Tensor largest = x.to(gpu::device()).amax(1).cpu();
  CHECK(std::isnan(largest.select(0, 0).item<float>()));
  CHECK(largest.select(0, 1).item<float>() == -INFINITY);
  CHECK(x.to(gpu::device()).argmax(1).cpu().select(0, 0).item<std::int64_t>() == 77777);
}

// All results of batch_norm and its backward pass, in one list.
TensorList normalised(const Tensor& x, const Tensor& g) {
  const TensorOptions like = TensorOptions(x.dtype()).device(x.device());
  const Tensor in = x.detach().requires_grad_();
  const Tensor weight = (ones({x.size(1)}, like) * 1.5).requires_grad_();
  const Tensor bias = ones({x.size(1)}, like).requires_grad_();
  const Tensor mean = zeros({x.size(1)}, like), var = ones({x.size(1)}, like);
  const Tensor out = batch_norm(in, weight, bias, mean, var, true, 0.1, 1e-5);
  out.backward(g);
  return {out.detach(), mean, var, in.grad(), weight.grad(), bias.grad()};
}

TEST_CASE("batch_norm by channel and by pixel, forward and backward") {
  for (const Sizes& sizes : {Sizes{64, 32, 24, 24}, Sizes{5, 3, 7, 7}, Sizes{9, 300, 2, 3}})
    for (const bool last : {false, true}) {
      INFO(sizes[1] << " channels" << (last ? ", channels last" : ""));
      Tensor x = randn(sizes) + 2, g = randn(sizes);
      const TensorList expected = normalised(x.to(kDouble), g.to(kDouble));
      if (last) x = x.to(MemoryFormat::ChannelsLast), g = g.to(MemoryFormat::ChannelsLast);
      const TensorList got = normalised(x.to(gpu::device()), g.to(gpu::device()));
      const TensorList again = normalised(x.to(gpu::device()), g.to(gpu::device()));
      for (std::size_t i = 0; i < got.size(); ++i) {
        INFO("result " << i);
        CHECK(difference(got[i], expected[i]) < 1e-3);
        CHECK(same_bytes(got[i], again[i]));
      }
    }
}

// A row along dimension 1 of many images belongs to one thread, one of few images to a warp.
TEST_CASE("softmax and cross entropy over the channels of images") {
  for (const Sizes& sizes : {Sizes{3, 21, 80, 81}, Sizes{2, 5, 3, 7}, Sizes{2, 1500, 20, 20}}) {
    INFO(sizes[1] << " channels");
    const Tensor x = randn(sizes) * 3, wide = x.to(kDouble), weight = rand({sizes[1]});
    CHECK(difference(softmax(x.to(gpu::device()), 1), softmax(wide, 1)) < 1e-5);
    CHECK(difference(log_softmax(x.to(gpu::device()), 1), log_softmax(wide, 1)) < 1e-5);
    Tensor target = randint(sizes[1], {sizes[0], sizes[2], sizes[3]}, kInt64);
    target = target.masked_fill(rand(target.sizes()).lt(0.1), -100);
    const auto results = [&](Tensor in) -> TensorList {
      in.requires_grad_();
      const Tensor w = weight.to(in.device()).to(in.dtype());
      const Tensor loss = cross_entropy_loss(in, target.to(in.device()), w, kMean, -100, 0.1);
      loss.backward();
      return {loss.detach(), in.grad()};
    };
    const TensorList got = results(x.to(gpu::device())), want = results(wide.clone());
    CHECK(difference(got[0], want[0]) < 1e-5);
    CHECK(difference(got[1], want[1]) < 1e-5);
  }
}

TEST_CASE("layer_norm's gradients of weight and bias") {
  for (const Sizes& sizes : {Sizes{8192, 768}, Sizes{7, 33}, Sizes{100000, 8}}) {
    const Tensor x = randn(sizes), g = randn(sizes);
    const auto gradients = [&](ScalarType dtype, Device device) -> TensorList {
      const TensorOptions like = TensorOptions(dtype).device(device);
      const Tensor weight = ones({sizes[1]}, like).requires_grad_();
      const Tensor bias = zeros({sizes[1]}, like).requires_grad_();
      layer_norm(x.to(device).to(dtype), {sizes[1]}, weight, bias).backward(g.to(device).to(dtype));
      return {weight.grad(), bias.grad()};
    };
    const TensorList got = gradients(kFloat, gpu::device()), want = gradients(kDouble, kCPU);
    CHECK(difference(got[0], want[0]) < 1e-4);
    CHECK(difference(got[1], want[1]) < 1e-4);
  }
}

}  // namespace
}  // namespace td

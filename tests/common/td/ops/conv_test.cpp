// conv2d against seven plain float64 loops: layouts, types, groups, devices; gradients and theirs
// against differences; the text of every error.
#include "reference.h"

using namespace td;
using namespace reference;

namespace {

struct Case {
  std::vector<std::int64_t> input, weight, stride{1, 1}, padding{0, 0}, dilation{1, 1};
  std::int64_t groups = 1;
};

const std::vector<Case> kCases{
    {{2, 3, 5, 6}, {4, 3, 3, 3}},
    {{1, 1, 4, 4}, {1, 1, 1, 1}},
    {{2, 6, 9, 7}, {17, 6, 5, 3}, {2, 1}, {2, 1}},
    {{3, 4, 8, 8}, {6, 2, 3, 3}, {1, 2}, {1, 1}, {2, 1}, 2},
    {{2, 33, 4, 5}, {33, 1, 3, 3}, {1, 1}, {1, 1}, {1, 1}, 33},
};

struct Expected {
  Values output, grad_input, grad_weight, grad_bias;
  std::vector<std::int64_t> sizes;
};

// Output, and the gradients of sum(output * g); g has the output's sizes.
Expected loops(const Case& c, const Values& x, const Values& w, const Values& b, const Values& g) {
  const auto size = [&](int d) {
    return (c.input[d + 2] + 2 * c.padding[d] - c.dilation[d] * (c.weight[d + 2] - 1) - 1) /
               c.stride[d] +
           1;
  };
  const std::int64_t n = c.input[0], channels = c.weight[1], k = c.weight[0], oh = size(0),
                     ow = size(1);
  const std::int64_t h = c.input[2], width = c.input[3], r = c.weight[2], s = c.weight[3];
  Expected e{
      Values(n * k * oh * ow), Values(x.size()), Values(w.size()), Values(k), {n, k, oh, ow}};
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t o = 0; o < k; ++o)
      for (std::int64_t y = 0; y < oh; ++y)
        for (std::int64_t z = 0; z < ow; ++z) {
          const std::size_t at = ((i * k + o) * oh + y) * ow + z;
          e.output[at] = b.empty() ? 0 : b[o];
          if (!g.empty()) e.grad_bias[o] += g[at];
          for (std::int64_t ch = 0; ch < channels; ++ch)
            for (std::int64_t p = 0; p < r; ++p)
              for (std::int64_t q = 0; q < s; ++q) {
                const std::int64_t row = y * c.stride[0] - c.padding[0] + p * c.dilation[0];
                const std::int64_t column = z * c.stride[1] - c.padding[1] + q * c.dilation[1];
                if (row < 0 || row >= h || column < 0 || column >= width) continue;
                const std::int64_t from = o / (k / c.groups) * channels + ch;
                const std::size_t in = ((i * c.input[1] + from) * h + row) * width + column;
                const std::size_t we = ((o * channels + ch) * r + p) * s + q;
                e.output[at] += x[in] * w[we];
                if (g.empty()) continue;
                e.grad_input[in] += g[at] * w[we];
                e.grad_weight[we] += g[at] * x[in];
              }
        }
  return e;
}

Tensor run(const Case& c, const Tensor& x, const Tensor& w, const Tensor& b) {
  return conv2d(x, w, b, c.stride, c.padding, c.dilation, c.groups);
}

double tolerance(ScalarType dtype) {
  return dtype == kDouble ? 1e-11 : dtype == kFloat ? 2e-4 : dtype == kHalf ? 3e-2 : 0.25;
}

void check_case(const Case& c, Device device, ScalarType dtype, MemoryFormat of_x,
                MemoryFormat of_w) {
  const Tensor x = filled(c.input, dtype).to(device).to(of_x).detach().requires_grad_();
  const Tensor w = filled(c.weight, dtype, 2).to(device).to(of_w).detach().requires_grad_();
  const Tensor b = filled({c.weight[0]}, dtype, 3).to(device).requires_grad_();
  const Tensor y = run(c, x, w, b);
  const Tensor g = filled(y.sizes(), dtype, 4).to(device);
  const Expected e = loops(c, values(x), values(w), values(b), values(g));
  const double close = tolerance(dtype);
  CHECK(y.sizes() == IntArrayRef(e.sizes));
  CHECK(y.dtype() == dtype);
  CHECK(y.device() == device);
  if (!x.is_contiguous() && !y.is_contiguous()) CHECK(y.is_contiguous(MemoryFormat::ChannelsLast));
  if (of_x == MemoryFormat::Contiguous && of_w == of_x) CHECK(y.is_contiguous());
  CHECK(distance(values(y), e.output) < close);
  y.backward(g);
  CHECK(distance(values(x.grad()), e.grad_input) < close);
  CHECK(distance(values(w.grad()), e.grad_weight) < close);
  CHECK(distance(values(b.grad()), e.grad_bias) < close);
  const Expected plain = loops(c, values(x), values(w), {}, {});
  CHECK(distance(values(run(c, x, w, {})), plain.output) < close);
}

}  // namespace

TEST_CASE("conv2d and its gradients: every case, type, layout and device") {
  for (const Device device : all_devices())
    for (std::size_t i = 0; i < kCases.size(); ++i)
      for (const ScalarType dtype : {kFloat, kDouble, kHalf, kBFloat16})
        for (const MemoryFormat x : {MemoryFormat::Contiguous, MemoryFormat::ChannelsLast})
          for (const MemoryFormat w : {MemoryFormat::Contiguous, MemoryFormat::ChannelsLast}) {
            INFO(device << " case " << i << " " << dtype << (x == w ? "" : " mixed layouts")
                        << (x == MemoryFormat::ChannelsLast ? " channels last" : ""));
            check_case(kCases[i], device, dtype, x, w);
          }
}

TEST_CASE("conv2d keeps channels last") {
  const Tensor x = filled({2, 3, 6, 6}, kFloat).to(MemoryFormat::ChannelsLast);
  const Tensor w = filled({4, 3, 3, 3}, kFloat).requires_grad_();
  const Tensor y = conv2d(x, w, {}, 1, 1);
  CHECK(y.is_contiguous(MemoryFormat::ChannelsLast));
  CHECK_FALSE(y.is_contiguous());
  CHECK(conv2d(x.contiguous(), w.detach().to(MemoryFormat::ChannelsLast))
            .is_contiguous(MemoryFormat::ChannelsLast));
}

TEST_CASE("conv2d: one image, strided arguments, an empty batch, another width of threads") {
  const Case c = kCases[0];
  for (const Device device : all_devices()) {
    const Tensor x = filled(c.input, kFloat).to(device), w = filled(c.weight, kFloat, 2).to(device);
    const Values expected = loops(c, values(x), values(w), {}, {}).output;
    CHECK(distance(values(conv2d(strided(x), strided(w))), expected) < 1e-4);
    const Tensor one = conv2d(x[1], w);
    CHECK(one.dim() == 3);
    CHECK(distance(values(one), Values(expected.begin() + static_cast<long>(expected.size() / 2),
                                       expected.end())) < 1e-4);
    const Tensor none = x.slice(0, 0, 0).detach().requires_grad_(),
                 weight = w.detach().clone().requires_grad_();
    const Tensor y = conv2d(none, weight);
    CHECK(y.sizes() == IntArrayRef({0, 4, 3, 4}));
    y.sum().backward();
    CHECK(values(weight.grad()) == Values(static_cast<std::size_t>(w.numel()), 0.0));
  }
}

TEST_CASE("gradients of conv2d's gradients") {
  for (const Device device : all_devices()) {
    INFO(device);
    const Tensor x = filled({2, 2, 4, 3}).to(device),
                 w = filled({2, 1, 2, 2}, kDouble, 2).to(device);
    check_gradients(
        [](const TensorList& in) {
          return conv2d(in[0], in[1], in[2], {2, 1}, 1, 1, 2);
        },
        {x, w, filled({2}).to(device)});
  }
}

TEST_CASE("invalid arguments of conv2d are errors that name them") {
  const Tensor x = empty({2, 3, 8, 8}), w = empty({4, 3, 3, 3});
  CHECK_THROWS_WITH(
      conv2d(empty({2, 1, 8, 8}), w),
      "conv2d: \"input\" has 1 channels but \"weight\" of sizes [4, 3, 3, 3] expects 3; "
      "make in_channels of the layer equal to the input's channels");
  CHECK_THROWS_WITH(
      conv2d(empty({2, 3, 2, 8}), w),
      "conv2d: the kernel reaches over 3 pixels but the height of \"input\" is 2 plus 0 "
      "of padding on each side; enlarge the padding or the input");
  CHECK_THROWS_AS(conv2d(empty({3, 8}), w), ShapeError);
  CHECK_THROWS_AS(conv2d(x, empty({4, 3, 3})), ShapeError);
  CHECK_THROWS_AS(conv2d(x, w, empty({5})), ShapeError);
  CHECK_THROWS_AS(conv2d(x, w, {}, 0), ShapeError);
  CHECK_THROWS_AS(conv2d(x, w, {}, 1, -1), ShapeError);
  CHECK_THROWS_AS(conv2d(x, w, {}, {1, 1, 1}), ShapeError);
  CHECK_THROWS_AS(conv2d(x, empty({4, 1, 3, 3}), {}, 1, 0, 1, 0), ShapeError);
  CHECK_THROWS_AS(conv2d(empty({2, 6, 8, 8}), empty({5, 3, 3, 3}), {}, 1, 0, 1, 2), ShapeError);
  CHECK_THROWS_AS(conv2d(x, w.to(kDouble)), DtypeError);
  CHECK_THROWS_AS(conv2d(x.to(kLong), w.to(kLong)), DtypeError);
  CHECK_THROWS_WITH(conv2d(x, w.to("sim:0")),
                    Catch::Contains("conv2d: \"weight\" is on sim:0 but \"input\" is on cpu"));
}

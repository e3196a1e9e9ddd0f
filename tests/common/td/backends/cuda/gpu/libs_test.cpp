// Products and convolutions of cuBLAS and cuDNN against plain loops. All values are small integers:
// products must be exact in every type, and a wrong convolution is off by one at least.
#include <cmath>

#include "catch.h"
#include "gpu.h"
#include "td/td.h"

namespace td {
namespace {

template <class T>
void check_gemm(ScalarType dtype, bool transpose_a, bool transpose_b, std::int64_t batch) {
  constexpr std::int64_t m = 33, n = 17, k = 31;
  const auto a = gpu::whole_numbers<T>(batch * m * k, 1),
             b = gpu::whole_numbers<T>(batch * k * n, 2);
  const auto c = gpu::whole_numbers<T>(batch * m * n, 3);
  const gpu::Array<T> on_a(a), on_b(b), on_c(c);
  cuda::Gemm gemm;
  gemm.dtype = dtype;
  gemm.transpose_a = transpose_a, gemm.transpose_b = transpose_b;
  gemm.m = m, gemm.n = n, gemm.k = k, gemm.batch = batch;
  gemm.lda = transpose_a ? m : k, gemm.ldb = transpose_b ? k : n, gemm.ldc = n;
  gemm.stride_a = m * k, gemm.stride_b = k * n, gemm.stride_c = m * n;
  gemm.alpha = 2, gemm.beta = -1;
  cuda::libs().gemm(gemm, on_a.data(), on_b.data(), on_c.data(), {0, gpu::stream()});
  const std::vector<T> result = on_c.host();
  int wrong = 0;
  for (std::int64_t p = 0; p < batch; ++p)
    for (std::int64_t i = 0; i < m; ++i)
      for (std::int64_t j = 0; j < n; ++j) {
        double sum = 0;
        for (std::int64_t l = 0; l < k; ++l)
          sum += double(float(a[p * m * k + (transpose_a ? l * m + i : i * k + l)])) *
                 double(float(b[p * k * n + (transpose_b ? j * k + l : l * n + j)]));
        const std::int64_t at = p * m * n + i * n + j;
        const T expected = static_cast<T>(static_cast<float>(2 * sum - double(float(c[at]))));
        if (float(result[at]) != float(expected)) ++wrong;
      }
  CHECK(wrong == 0);
}

TEST_CASE("cuBLAS multiplies row-major matrices as plain loops do") {
  for (const bool ta : {false, true})
    for (const bool tb : {false, true})
      for (const std::int64_t batch : {1, 5}) {
        check_gemm<float>(kFloat, ta, tb, batch);
        check_gemm<double>(kDouble, ta, tb, batch);
        check_gemm<Half>(kHalf, ta, tb, batch);
        check_gemm<BFloat16>(kBFloat16, ta, tb, batch);
      }
}

// Where cuBLASLt declines, nothing may be done; float32 and the 16-bit types are what it is for.
template <class T>
bool check_gemm_with_bias(ScalarType dtype, std::int64_t m, std::int64_t n, std::int64_t k) {
  const auto a = gpu::whole_numbers<T>(m * k, 1), b = gpu::whole_numbers<T>(n * k, 2);
  const auto bias = gpu::whole_numbers<T>(n, 3), before = gpu::whole_numbers<T>(m * n, 4);
  const gpu::Array<T> on_a(a), on_b(b), on_bias(bias), on_c(before);
  cuda::Gemm gemm;
  gemm.dtype = dtype;
  gemm.transpose_b = true;  // as a layer's weight [n, k] is read
  gemm.m = m, gemm.n = n, gemm.k = k, gemm.lda = gemm.ldb = k, gemm.ldc = n;
  const bool done = cuda::libs().gemm_with_bias(gemm, on_a.data(), on_b.data(), on_bias.data(),
                                                on_c.data(), {0, gpu::stream()});
  const std::vector<T> result = on_c.host();
  int wrong = 0;
  for (std::int64_t i = 0; i < m; ++i)
    for (std::int64_t j = 0; j < n; ++j) {
      float sum = float(bias[j]);
      for (std::int64_t l = 0; l < k; ++l) sum += float(a[i * k + l]) * float(b[j * k + l]);
      const T expected = done ? static_cast<T>(sum) : before[i * n + j];
      if (float(result[i * n + j]) != float(expected)) ++wrong;
    }
  CHECK(wrong == 0);
  return done;
}

TEST_CASE("cuBLASLt adds the bias of a layer in the product's own pass") {
  const std::int64_t sizes[][3] = {{64, 120, 400}, {33, 17, 31}, {1, 10, 84}, {128, 1, 64}};
  for (const auto& [m, n, k] : sizes) {
    INFO(m << " x " << n << " x " << k);
    const bool layer_of_lenet = k == 400;
    CHECK((check_gemm_with_bias<float>(kFloat, m, n, k) || !layer_of_lenet));
    CHECK((check_gemm_with_bias<Half>(kHalf, m, n, k) || !layer_of_lenet));
    CHECK((check_gemm_with_bias<BFloat16>(kBFloat16, m, n, k) || !layer_of_lenet));
    check_gemm_with_bias<double>(kDouble, m, n, k);
  }
}

// Sizes of one convolution in both memory orders.
struct Place {
  const cuda::Conv2d& conv;
  std::size_t input(int n, int c, int h, int w) const {
    return at(n, c, h, w, conv.c, conv.h, conv.w);
  }
  std::size_t output(int n, int k, int h, int w) const {
    return at(n, k, h, w, conv.k, conv.oh, conv.ow);
  }
  std::size_t weight(int k, int c, int r, int s) const {
    return at(k, c, r, s, conv.c / conv.groups, conv.r, conv.s);
  }
  std::size_t at(int a, int b, int c, int d, int bs, int cs, int ds) const {
    return static_cast<std::size_t>(conv.channels_last ? ((a * cs + c) * ds + d) * bs + b
                                                       : ((a * bs + b) * cs + c) * ds + d);
  }
};

// Calls f(output place, input place, weight place) for every product of the convolution.
template <class F>
void each_product(const cuda::Conv2d& v, F f) {
  const Place place{v};
  const int per_group = v.c / v.groups;
  for (int n = 0; n < v.n; ++n)
    for (int k = 0; k < v.k; ++k)
      for (int y = 0; y < v.oh; ++y)
        for (int x = 0; x < v.ow; ++x)
          for (int c = 0; c < per_group; ++c)
            for (int r = 0; r < v.r; ++r)
              for (int s = 0; s < v.s; ++s) {
                const int h = y * v.stride_h - v.padding_h + r * v.dilation_h;
                const int w = x * v.stride_w - v.padding_w + s * v.dilation_w;
                if (h < 0 || h >= v.h || w < 0 || w >= v.w) continue;
                const int channel = k / (v.k / v.groups) * per_group + c;
                f(place.output(n, k, y, x), place.input(n, channel, h, w),
                  place.weight(k, c, r, s));
              }
}

// cuDNN may take an algorithm that rounds on the way (Winograd's), so a little is allowed for.
template <class T>
int differences(const std::vector<T>& found, const std::vector<double>& expected) {
  const double relative = sizeof(T) == 2 ? 0.01 : 1e-5;
  int wrong = 0;
  for (std::size_t i = 0; i < found.size(); ++i)
    if (!(std::abs(double(float(found[i])) - expected[i]) <=
          0.05 + relative * std::abs(expected[i])))
      ++wrong;
  return wrong;
}

template <class T>
void check_conv(const cuda::Conv2d& v) {
  const std::size_t inputs = std::size_t(v.n) * v.c * v.h * v.w;
  const std::size_t outputs = std::size_t(v.n) * v.k * v.oh * v.ow;
  const std::size_t weights = std::size_t(v.k) * (v.c / v.groups) * v.r * v.s;
  const auto x = gpu::whole_numbers<T>(inputs, 1), w = gpu::whole_numbers<T>(weights, 2);
  const auto g = gpu::whole_numbers<T>(outputs, 3);
  std::vector<double> y(outputs), gx(inputs), gw(weights);
  each_product(v, [&](std::size_t o, std::size_t i, std::size_t j) {
    y[o] += double(float(x[i])) * double(float(w[j]));
    gx[i] += double(float(g[o])) * double(float(w[j]));
    gw[j] += double(float(g[o])) * double(float(x[i]));
  });
  const gpu::Array<T> on_x(x), on_w(w), on_g(g), on_y(outputs), on_gx(inputs), on_gw(weights);
  const cuda::Where where{0, gpu::stream()};
  cuda::libs().conv2d(cuda::ConvKind::kForward, v, on_x.data(), on_w.data(), on_y.data(), where);
  cuda::libs().conv2d(cuda::ConvKind::kBackwardInput, v, on_g.data(), on_w.data(), on_gx.data(),
                      where);
  cuda::libs().conv2d(cuda::ConvKind::kBackwardWeight, v, on_g.data(), on_x.data(), on_gw.data(),
                      where);
  CHECK(differences(on_y.host(), y) == 0);
  CHECK(differences(on_gx.host(), gx) == 0);
  CHECK(differences(on_gw.host(), gw) == 0);
}

cuda::Conv2d small_conv(bool channels_last, int stride, int padding, int dilation, int groups) {
  cuda::Conv2d v;
  v.channels_last = channels_last;
  v.n = 3, v.c = 8, v.h = 11, v.w = 9, v.k = 16, v.r = 3, v.s = 3;
  v.stride_h = v.stride_w = stride, v.padding_h = v.padding_w = padding;
  v.dilation_h = v.dilation_w = dilation, v.groups = groups;
  v.oh = (v.h + 2 * padding - dilation * (v.r - 1) - 1) / stride + 1;
  v.ow = (v.w + 2 * padding - dilation * (v.s - 1) - 1) / stride + 1;
  return v;
}

TEST_CASE("cuDNN convolves as plain loops do, in both memory formats") {
  const bool bfloat16 = backend(kCUDA).compute_capability(0) >= 80;
  for (const bool channels_last : {false, true})
    for (const int stride : {1, 2})
      for (const int padding : {0, 1}) {
        cuda::Conv2d v = small_conv(channels_last, stride, padding, 1, 1);
        check_conv<float>(v);
        v.dtype = kHalf;
        check_conv<Half>(v);
        v.dtype = kBFloat16;
        if (bfloat16) check_conv<BFloat16>(v);
      }
  cuda::Conv2d v = small_conv(false, 1, 1, 1, 1);
  v.dtype = kDouble;
  check_conv<double>(v);
  check_conv<float>(small_conv(false, 1, 2, 2, 1));
  check_conv<float>(small_conv(false, 1, 1, 1, 2));
}

TEST_CASE("every algorithm that a benchmark may keep convolves as plain loops do") {
  for (const bool channels_last : {false, true})
    for (const int stride : {1, 2}) {
      cuda::Conv2d v = small_conv(channels_last, stride, 1, 1, 1);
      v.benchmark = true;
      check_conv<float>(v);
      v.dtype = kHalf;
      check_conv<Half>(v);
    }
}

// A step with it, also as a graph: plans exist when the capture begins.
TEST_CASE("a program's convolutions follow cudnn_benchmark") {
  const Device device = gpu::device();
  const Tensor x = randn({4, 8, 12, 12}), w = randn({16, 8, 3, 3});
  const Tensor expected = conv2d(x, w);
  set_cudnn_benchmark(true);
  CHECK(cudnn_benchmark());
  const Tensor on_x = x.to(device), on_w = w.to(device);
  const Tensor y = conv2d(on_x, on_w);
  CHECK(allclose(y.to(kCPU), expected, 1e-4, 1e-4));
  const Stream stream = getStreamFromPool(device);
  synchronize(device);
  {
    const StreamGuard guard(stream);
    Tensor captured = conv2d(on_x, on_w);
    stream.synchronize();
    Graph graph;
    graph.capture(stream, [&] { captured = conv2d(on_x, on_w); });
    graph.replay();
    stream.synchronize();
    CHECK(allclose(captured.to(kCPU), expected, 1e-4, 1e-4));
  }
  set_cudnn_benchmark(false);
}

// 1 + 2^-12 needs more bits than TF32 has; a sum of such numbers shows which ones were multiplied.
TEST_CASE("float32 convolutions keep their 24 bits unless the program allows TF32") {
  for (const MemoryFormat format : {MemoryFormat::Contiguous, MemoryFormat::ChannelsLast}) {
    const Tensor x = ones({4, 64, 16, 16}, TensorOptions(gpu::device())).mul_(1 + 0x1p-12);
    const Tensor w = ones({64, 64, 3, 3}, TensorOptions(gpu::device()));
    const Tensor y = conv2d(x.contiguous(format).requires_grad_(), w.contiguous(format)).detach();
    const double expected = 576 * (1 + 0x1p-12);
    CHECK(y.sub(expected).abs().max().item<double>() < 1e-5 * expected);
  }
}

// Each of the three products is cut into parts; those of the weight's gradient add up.
TEST_CASE("a convolution of more than 2^31 elements") {
  std::size_t free = 0, total = 0;
  backend(kCUDA).memory(0, &free, &total);
  if (free < std::size_t{40} << 30) {
    WARN("skipped: it needs 40 GiB of the GPU's memory");
    return;
  }
  const TensorOptions half = TensorOptions(kHalf).device(gpu::device());
  constexpr std::int64_t side = 1 << 15;
  const Tensor x = ones({3, 1, side, side}, half).requires_grad_();
  const Tensor w = full({1, 1, 1, 1}, 2, half).requires_grad_();
  const Tensor y = conv2d(x, w);
  for (std::int64_t i = 0; i < 3; ++i) {
    CHECK(y[i].amin().item<double>() == 2);
    CHECK(y[i].amax().item<double>() == 2);
  }
  // A gradient of few elements: the sum of all would stop growing where cuDNN adds too many of them
  // in float32.
  const Tensor g = zeros({3, 1, side, side}, half);
  for (std::int64_t i = 0; i < 3; ++i) {
    g[i][0][0][0].fill_(1);
    g[i][0][side - 1][side - 1].fill_(2);
  }
  y.backward(g);
  for (std::int64_t i = 0; i < 3; ++i) {
    CHECK(x.grad()[i][0][0][0].item<double>() == 2);
    CHECK(x.grad()[i][0][side - 1][side - 1].item<double>() == 4);
  }
  CHECK(x.grad().sum().item<double>() == 18);
  CHECK(w.grad().item<double>() == 9);
  empty_cache();
}

}  // namespace
}  // namespace td

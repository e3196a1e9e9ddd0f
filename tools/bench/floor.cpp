// The lower bound of compare.py: what the best library calls and plain loops need for a step. See
// floor.h.
#include "floor.h"

#include <cblas.h>
#include <immintrin.h>
#include <omp.h>

#include <compare>
#include <cstring>
#include <oneapi/dnnl/dnnl.hpp>

namespace bench::floor {
namespace {

// C [m, n] = op(A) op(B), by one of the libraries.
struct Product {
  char ta, tb;
  int m, n, k;
  auto operator<=>(const Product&) const = default;

  void by_onednn(const float* a, const float* b, float* c) const {
    dnnl_sgemm(ta, tb, m, n, k, 1.0f, a, ta == 'T' ? m : k, b, tb == 'T' ? k : n, 0.0f, c, n);
  }
  void by_openblas(const float* a, const float* b, float* c) const {
    const auto flag = [](char t) { return t == 'T' ? CblasTrans : CblasNoTrans; };
    cblas_sgemm(CblasRowMajor, flag(ta), flag(tb), m, n, k, 1.0f, a, ta == 'T' ? m : k, b,
                tb == 'T' ? k : n, 0.0f, c, n);
  }
  // Seconds of the fastest of some calls.
  template <class Call>
  double seconds(Call call) const {
    double best = 1e9;
    for (int i = 0; i < 20; ++i) {
      const double start = read_clock(CLOCK_MONOTONIC);
      call();
      best = std::min(best, read_clock(CLOCK_MONOTONIC) - start);
    }
    return best;
  }
  bool openblas_is_faster(const float* a, const float* b, float* c) const {
    const bool faster =
        seconds([&] { by_openblas(a, b, c); }) < seconds([&] { by_onednn(a, b, c); });
    choices[std::string{ta, tb} + " " + std::to_string(m) + " x " + std::to_string(n) + " x " +
            std::to_string(k)] = faster ? "OpenBLAS" : "oneDNN";
    return faster;
  }
};

// Calls the faster library, which the first product of each shape determines.
void product(char ta, char tb, int m, int n, int k, const float* a, const float* b, float* c) {
  static std::map<Product, bool> openblas;
  const Product shape{ta, tb, m, n, k};
  auto found = openblas.find(shape);
  if (found == openblas.end())
    found = openblas.emplace(shape, shape.openblas_is_faster(a, b, c)).first;
  found->second ? shape.by_openblas(a, b, c) : shape.by_onednn(a, b, c);
}

void sgd(Parameter& p, float rate, std::size_t from, std::size_t to) {
  float* __restrict w = p.value;
  const float* __restrict g = p.grad;
  for (std::size_t i = from; i < to; ++i) w[i] -= rate * g[i];
}

void momentum(Parameter& p, float rate, std::size_t from, std::size_t to) {
  float* __restrict w = p.value, * __restrict m = p.m;
  const float* __restrict g = p.grad;
  for (std::size_t i = from; i < to; ++i) {
    m[i] = 0.9f * m[i] + g[i];
    w[i] -= rate * m[i];
  }
}

void adam(Parameter& p, float rate, int step, std::size_t from, std::size_t to) {
  float* __restrict w = p.value, * __restrict m = p.m, * __restrict v = p.v;
  const float* __restrict g = p.grad;
  const auto t = static_cast<float>(step);
  const float scaled_rate = rate / (1 - std::pow(0.9f, t));
  const float root = 1 / std::sqrt(1 - std::pow(0.999f, t));
  for (std::size_t i = from; i < to; ++i) {
    m[i] = 0.9f * m[i] + 0.1f * g[i];
    v[i] = 0.999f * v[i] + 0.001f * g[i] * g[i];
    w[i] -= scaled_rate * m[i] / (std::sqrt(v[i]) * root + 1e-8f);
  }
}

}  // namespace

void Parameter::update(Rule rule, float rate, int step) {
  loop(value.size, [&](std::size_t from, std::size_t to) {
    if (rule == Rule::kSgd) sgd(*this, rate, from, to);
    if (rule == Rule::kMomentum) momentum(*this, rate, from, to);
    if (rule == Rule::kAdam) adam(*this, rate, step, from, to);
  });
}

void Linear::forward(const float* x, float* y, int batch, bool relu) const {
  product('N', 'T', batch, out, in, x, weight.value, y);
  for (int i = 0; i < batch; ++i) {
    float* row = y + std::size_t(i) * out;
    for (int j = 0; j < out; ++j) {
      const float v = row[j] + bias.value[j];
      row[j] = relu && v < 0 ? 0 : v;
    }
  }
}

void Linear::backward(const float* x, const float* dy, float* dx, int batch) {
  product('T', 'N', out, in, batch, dy, x, weight.grad);
  float* sum = bias.grad;
  std::fill_n(sum, out, 0.0f);
  for (int i = 0; i < batch; ++i)
    for (int j = 0; j < out; ++j) sum[j] += dy[std::size_t(i) * out + j];
  if (dx) product('N', 'N', batch, in, out, dy, weight.value, dx);
}

float cross_entropy(const float* scores, float* grad, int batch) {
  constexpr int kClasses = 10;
  float loss = 0;
  for (int i = 0; i < batch; ++i) {
    const float* row = scores + i * kClasses;
    float* g = grad + i * kClasses;
    const float largest = *std::max_element(row, row + kClasses);
    float sum = 0;
    for (int j = 0; j < kClasses; ++j) sum += g[j] = std::exp(row[j] - largest);
    const int target = i % kClasses;
    loss -= row[target] - largest - std::log(sum);
    for (int j = 0; j < kClasses; ++j)
      g[j] = (g[j] / sum - static_cast<float>(j == target)) / static_cast<float>(batch);
  }
  return loss / static_cast<float>(batch);
}

void relu_backward(float* d, const float* y, std::size_t n) {
  loop(n, [=](std::size_t from, std::size_t to) {
    float* __restrict to_grad = d;
#pragma omp simd
    for (std::size_t i = from; i < to; ++i) to_grad[i] *= y[i] > 0 ? 1.0f : 0.0f;
  });
}

namespace {

constexpr int kBatch = 64;

// A line through ten inputs, mean squared error and SGD, in one loop over the batch.
Case simple() {
  constexpr int kRows = 100, kInputs = 10;
  struct State {
    Buffer x{kRows * kInputs}, target{kRows}, w{kInputs}, b{1};
  };
  auto s = std::make_shared<State>();
  fill(s->x, kRows * kInputs, 1, 101);
  fill(s->target, kRows, 1, 102);
  fill(s->w, kInputs, 1 / std::sqrt(10.0f), 1);
  fill(s->b, 1, 1 / std::sqrt(10.0f), 2);
  const auto step = [s] {
    const float* x = s->x;
    float grad[kInputs] = {}, grad_b = 0, loss = 0;
    for (int i = 0; i < kRows; ++i, x += kInputs) {
      float y = s->b[0];
      for (int k = 0; k < kInputs; ++k) y += x[k] * s->w[k];
      const float error = y - s->target[i], g = 2 * error / kRows;
      loss += error * error;
      grad_b += g;
      for (int k = 0; k < kInputs; ++k) grad[k] += g * x[k];
    }
    for (int k = 0; k < kInputs; ++k) s->w[k] -= 0.01f * grad[k];
    s->b[0] -= 0.01f * grad_b;
    return loss / kRows;
  };
  return {[step] {
            for (int i = 1; i < 5; ++i) step();
            return double(step());
          },
          [step] { step(); },
          {}};
}

struct Mlp {
  explicit Mlp(int width) : a(784, width, 1), b(width, width, 3), c(width, 10, 5), width(width) {
    fill(x, kBatch * 784, 1, 101);
  }
  float step(Rule rule, float rate) {
    a.forward(x, h1, kBatch, true);
    b.forward(h1, h2, kBatch, true);
    c.forward(h2, y, kBatch, false);
    const float loss = cross_entropy(y, dy, kBatch);
    c.backward(h2, dy, d2, kBatch);
    relu_backward(d2, h2, d2.size);
    b.backward(h1, d2, d1, kBatch);
    relu_backward(d1, h1, d1.size);
    a.backward(x, d1, nullptr, kBatch);
    ++steps;
    for (Linear* layer : {&a, &b, &c}) layer->update(rule, rate, steps);
    return loss;
  }
  Linear a, b, c;
  int width, steps = 0;
  Buffer x{kBatch * 784}, y{kBatch * 10}, dy{kBatch * 10};
  Buffer h1{std::size_t(kBatch * width)}, h2{std::size_t(kBatch * width)};
  Buffer d1{std::size_t(kBatch * width)}, d2{std::size_t(kBatch * width)};
};

Case mlp(int width, Rule rule, float rate) {
  auto net = std::make_shared<Mlp>(width);
  return {[=] {
            for (int i = 1; i < 5; ++i) net->step(rule, rate);
            return double(net->step(rule, rate));
          },
          [=] { net->step(rule, rate); },
          {}};
}

// a = b + c with stores that bypass the caches. `n` is a multiple of 16.
void add_around(float* a, const float* b, const float* c, std::size_t n) {
#ifdef __AVX512F__
  for (std::size_t i = 0; i < n; i += 16)
    _mm512_stream_ps(a + i, _mm512_add_ps(_mm512_load_ps(b + i), _mm512_load_ps(c + i)));
#else
  for (std::size_t i = 0; i < n; i += 4)
    _mm_stream_ps(a + i, _mm_add_ps(_mm_load_ps(b + i), _mm_load_ps(c + i)));
#endif
  _mm_sfence();
}

// a = b + s * c, with stores that use the caches or bypass them.
Case triad(bool around) {
  constexpr std::size_t n = 10'000'000;
  struct State {
    Buffer a{n}, b{n}, c{n};
  };
  auto s = std::make_shared<State>();
  fill(s->b, n, 1, 1);
  fill(s->c, n, 1, 2);
  const auto step = [s, around] {
    float* __restrict a = s->a;
    const float* __restrict b = s->b, * __restrict c = s->c;
    if (!around)
      return loop(n, [=](std::size_t from, std::size_t to) {
        for (std::size_t i = from; i < to; ++i) a[i] = b[i] + 1.0f * c[i];
      });
    add_around(a, b, c, n);
  };
  return {[=] {
            step();
            double sum = 0;
            for (std::size_t i = 0; i < n; ++i) sum += std::abs(double(s->a[i]));
            return sum / n;
          },
          step,
          {}};
}

Case copy() {
  constexpr std::size_t n = 16 << 20;
  struct State {
    Buffer from{n}, to{n};
  };
  auto s = std::make_shared<State>();
  fill(s->from, n, 1, 1);
  const auto step = [s] { std::memcpy(s->to, s->from, n * sizeof(float)); };
  return {[=] {
            step();
            double sum = 0;
            for (std::size_t i = 0; i < n; ++i) sum += std::abs(double(s->to[i]));
            return sum / n;
          },
          step,
          {}};
}

}  // namespace
}  // namespace bench::floor

int main(int argc, char** argv) {
  using namespace bench::floor;
  const bench::Cases cases{
      {"add_1e7", [] { return triad(false); }},
      {"add_1e7_around", [] { return triad(true); }},
      {"clone_64MiB", copy},
      {"simple", simple},
      {"mlp_momentum", [] { return mlp(512, Rule::kMomentum, 0.01f); }},
      {"mlp_adam", [] { return mlp(512, Rule::kAdam, 1e-3f); }},
      {"mlp_narrow", [] { return mlp(64, Rule::kSgd, 0.01f); }},
      {"lenet", lenet},
      {"cifar", cifar},
      {"lenet_inference", lenet_inference},
      {"cifar_inference", cifar_inference},
  };
  return bench::serve(argc, argv, cases, [](int n) {
    threads = n;
    omp_set_num_threads(n);
  });
}

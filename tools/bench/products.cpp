// Which library multiplies float32 matrices faster on this processor, by shape: the measurement for
// openblas_is_faster() in common/libs/host/host_gemm.cpp. Prints Markdown tables for
// docs/measurements/products.md, one for each form of the product. Takes about a minute.
//
//   bench_products [THREADS]
#include <cblas.h>
#include <oneapi/dnnl/dnnl.h>

#include <string>
#include <vector>

#include "harness.h"
#include "td/base/parallel.h"

namespace {

constexpr int kInner = 256;  // k
constexpr int kRounds = 9;

struct Shape {
  bool transpose_a, transpose_b;
  int m, n;
  int lda() const { return transpose_a ? m : kInner; }
  int ldb() const { return transpose_b ? kInner : n; }
};

struct Matrices {
  explicit Matrices(const Shape& s)
      : a(std::size_t(s.m) * kInner), b(std::size_t(s.n) * kInner), c(std::size_t(s.m) * s.n) {
    bench::fill(a.data(), static_cast<std::int64_t>(a.size()), 1, 1);
    bench::fill(b.data(), static_cast<std::int64_t>(b.size()), 1, 2);
  }
  std::vector<float> a, b, c;
};

void by_onednn(const Shape& s, Matrices& m) {
  dnnl_sgemm(s.transpose_a ? 'T' : 'N', s.transpose_b ? 'T' : 'N', s.m, s.n, kInner, 1, m.a.data(),
             s.lda(), m.b.data(), s.ldb(), 0, m.c.data(), s.n);
}

void by_openblas(const Shape& s, Matrices& m) {
  const auto flag = [](bool transposed) { return transposed ? CblasTrans : CblasNoTrans; };
  cblas_sgemm(CblasRowMajor, flag(s.transpose_a), flag(s.transpose_b), s.m, s.n, kInner, 1,
              m.a.data(), s.lda(), m.b.data(), s.ldb(), 0, m.c.data(), s.n);
}

double seconds(void (*product)(const Shape&, Matrices&), const Shape& s, Matrices& m, int calls) {
  const double start = bench::read_clock(CLOCK_MONOTONIC);
  for (int i = 0; i < calls; ++i) product(s, m);
  return (bench::read_clock(CLOCK_MONOTONIC) - start) / calls;
}

/// oneDNN's time divided by OpenBLAS's: the median of rounds in which both run alternately.
double ratio(const Shape& s) {
  Matrices m(s);
  const int calls = std::max(1, static_cast<int>(2e7 / s.m / s.n / kInner));
  seconds(by_onednn, s, m, 1);  // the first calls generate code and allocate
  seconds(by_openblas, s, m, 1);
  std::vector<double> ratios;
  for (int i = 0; i < kRounds; ++i) {
    const double onednn = seconds(by_onednn, s, m, calls);
    ratios.push_back(onednn / seconds(by_openblas, s, m, calls));
  }
  std::nth_element(ratios.begin(), ratios.begin() + kRounds / 2, ratios.end());
  return ratios[kRounds / 2];
}

void print_table(const char* title, bool transpose_a, bool transpose_b) {
  const std::vector<int> columns = {64, 256, 448, 512, 576, 768, 1000, 1024, 1040, 1536, 2048};
  std::printf("\n%s, k = %d:\n\n| m \\ n |", title, kInner);
  for (const int n : columns) std::printf(" %d |", n);
  std::printf("\n|---|");
  for (std::size_t i = 0; i < columns.size(); ++i) std::printf("---|");
  std::printf("\n");
  for (const int m : {1, 8, 16, 32, 64, 256}) {
    std::printf("| %d |", m);
    for (const int n : columns) std::printf(" %.2f |", ratio({transpose_a, transpose_b, m, n}));
    std::printf("\n");
    std::fflush(stdout);
  }
}

}  // namespace

int main(int argc, char** argv) {
  td::set_parallel_width(argc > 1 ? std::stoi(argv[1]) : 1);
  std::printf("oneDNN's instructions: 0x%x; OpenBLAS's code: %s\n",
              static_cast<unsigned>(dnnl_get_effective_cpu_isa()), openblas_get_corename());
  print_table("A B, as in a gradient of an input", false, false);
  print_table("A^T B, as in a gradient of a weight", true, false);
  print_table("A B^T, as in a forward pass", false, true);
}

// From which size on two threads finish sooner than one: the measurement for kWorthThreads in
// common/td/base/parallel.h and the rates of matrix products and optimizers. Prints Markdown tables
// for docs/measurements/threads.md. The library decides: below its threshold both runs have one
// thread. Takes about a minute.
#include <oneapi/dnnl/dnnl.h>

#include <functional>
#include <vector>

#include "harness.h"
#include "libs/host_libs.h"
#include "td/base/parallel.h"
#include "td/td.h"

namespace {

constexpr int kCalls = 301;

double now() { return bench::read_clock(CLOCK_MONOTONIC); }

/// The median microseconds of `work` with this number of threads. Before each call one thread alone
/// is busy for `pause` microseconds, as between two operations of a program.
double median(int threads, double pause, const std::function<void()>& prepare,
              const std::function<void()>& work) {
  std::vector<double> times;
  for (int i = 0; i < kCalls; ++i) {
    td::set_parallel_width(1);
    prepare();
    for (const double start = now(); now() - start < pause * 1e-6;) {
    }
    td::set_parallel_width(threads);
    const double start = now();
    work();
    times.push_back((now() - start) * 1e6);
  }
  std::nth_element(times.begin(), times.begin() + kCalls / 2, times.end());
  return times[kCalls / 2];
}

/// One thread's time, and the speed-up of two threads.
void print_cell(double pause, const std::function<void()>& prepare,
                const std::function<void()>& work) {
  const double one = median(1, pause, prepare, work), two = median(2, pause, prepare, work);
  std::printf(" %.0f | %.2f |", one, one / two);
}

void products(int n, int k) {
  std::printf(
      "\nm x %d, k = %d:\n\n"
      "| m | µs, in a row | speed-up | after 30 µs | speed-up | after 300 µs | speed-up |\n"
      "|---|---|---|---|---|---|---|\n",
      n, k);
  for (const int m : {1, 2, 4, 8, 12, 16, 24, 32, 48, 64, 128, 256}) {
    std::vector<float> a(std::size_t(m) * k, 1), b(std::size_t(n) * k, 1), c(std::size_t(m) * n);
    const td::kernels::Gemm product{
        .transpose_b = true, .m = m, .n = n, .k = k, .lda = k, .ldb = k, .ldc = n};
    std::printf("| %d |", m);
    for (const double pause : {0.0, 30.0, 300.0})
      print_cell(
          pause, [] {},
          [&] { td::kernels::host_gemm(product, a.data(), b.data(), nullptr, c.data()); });
    std::printf("\n");
    std::fflush(stdout);
  }
}

void optimizers() {
  std::printf(
      "\n| elements | SGD, µs | speed-up | with momentum, µs | speed-up | Adam, µs | speed-up |\n"
      "|---|---|---|---|---|---|---|\n");
  for (const std::int64_t count : {32768, 65536, 131072, 196608, 262144, 524288, 1048576}) {
    const td::Tensor parameter = td::randn({count}).requires_grad_();
    parameter.mul(2).sum().backward();
    const td::TensorList parameters{parameter};
    td::optim::SGD sgd(parameters, td::optim::SGDOptions(1e-6));
    td::optim::SGD momentum(parameters, td::optim::SGDOptions(1e-6).momentum(0.9));
    td::optim::Adam adam(parameters, td::optim::AdamOptions(1e-6));
    std::printf("| %lld |", static_cast<long long>(count));
    const auto gradient = [&] { parameter.grad().mul_(1.0001); };  // is in one core's cache
    for (td::optim::Optimizer* optimizer :
         std::initializer_list<td::optim::Optimizer*>{&sgd, &momentum, &adam})
      print_cell(0, gradient, [&] { optimizer->step(); });
    std::printf("\n");
    std::fflush(stdout);
  }
}

}  // namespace

int main() {
  std::printf("oneDNN's instructions: 0x%x\n", static_cast<unsigned>(dnnl_get_effective_cpu_isa()));
  products(256, 256);
  products(64, 64);
  products(1024, 1024);
  optimizers();
}

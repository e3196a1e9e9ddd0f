// What a device can do, each as one line "name: value unit": copies over the link, launches,
// memory, products, convolutions, and the kernels that are bound by memory, in GB/s of the fewest
// bytes they can move. tools/gpu_check.py runs it on a GPU; docs/measurements/gpu.md has the
// results.
//   bench_device [device] [--quick]
// Each result is the median of 11 runs after one that warms up. Invariants: a run is much longer
// than a launch, the host waits for the device before it reads the clock, and what is bound by
// memory is larger than any cache.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "td/td.h"
#include "td_more/td_more.h"

namespace {

using namespace td;
namespace F = nn::functional;

struct Bench {
  Device device;
  bool quick;

  std::int64_t size(std::int64_t full, std::int64_t small) const { return quick ? small : full; }
  Tensor random(const std::vector<std::int64_t>& sizes, ScalarType dtype = kFloat) const {
    return randn(sizes, TensorOptions(device)).to(dtype);
  }

  double seconds(const std::function<void()>& work, int calls) const {
    synchronize(device);
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < calls; ++i) work();
    synchronize(device);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    return took.count() / calls;
  }
  /// Seconds for one call of `work`.
  double seconds(const std::function<void()>& work) const {
    const int turns = quick ? 1 : 11;
    std::vector<double> times;
    work();
    const double once = seconds(work, 1);
    const int calls = quick ? 2 : static_cast<int>(std::clamp(0.02 / once, 1.0, 20.0));
    for (int turn = 0; turn < turns; ++turn) times.push_back(seconds(work, calls));
    std::nth_element(times.begin(), times.begin() + turns / 2, times.end());
    return times[static_cast<std::size_t>(turns / 2)];
  }
  /// Prints `amount` per second in `unit` of `scale`.
  void rate(const std::string& name, double amount, double scale, const char* unit,
            const std::function<void()>& work) const {
    print(name, amount / seconds(work) / scale, unit);
  }
  void bytes(const std::string& name, double amount, const std::function<void()>& work) const {
    rate(name, amount, 1e9, "GB/s", work);
  }
  static void print(const std::string& name, double value, const char* unit) {
    std::printf("%s: %.4g %s\n", name.c_str(), value, unit);
    std::fflush(stdout);
  }
};

void copies(const Bench& b) {
  const std::int64_t n = b.size(64 << 20, 1 << 18);
  const Tensor there = b.random({n}), other = empty_like(there), pageable = ones({n});
  const Tensor pinned = pageable.pin_memory();
  const double amount = 4.0 * static_cast<double>(n);
  b.bytes("copy to the device, pageable", amount, [&] { there.copy_(pageable); });
  b.bytes("copy to the device, pinned", amount, [&] { there.copy_(pinned, true); });
  b.bytes("copy to the host, pageable", amount, [&] { pageable.copy_(there); });
  b.bytes("copy to the host, pinned", amount, [&] { pinned.copy_(there, true); });
  b.bytes("copy within the device, read and written", 2 * amount, [&] { other.copy_(there); });
}

void launches(const Bench& b) {
  const Tensor one = b.random({1});
  const int many = b.quick ? 10 : 500;
  b.print("launch, many in a row", 1e6 / many * b.seconds([&] {
    for (int i = 0; i < many; ++i) one.add_(1);
  }),
          "us");
  b.print("launch and wait", 1e6 * b.seconds([&] {
    one.add_(1);
    synchronize(b.device);
  }),
          "us");
  b.print("item", 1e6 * b.seconds([&] { one.item<float>(); }), "us");
  b.print("1 MiB taken and given back", 1e6 / many * b.seconds([&] {
    for (int i = 0; i < many; ++i) empty({1 << 18}, TensorOptions(b.device));
  }),
          "us");
}

void products(const Bench& b) {
  const std::int64_t n = b.size(8192, 128);
  const double flops =
      2.0 * static_cast<double>(n) * static_cast<double>(n) * static_cast<double>(n);
  for (const ScalarType dtype : {kFloat, kHalf, kBFloat16}) {
    const Tensor x = b.random({n, n}, dtype), y = b.random({n, n}, dtype);
    b.rate(std::string("product, ") + dtype_name(dtype), flops, 1e12, "TFLOP/s", [&] { mm(x, y); });
  }
  const std::int64_t images = b.size(64, 2);
  for (const ScalarType dtype : {kFloat, kHalf}) {
    const Tensor x = b.random({images, 64, 56, 56}, dtype).requires_grad_();
    const Tensor w = b.random({64, 64, 3, 3}, dtype).requires_grad_();
    const double work = 2.0 * static_cast<double>(images) * 56 * 56 * 64 * 64 * 9;
    const std::string name = std::string("convolution 3x3, ") + dtype_name(dtype);
    b.rate(name, work, 1e12, "TFLOP/s", [&] {
      const NoGradGuard no_grad;
      conv2d(x, w, {}, 1, 1);
    });
    b.rate(name + ", with its backward", 3 * work, 1e12, "TFLOP/s",
           [&] { conv2d(x, w, {}, 1, 1).sum().backward(); });
  }
}

// Rows and columns as a language model has them; 200 MB, four times the L2 of an H100.
void memory_bound(const Bench& b) {
  const std::int64_t rows = b.size(65536, 64), columns = b.size(768, 32),
                     vocabulary = b.size(50257, 100);
  const Tensor x = b.random({rows, columns}), y = b.random({rows, columns});
  const Tensor turned = b.random({columns, rows});
  const double once = 4.0 * static_cast<double>(rows) * static_cast<double>(columns);
  b.bytes("add", 3 * once, [&] { x + y; });
  b.bytes("add transposed", 3 * once, [&] { x.t() + turned; });
  b.bytes("sum of all", once, [&] { x.sum(); });
  b.bytes("sum over rows", once, [&] { x.sum({0}); });
  b.bytes("sum over columns", once, [&] { x.sum({1}); });
  b.bytes("variance of all", once, [&] { var(x, true); });
  b.bytes("cumsum along rows", 2 * once, [&] { cumsum(x, 1); });
  b.bytes("softmax", 2 * once, [&] { softmax(x, 1); });
  b.bytes("layer_norm", 2 * once, [&] { F::layer_norm(x, F::LayerNormFuncOptions({columns})); });
  const Tensor line = b.random({rows * columns}),
               places =
                   randint(rows * columns, {rows * columns}, TensorOptions(kLong).device(b.device));
  b.bytes("gather in one dimension, with its indices", 4 * once, [&] { gather(line, 0, places); });
  b.bytes("index_add in one dimension, with its indices", 5 * once,
          [&] { index_add(line, 0, places, line); });
  const Tensor weight = b.random({vocabulary, columns}).requires_grad_();
  const Tensor tokens = randint(vocabulary, {rows}, TensorOptions(kLong).device(b.device));
  b.bytes("embedding", 2 * once, [&] {
    const NoGradGuard no_grad;
    embedding(weight, tokens);
  });
  const double gradient = 4.0 * static_cast<double>(vocabulary) * static_cast<double>(columns);
  b.bytes("embedding with its backward", 4 * once + gradient,
          [&] { embedding(weight, tokens).sum().backward(); });
  const Tensor images = b.random({b.size(256, 2), 64, 56, 56});
  nn::BatchNorm2d norm(64);
  norm->to(b.device);
  b.bytes("batch_norm in training", 12.0 * static_cast<double>(images.numel()), [&] {
    const NoGradGuard no_grad;
    norm->forward(images);
  });
  b.bytes("softmax over channels", 8.0 * static_cast<double>(images.numel()),
          [&] { softmax(images, 1); });
  const std::int64_t classes = 21, side = b.size(512, 8);  // each pixel of an image is classified
  const Tensor scores = b.random({16, classes, side, side});
  const Tensor labels = randint(classes, {16, side, side}, TensorOptions(kLong).device(b.device));
  b.bytes("cross_entropy of pixels",
          4.0 * static_cast<double>(scores.numel()) + 8.0 * static_cast<double>(labels.numel()),
          [&] { F::cross_entropy(scores, labels); });
}

}  // namespace

int main(int argc, char** argv) try {
  Bench b{check_device(Device(argc > 1 ? argv[1] : "sim:0")), false};
  b.quick = argc > 2 && !std::strcmp(argv[2], "--quick");
  std::printf("%s: %s\n", b.device.str().c_str(), device_name(b.device).c_str());
  manual_seed(0);
  copies(b);
  launches(b);
  products(b);
  memory_bound(b);
} catch (const std::exception& error) {
  std::fprintf(stderr, "bench_device: %s\n", error.what());
  return 1;
}

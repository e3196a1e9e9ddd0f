// The lower bound of what operations cost on a GPU: the number of launches of an operation, the
// bytes that these must read and write, and the time that follows from both. Prints the table of
// docs/measurements/kernel_costs.md. On a device that is not a GPU the times are not measured.
//   bench_kernel_costs [--device sim|cuda]
//
// The numbers come from the launches themselves (device/record.h): each lists the memory that it
// accesses.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <vector>

#include "../../chapters/04_training_loop/models.h"
#include "harness.h"
#include "td/device/record.h"
#include "td_more/td_more.h"

namespace {

using td::Tensor;

constexpr double kBytesPerSecond = 3.0e12;  // of an H100's copy within its memory
constexpr double kLaunch = 2.5e-6;          // seconds between short launches; to be confirmed

int launches = 0, runs = 100;
double bytes = 0, least = 0;

void count(const td::Record& record, td::Device) {
  double touched = 0;
  for (int i = 0; i < record.reads + record.writes; ++i) {
    bool again = false;  // an operand that is named twice is read once
    for (int k = 0; k < i && i < record.reads; ++k)
      again = again || record.extents[k].data == record.extents[i].data;
    if (!again) touched += static_cast<double>(record.extents[i].bytes);
  }
  ++launches;
  bytes += touched;
  least += std::max(kLaunch, touched / kBytesPerSecond);
}

using Work = std::function<void()>;

void heading(const char* group) { std::printf("| **%s** | | | | |\n", group); }

void line(const char* name, td::Device device, const Work& work) {
  work();  // makes allocations that happen once
  launches = 0;
  bytes = least = 0;
  {
    const td::RecordObserver counting(count);
    work();
  }
  std::printf("| %s | %d | %.2f | %.1f | ", name, launches, bytes / 1e6, 1e6 * least);
  if (!device.is_cuda()) return void(std::printf("not measured |\n"));
  td::synchronize(device);
  const double begin = bench::read_clock(CLOCK_MONOTONIC);
  for (int i = 0; i < runs; ++i) work();
  td::synchronize(device);
  std::printf("%.1f |\n", 1e6 * (bench::read_clock(CLOCK_MONOTONIC) - begin) / runs);
}

/// The gradients of a result, which is computed outside of the counted part.
Work backward(const Tensor& result, const td::TensorList& inputs) {
  const Tensor ones = td::ones_like(result);
  return [=] { td::autograd::grad({result}, inputs, {ones}, true); };
}

struct Printer {
  td::Device device;
  void operator()(const char* name, const Work& work) const { line(name, device, work); }
  Tensor random(td::IntArrayRef sizes, bool grad = false) const {
    return td::randn(sizes).to(device).requires_grad_(grad);
  }
  Tensor places(std::int64_t below, td::IntArrayRef sizes) const {
    return td::randint(0, below, sizes, td::kInt64).to(device);
  }

  void element_wise() const {
    heading("element-wise, reductions and rows of [8192, 768]");
    const Tensor a = random({8192, 768}), b = random({8192, 768}), row = random({768});
    (*this)("`a + b`", [=] { a + b; });
    (*this)("`a + row`", [=] { a + row; });
    (*this)("`a * 0.5`", [=] { a * 0.5; });
    (*this)("`relu`", [=] { td::relu(a); });
    (*this)("`a.to(kBFloat16)`", [=] { a.to(td::kBFloat16); });
    (*this)("`a.t().contiguous()`", [=] { a.t().contiguous(); });
    (*this)("`sum()`", [=] { a.sum(); });
    (*this)("`sum(0)`, a bias's gradient", [=] { a.sum(0); });
    (*this)("`sum(1)`", [=] { a.sum(1); });
    (*this)("`argmax(1)`", [=] { a.argmax(1); });
    (*this)("`var(1)`", [=] { a.var(1); });
    (*this)("`softmax(1)`", [=] { td::softmax(a, 1); });
    (*this)("`cumsum(1)`", [=] { td::cumsum(a, 1); });
    (*this)("`sort(1)`", [=] { td::sort(a, 1); });
  }

  void by_index() const {
    heading("8192 rows of [8192, 768] by index, some of them twice");
    const Tensor table = random({8192, 768}, true), rows = random({8192, 768});
    const Tensor index = places(8192, {8192});
    const Tensor taken = td::embedding(table, index);
    (*this)("`embedding`", [=] { td::embedding(table, index); });
    (*this)("its backward pass", backward(taken, {table}));
    (*this)("`index_select`", [=] { td::index_select(table.detach(), 0, index); });
    (*this)("`index_add`", [=] { td::index_add(table.detach(), 0, index, rows); });
    (*this)("`gather` of [8192, 768] along 1",
            [=, at = places(768, {8192, 768})] { td::gather(rows, 1, at); });
  }

  void normalisation() const {
    heading("normalisation: [64, 32, 32, 32] by channel, [8192, 768] by row");
    for (const bool last : {false, true}) {
      Tensor x = td::randn({64, 32, 32, 32});
      if (last) x = x.to(td::MemoryFormat::ChannelsLast);
      x = x.to(device).requires_grad_();
      const Tensor weight = random({32}, true), bias = random({32}, true);
      const auto run = [=] { return td::batch_norm(x, weight, bias, {}, {}, true, 0.1, 1e-5); };
      (*this)(last ? "`batch_norm`, channels last" : "`batch_norm`", run);
      (*this)("its backward pass", backward(run(), {x, weight, bias}));
    }
    const Tensor x = random({8192, 768}, true), w = random({768}, true), b = random({768}, true);
    const auto run = [=] { return td::layer_norm(x, {768}, w, b); };
    (*this)("`layer_norm`", run);
    (*this)("its backward pass", backward(run(), {x, w, b}));
  }

  void layers() const {
    heading("layers of chapter 04's network, 64 pictures; memory alone, not arithmetic");
    const Tensor x = random({64, 3, 32, 32}, true), w = random({32, 3, 5, 5}, true);
    const Tensor b = random({32}, true), maps = random({64, 32, 32, 32}, true);
    const auto conv = [=] { return td::conv2d(x, w, b, 1, 2); };
    (*this)("`conv2d`, 3 to 32 channels, 5 x 5", conv);
    (*this)("its backward pass", backward(conv(), {x, w, b}));
    const auto pool = [=] { return td::max_pool2d(maps, 2); };
    (*this)("`max_pool2d` of [64, 32, 32, 32]", pool);
    (*this)("its backward pass", backward(pool(), {maps}));
    const Tensor rows = random({64, 1024}, true), v = random({64, 1024}, true);
    const Tensor c = random({64}, true);
    const auto linear = [=] { return td::linear(rows, v, c); };
    (*this)("`linear`, 1024 to 64", linear);
    (*this)("its backward pass", backward(linear(), {rows, v, c}));
  }

  void losses() const {
    heading("losses of 8192 samples");
    const Tensor scores = random({8192, 1000}, true), target = places(1000, {8192});
    const auto loss = [=] { return td::nn::functional::cross_entropy(scores, target); };
    (*this)("`cross_entropy` of 1000 classes", loss);
    (*this)("its backward pass", backward(loss(), {scores}));
    const Tensor x = random({8192, 768}, true), y = random({8192, 768});
    const auto mse = [=] { return td::mse_loss(x, y); };
    (*this)("`mse_loss` of [8192, 768]", mse);
    (*this)("its backward pass", backward(mse(), {x}));
  }

  // The whole training step, and its optimizer's part.
  template <class Optimizer, class Options>
  void step(const char* name, td::nn::Sequential model, const Tensor& in, const Options& o) const {
    model->to(device);
    const auto optimizer = std::make_shared<Optimizer>(model->parameters(), o);
    const Tensor target = places(10, {in.size(0)});
    (*this)(name, [=]() mutable {
      optimizer->zero_grad();
      td::nn::functional::cross_entropy(model->forward(in), target).backward();
      optimizer->step();
    });
    (*this)("of which `step()`", [=] { optimizer->step(); });
  }
  void steps() const {
    using namespace td::nn;
    heading("training steps of chapters 04 and 07, batches of 64");
    step<td::optim::SGD>("CIFAR-10 network, SGD", cifar_net(), random({64, 3, 32, 32}),
                         td::optim::SGDOptions(0.01).momentum(0.9));
    step<td::optim::Adam>("CIFAR-10 network, Adam", cifar_net(), random({64, 3, 32, 32}),
                          td::optim::AdamOptions(1e-3));
    const std::int64_t n = 4096;
    step<td::optim::SGD>("MLP of width 4096, SGD",
                         Sequential(Linear(n, n), ReLU(), Linear(n, n), ReLU(), Linear(n, 10)),
                         random({64, n}), td::optim::SGDOptions(0.01));
  }
};

}  // namespace

int main(int argc, char** argv) {
  td::Device device = td::kSIM;
  for (int i = 1; i + 1 < argc; i += 2) {
    if (!std::strcmp(argv[i], "--device")) device = td::check_device(td::Device(argv[i + 1]));
    if (!std::strcmp(argv[i], "--runs")) runs = std::max(1, std::atoi(argv[i + 1]));
  }
  std::printf("| float32 | launches | MB | µs at least | µs measured |\n|---|---|---|---|---|\n");
  const Printer print{device};
  print.element_wise();
  print.by_index();
  print.normalisation();
  print.layers();
  print.losses();
  print.steps();
}

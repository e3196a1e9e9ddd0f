// Mixed precision on the host: one training step of a 1024-wide MLP in float32, and with 16-bit
// products in each way that this processor has. All run interleaved in one process and start from
// the same weights; medians and the ratios to float32 are printed. docs/measurements/amp.md shows
// them. Measured is the processor time of one thread, which other programs disturb little.
//
//   build/release/tools/bench/bench_amp [rounds]
#include <time.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "libs/host_libs.h"
#include "td/base/parallel.h"
#include "td/td.h"

namespace {

using namespace td;
using kernels::Bfloat16Products;

constexpr std::int64_t kBatch = 256, kWidth = 1024, kClasses = 10;

/// One of the compared variants, and its times so far.
struct Variant {
  std::string name;
  std::function<void()> step;
  std::vector<double> milliseconds = {};

  double at(double part) {  // of the sorted times
    std::sort(milliseconds.begin(), milliseconds.end());
    return milliseconds[static_cast<std::size_t>(part *
                                                 static_cast<double>(milliseconds.size() - 1))];
  }
};

double processor_milliseconds() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return 1e3 * static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_nsec);
}

void time_interleaved(std::vector<Variant>& variants, int rounds) {
  for (int round = -3; round < rounds; ++round)  // the first ones fill caches and make plans
    for (Variant& c : variants) {
      const double start = processor_milliseconds();
      c.step();
      if (round >= 0) c.milliseconds.push_back(processor_milliseconds() - start);
    }
}

void print(const char* title, std::vector<Variant>& variants) {
  std::printf("%s\n", title);
  const double first = variants[0].at(0.5);
  for (Variant& c : variants)
    std::printf("  %-34s %8.3f ms  (fastest tenth %.3f, slowest tenth %.3f)  %.2f x\n",
                c.name.c_str(), c.at(0.5), c.at(0.1), c.at(0.9), first / c.at(0.5));
}

/// The ways in which this host can multiply bfloat16, with names.
std::vector<std::pair<Bfloat16Products, std::string>> ways() {
  std::vector<std::pair<Bfloat16Products, std::string>> list;
  const Bfloat16Products usual = kernels::bfloat16_products();
  for (const auto& [way, name] : {std::pair{Bfloat16Products::kNative, "native"},
                                  std::pair{Bfloat16Products::kConverted, "converted"},
                                  std::pair{Bfloat16Products::kCopied, "copied"}}) {
    try {
      kernels::set_bfloat16_products(way);
      list.emplace_back(way, name + std::string(way == usual ? " (default)" : ""));
    } catch (const Error&) {  // not on this processor
    }
  }
  kernels::set_bfloat16_products(usual);
  return list;
}

/// Calls `step` with bfloat16 products made in one way.
std::function<void()> in_way(Bfloat16Products way, std::function<void()> step) {
  return [way, step] {
    const Bfloat16Products usual = kernels::bfloat16_products();
    kernels::set_bfloat16_products(way);
    step();
    kernels::set_bfloat16_products(usual);
  };
}

struct Mlp : nn::Module {
  Mlp() {
    first = register_module("first", nn::Linear(kWidth, kWidth));
    second = register_module("second", nn::Linear(kWidth, kWidth));
    last = register_module("last", nn::Linear(kWidth, kClasses));
  }
  Tensor forward(const Tensor& x) { return last(relu(second(relu(first(x))))); }
  nn::Linear first{nullptr}, second{nullptr}, last{nullptr};
};

/// One step of training: forward under autocast to `dtype` (float32: without), backward, SGD.
std::function<void()> training_step(ScalarType dtype) {
  manual_seed(1);
  auto model = std::make_shared<Mlp>();
  auto optimizer = std::make_shared<optim::SGD>(model->parameters(), optim::SGDOptions(0.01));
  const Tensor x = randn({kBatch, kWidth}), target = randint(0, kClasses, {kBatch});
  return [=] {
    optimizer->zero_grad();
    Tensor logits;
    {
      const amp::AutocastGuard autocast(kCPU, dtype == kFloat ? kBFloat16 : dtype, dtype != kFloat);
      logits = model->forward(x);
    }
    nn::functional::cross_entropy(logits.to(kFloat), target).backward();
    optimizer->step();
  };
}

void training(int rounds) {
  std::vector<Variant> list{{"float32", training_step(kFloat)}};
  for (const auto& [way, name] : ways())
    list.push_back({"bfloat16, " + name, in_way(way, training_step(kBFloat16))});
  list.push_back({"float16", training_step(kHalf)});
  time_interleaved(list, rounds);
  print("training step, MLP 1024-1024-1024-10, batch 256", list);
}

/// The product alone: the speed of the processor.
void product(int rounds) {
  const Tensor a = randn({kBatch, kWidth}), b = randn({kWidth, kWidth});
  const auto of = [&](ScalarType dtype) {
    return [x = a.to(dtype), y = b.to(dtype)] { mm(x, y.t()); };
  };
  std::vector<Variant> list{{"float32", of(kFloat)}};
  for (const auto& [way, name] : ways())
    list.push_back({"bfloat16, " + name, in_way(way, of(kBFloat16))});
  list.push_back({"float16", of(kHalf)});
  time_interleaved(list, rounds);
  print("matrix product [256, 1024] x [1024, 1024]", list);
}

/// Conversions: 16.8 million numbers.
void conversions(int rounds) {
  const Tensor x = randn({1 << 24});
  std::vector<Variant> list{{"float32 copied", [&] { x.clone(); }}};
  for (const ScalarType dtype : {kBFloat16, kHalf}) {
    list.push_back({std::string("float32 to ") + dtype_name(dtype), [&x, dtype] { x.to(dtype); }});
    list.push_back({std::string("float32 from ") + dtype_name(dtype),
                    [narrow = x.to(dtype)] { narrow.to(kFloat); }});
  }
  time_interleaved(list, rounds);
  print("conversion of 16.8 million numbers", list);
}

/// Max pooling, forward and backward: the cost of its indices with each type.
void pooling(int rounds) {
  std::vector<Variant> list;
  for (const ScalarType dtype : {kFloat, kBFloat16})
    for (const auto format : {MemoryFormat::Contiguous, MemoryFormat::ChannelsLast}) {
      const Tensor x = randn({64, 32, 32, 32}).to(dtype).to(format).detach().requires_grad_();
      const Tensor g = ones({64, 32, 16, 16}).to(dtype).to(format);
      list.push_back({std::string(dtype_name(dtype)) +
                          (format == MemoryFormat::Contiguous ? ", NCHW" : ", NHWC"),
                      [x, g] {
                        max_pool2d(x, 2).backward(g);
                        x.mutable_grad() = {};
                      }});
    }
  time_interleaved(list, rounds);
  print("max pooling of [64, 32, 32, 32] by 2, both ways", list);
}

}  // namespace

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 31;
  set_parallel_width(1);
  std::printf("one thread, medians of %d interleaved rounds\n", rounds);
  const NoGradGuard no_grad;
  conversions(std::min(rounds, 15));
  product(rounds);
  const AutoGradMode recording(true);
  pooling(rounds);
  training(rounds);
}

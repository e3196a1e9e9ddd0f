// The work of compare.py as a program for libtorch. It is compiled twice: with libtorch, and with
// this project's core, where td/torch.h defines the same names. Invariant: both compile the same
// lines, except for the lines under RACE_LIBTORCH.
#ifdef RACE_LIBTORCH
#include <ATen/Parallel.h>
#include <torch/torch.h>
#else
#include "td/base/parallel.h"
#include "td/torch.h"
#endif

#include "harness.h"

namespace {

namespace nn = torch::nn;
namespace F = torch::nn::functional;
using bench::Case;
using torch::Tensor;

constexpr std::int64_t kBatch = 64;
constexpr int kCheckedSteps = 5;  // of a training, whose losses are compared

Tensor numbers(std::vector<std::int64_t> sizes, std::uint32_t seed, bool wants_gradient = false) {
  Tensor t = torch::empty(sizes, torch::TensorOptions().requires_grad(wants_gradient));
  bench::fill(t.data_ptr<float>(), t.numel(), 1, seed);
  return t;
}

Tensor classes() {
  Tensor t = torch::empty({kBatch}, torch::kLong);
  for (std::int64_t i = 0; i < kBatch; ++i) t.data_ptr<std::int64_t>()[i] = i % 10;
  return t;
}

// Every layer's weight and bias uniform within 1 / sqrt(inputs), from the shared numbers.
void initialize(nn::Module& model) {
  std::uint32_t seed = 1;
  float scale = 1;
  for (Tensor& p : model.parameters()) {
    if (p.dim() > 1) scale = 1 / std::sqrt(static_cast<float>(p.numel() / p.size(0)));
    bench::fill(p.data_ptr<float>(), p.numel(), scale, seed++);
  }
}

struct Simple : nn::Module {
  nn::Linear line = register_module("line", nn::Linear(10, 1));
  Tensor forward(const Tensor& x) { return line(x); }
};

struct Mlp : nn::Module {
  explicit Mlp(std::int64_t width)
      : a(register_module("a", nn::Linear(784, width))),
        b(register_module("b", nn::Linear(width, width))),
        c(register_module("c", nn::Linear(width, 10))) {}
  Tensor forward(const Tensor& x) { return c(torch::relu(b(torch::relu(a(x))))); }
  nn::Linear a, b, c;
};

nn::Conv2d conv(std::int64_t from, std::int64_t to, std::int64_t padding) {
  return nn::Conv2d(nn::Conv2dOptions(from, to, 5).padding(padding));
}
Tensor halved(const Tensor& x) { return F::max_pool2d(x, F::MaxPool2dFuncOptions(2)); }

struct LeNet : nn::Module {
  nn::Conv2d c1 = register_module("c1", conv(1, 6, 2)), c2 = register_module("c2", conv(6, 16, 0));
  nn::Linear f1 = register_module("f1", nn::Linear(400, 120)),
             f2 = register_module("f2", nn::Linear(120, 84)),
             f3 = register_module("f3", nn::Linear(84, 10));
  Tensor forward(const Tensor& x) {
    const Tensor features = halved(torch::relu(c2(halved(torch::relu(c1(x)))))).flatten(1);
    return f3(torch::relu(f2(torch::relu(f1(features)))));
  }
};

struct Cifar : nn::Module {
  nn::Conv2d c1 = register_module("c1", conv(3, 32, 2)),
             c2 = register_module("c2", conv(32, 32, 2)),
             c3 = register_module("c3", conv(32, 64, 2));
  nn::Linear f1 = register_module("f1", nn::Linear(1024, 64)),
             f2 = register_module("f2", nn::Linear(64, 10));
  Tensor forward(const Tensor& x) {
    return f2(f1(halved(c3(halved(c2(halved(c1(x)))))).flatten(1)));
  }
};

void to_channels_last(nn::Module& model) {
#ifdef RACE_LIBTORCH  // its C++ modules have no to(memory_format)
  for (Tensor& p : model.parameters())
    if (p.dim() == 4) p.set_data(p.contiguous(torch::MemoryFormat::ChannelsLast));
#else
  model.to(torch::MemoryFormat::ChannelsLast);
#endif
}

// Training on one batch; Loss: Tensor(prediction).
template <class Model, class Optimizer, class Loss>
Case training(std::shared_ptr<Model> model, std::shared_ptr<Optimizer> optimizer, Tensor x,
              Loss loss) {
  const auto step = [=] {
    optimizer->zero_grad();
    const Tensor l = loss(model->forward(x));
    l.backward();
    optimizer->step();
    return l;
  };
  const auto check = [step] {
    for (int i = 1; i < kCheckedSteps; ++i) step();
    return step().template item<double>();
  };
  return {check, [step] { step(); }, {}};
}

template <class Model>
Case classifier_training(std::shared_ptr<Model> model, const Tensor& x) {
  const torch::optim::SGDOptions options(0.01);
  return training(model, std::make_shared<torch::optim::SGD>(model->parameters(), options), x,
                  [y = classes()](const Tensor& out) { return F::cross_entropy(out, y); });
}

template <class Model, class... Arguments>
std::shared_ptr<Model> made(Arguments... arguments) {
  auto model = std::make_shared<Model>(arguments...);
  initialize(*model);
  return model;
}

Case simple() {
  auto model = made<Simple>();
  const torch::optim::SGDOptions options(0.01);
  return training(model, std::make_shared<torch::optim::SGD>(model->parameters(), options),
                  numbers({100, 10}, 101),
                  [y = numbers({100, 1}, 102)](const Tensor& out) { return F::mse_loss(out, y); });
}

template <class Optimizer, class Options>
Case mlp(const Options& options) {
  auto model = made<Mlp>(512);
  return training(model, std::make_shared<Optimizer>(model->parameters(), options),
                  numbers({kBatch, 784}, 101),
                  [y = classes()](const Tensor& out) { return F::cross_entropy(out, y); });
}
Case mlp_momentum() { return mlp<torch::optim::SGD>(torch::optim::SGDOptions(0.01).momentum(0.9)); }
Case mlp_adam() { return mlp<torch::optim::Adam>(torch::optim::AdamOptions(1e-3)); }
Case mlp_narrow() { return classifier_training(made<Mlp>(64), numbers({kBatch, 784}, 101)); }

Tensor digits() { return numbers({kBatch, 1, 28, 28}, 101); }
Tensor pictures() { return numbers({kBatch, 3, 32, 32}, 101); }
Case lenet() { return classifier_training(made<LeNet>(), digits()); }
Case cifar() { return classifier_training(made<Cifar>(), pictures()); }
Case cifar_channels_last() {
  auto model = made<Cifar>();
  to_channels_last(*model);
  return classifier_training(model, pictures().contiguous(torch::MemoryFormat::ChannelsLast));
}

template <class Model>
Case inference(std::shared_ptr<Model> model, Tensor x) {
  const auto step = [=] {
    torch::NoGradGuard no_grad;
    return model->forward(x);
  };
  return {[step] { return step().abs().sum().template item<double>(); }, [step] { step(); }, {}};
}
Case lenet_inference() { return inference(made<LeNet>(), digits()); }
Case cifar_inference() { return inference(made<Cifar>(), pictures()); }

Case addition(std::int64_t n, bool recorded) {
  const Tensor a = numbers({n}, 1, recorded), b = numbers({n}, 2);
  return {[=] { return (a + b).detach().abs().sum().item<double>() / static_cast<double>(n); },
          [=] { a + b; },
          {}};
}
Case copy() {
  const Tensor a = numbers({16 << 20}, 1);
  return {[=] { return a.clone().abs().mean().item<double>(); }, [=] { a.clone(); }, {}};
}

#ifndef RACE_LIBTORCH
// The host's part of an operation on an asynchronous device.
Case sim_submit() {
  const torch::Device sim("sim:0");
  const Tensor a = numbers({8}, 1).to(sim), b = numbers({8}, 2).to(sim);
  return {[=] { return (a + b).cpu().abs().sum().item<double>() / 8; }, [=] { a + b; },
          [=] { torch::synchronize(sim); },
          100};  // few enough for the stream's queue to accept them without waiting
}
#endif

void set_threads(int threads) {
#ifdef RACE_LIBTORCH
  at::set_num_threads(threads);
#else
  td::set_parallel_width(threads);
#endif
}

}  // namespace

int main(int argc, char** argv) {
  const bench::Cases cases{
      {"add_1", [] { return addition(1, false); }},
      {"add_1_recorded", [] { return addition(1, true); }},
      {"add_8", [] { return addition(8, false); }},
      {"add_8_recorded", [] { return addition(8, true); }},
      {"add_1e7", [] { return addition(10'000'000, false); }},
      {"clone_64MiB", copy},
      {"simple", simple},
      {"mlp_momentum", mlp_momentum},
      {"mlp_adam", mlp_adam},
      {"mlp_narrow", mlp_narrow},
      {"lenet", lenet},
      {"cifar", cifar},
      {"cifar_channels_last", cifar_channels_last},
      {"lenet_inference", lenet_inference},
      {"cifar_inference", cifar_inference},
#ifndef RACE_LIBTORCH
      {"sim_submit", sim_submit},
#endif
  };
  return bench::serve(argc, argv, cases, set_threads);
}

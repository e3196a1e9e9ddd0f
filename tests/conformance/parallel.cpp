// replicate and parallel_apply, which libtorch runs without a GPU, too: all replicas on the cpu.
// data_parallel is not here: its scatter and gather are not in a libtorch without CUDA.
#include "conformance.h"

#ifdef CONFORMANCE_WITH_LIBTORCH
#define C10_CUDA_NO_CMAKE_CONFIGURE_FILE  // Debian builds libtorch without CUDA
#include <torch/nn/parallel/data_parallel.h>
#endif

using namespace conformance;
namespace nn = torch::nn;

namespace {

const std::vector<torch::Device> kTwo{torch::Device("cpu"), torch::Device("cpu")};

struct CounterImpl : nn::Cloneable<CounterImpl> {
  CounterImpl() { reset(); }
  void reset() override {
    linear = register_module("linear", nn::Linear(3, 2));
    scale = register_parameter("scale", torch::ones({2}));
    count = register_buffer("count", torch::zeros({}));
  }
  Tensor forward(const Tensor& x) {
    torch::NoGradGuard no_grad;
    count += 1;
    torch::AutoGradMode mode(recorded);
    return linear(x) * scale;
  }
  bool recorded = true;
  nn::Linear linear{nullptr};
  Tensor scale, count;
};
TORCH_MODULE(Counter);

struct ThrowsImpl : nn::Cloneable<ThrowsImpl> {
  void reset() override {}
  Tensor forward(const Tensor& x) {
    if (x.size(0) == 3) throw std::runtime_error("three rows");
    return x;
  }
};
TORCH_MODULE(Throws);

void replicas() {
  Counter net;
  set_weights(*net);
  auto replicas = nn::parallel::replicate(net, kTwo);
  REPORT(replicas.size());
  for (std::size_t r = 0; r < replicas.size(); ++r) {
    Context here("replica " + std::to_string(r));
    for (const auto& item : replicas[r]->named_parameters()) {
      print(item.key(), item.value());
      report(item.key() + " is a leaf", [&] { return item.value().is_leaf(); });
    }
    REPORT(replicas[r]->parameters().size());
    REPORT(replicas[r]->is_training());
  }
  net->eval();
  replicas = nn::parallel::replicate(net, kTwo);
  REPORT(replicas[1]->is_training());
  REPORT(replicas[1]->linear->is_training());
}

void gradients() {
  Counter net;
  set_weights(*net);
  auto replicas = nn::parallel::replicate(net, kTwo);
  const Tensors inputs{formula({4, 3}), formula({3, 3}, torch::kFloat32, 1, 0, 0.9)};
  const Tensors outputs = nn::parallel::parallel_apply(replicas, inputs);
  print("outputs", outputs);
  torch::cat(outputs).pow(2).mean().backward();
  for (const auto& item : net->named_parameters())
    print("gradient of " + item.key(), item.value().grad());
  REPORT(replicas[1]->scale.grad().defined());
  REPORT(replicas[0]->count);
  REPORT(replicas[1]->count);
  REPORT(net->count);  // libtorch's replica 0 is a copy: its update is lost
}

void frozen() {
  Counter net;
  set_weights(*net);
  net->linear->weight.requires_grad_(false);
  auto replicas = nn::parallel::replicate(net, kTwo);
  const Tensors inputs{formula({2, 3}), formula({1, 3})};
  torch::cat(nn::parallel::parallel_apply(replicas, inputs)).sum().backward();
  REPORT(net->linear->weight.grad().defined());
  REPORT(net->linear->bias.grad());
}

void unused_output() {
  Counter net;
  set_weights(*net);
  auto replicas = nn::parallel::replicate(net, kTwo);
  const Tensors inputs{formula({2, 3}), formula({1, 3})};
  const Tensors outputs = nn::parallel::parallel_apply(replicas, inputs);
  REPORT_THROWS(outputs[1].sum().backward());  // libtorch adds gradients that were never computed
}

void numbers_and_errors() {
  std::vector<Counter> modules{Counter(), Counter()};
  for (Counter& module : modules) set_weights(*module);
  REPORT_THROWS(nn::parallel::parallel_apply(modules, Tensors{formula({1, 3})}));
  const Tensors two{formula({1, 3}), formula({2, 3})};
  const std::vector<torch::Device> one{torch::Device("cpu")};
  REPORT_THROWS(nn::parallel::parallel_apply(modules, two, one));
  REPORT(nn::parallel::parallel_apply(modules, two, kTwo));
  std::vector<Throws> throwing{Throws(), Throws()};
  REPORT_THROWS(nn::parallel::parallel_apply(throwing, Tensors{formula({2}), formula({3})}));
  REPORT(nn::parallel::parallel_apply(throwing, Tensors{formula({2}), formula({4})}));
  {
    torch::NoGradGuard no_grad;
    for (Counter& module : modules) module->recorded = false;
    REPORT(nn::parallel::parallel_apply(modules, two)[1].requires_grad());
  }
}

}  // namespace

int main() {
  replicas();
  gradients();
  frozen();
  unused_output();
  numbers_and_errors();
  return 0;
}

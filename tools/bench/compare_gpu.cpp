// td's side of compare_gpu.py: training steps, small operations, copies and products, on any
// device. compare_gpu_torch.py does the same work with PyTorch, raw_cuda.cpp the copies and
// products with CUDA's own calls. Started by the driver, with the protocol of worker.h.
// Invariant: what a network computes depends on its name and size alone, so that the losses of both
// sides can be compared.
#include <memory>
#include <optional>
#include <utility>

#include "../../chapters/04_training_loop/models.h"
#include "formula.h"
#include "td/device/allocator.h"
#include "worker.h"

namespace {

using namespace td;
namespace F = nn::functional;
using bench::classes, bench::initialize, bench::mlp, bench::numbers;
using bench::Job;
using bench::Request;

struct Task {
  nn::Sequential model;
  Tensor x, y;  // y holds classes, or numbers for the mean squared error
};

// The sizes of the large MLP, whose products raw_cuda.cpp runs alone.
struct LargeMlp {
  explicit LargeMlp(const Request& r)
      : batch(r.sized(8192, 32)),
        inputs(r.sized(4096, 48)),
        width(r.sized(8192, 64)),
        outputs(r.sized(1024, 16)) {}
  std::int64_t batch, inputs, width, outputs;
};

Task task_of(const Request& r) {
  const std::int64_t batch = r.sized(64, 8);
  if (r.work == "simple") return {simple_model(1), numbers({100, 10}, 101), numbers({100, 1}, 102)};
  if (r.work == "mlp") return {mlp(784, 512, 10), numbers({batch, 784}, 101), classes(batch, 10)};
  if (r.work == "lenet") return {lenet(), numbers({batch, 1, 28, 28}, 101), classes(batch, 10)};
  if (r.work == "cifar") return {cifar_net(), numbers({batch, 3, 32, 32}, 101), classes(batch, 10)};
  const LargeMlp s(r);
  return {mlp(s.inputs, s.width, s.outputs), numbers({s.batch, s.inputs}, 101),
          classes(s.batch, s.outputs)};
}

optional<ScalarType> autocast_type(const std::string& precision) {
  if (precision == "bfloat16") return kBFloat16;
  if (precision == "float16") return kHalf;
  return nullopt;
}

// As PyTorch's side does it.
void set_precision(const Request& r) {
  set_cudnn_benchmark(true);
  set_float32_matmul_precision(r.precision == "tf32" ? "high" : "highest");
}

// A network and its step. A scaled one never waits for the device, because its scaler steps there.
class Training {
 public:
  explicit Training(const Request& r)
      : device_(r.device),
        fast_(autocast_type(r.precision)),
        scaled_(r.precision == "float16" || r.precision == "scaled"),
        task_(task_of(r)),
        optimizer_(parameters_on_device(), optim::SGDOptions(0.01).capturable(scaled_)) {
    task_.x = task_.x.to(device_);
    task_.y = task_.y.to(device_);
  }

  void step() {
    optimizer_.zero_grad();
    loss_ = forward();
    if (!scaled_) {
      loss_.backward();
      optimizer_.step();
      return;
    }
    scaler_.scale(loss_).backward();
    scaler_.step_on_device(optimizer_);
    scaler_.update();
  }
  double loss() const { return loss_.item<double>(); }

 private:
  TensorList parameters_on_device() {
    initialize(task_.model);
    task_.model->to(device_);
    return task_.model->parameters();
  }
  Tensor forward() {
    const amp::AutocastGuard autocast(device_.type(), fast_, fast_.has_value());
    const Tensor out = task_.model->forward(task_.x);
    return task_.y.is_floating_point() ? F::mse_loss(out, task_.y) : F::cross_entropy(out, task_.y);
  }

  Device device_;
  optional<ScalarType> fast_;
  bool scaled_;
  Task task_;
  optim::SGD optimizer_;
  amp::GradScaler scaler_;
  Tensor loss_;
};

constexpr int kCheckedSteps = 5;

Job eager_training(const Request& r, const std::shared_ptr<Training>& training) {
  Job job{[training] { training->step(); }, [d = Device(r.device)] { synchronize(d); }, {}};
  for (int i = 0; i < kCheckedSteps; ++i) {
    training->step();
    job.values.push_back(training->loss());
  }
  return job;
}

// The first steps run without a graph, because the capture needs the objects that they create.
Job graph_training(const Request& r, const std::shared_ptr<Training>& training) {
  const Stream stream = getStreamFromPool(Device(r.device));
  const StreamGuard guard(stream);
  const auto graph = std::make_shared<Graph>();
  Job job{[=] {
            const StreamGuard on(stream);
            graph->replay();
          },
          [=] { stream.synchronize(); },
          {}};
  synchronize(stream.device());
  for (int i = 0; i < kCheckedSteps; ++i) {
    if (i == 3) graph->capture(stream, [&] { training->step(); });
    i < 3 ? training->step() : graph->replay();
    stream.synchronize();
    job.values.push_back(training->loss());
  }
  return job;
}

Job train(const Request& r) {
  const Device device(r.device);
  set_precision(r);
  empty_cache();
  allocator(device).reset_peak();
  const std::size_t before = memory_stats(device).allocated;
  const auto training = std::make_shared<Training>(r);
  Job job = r.mode == "graph" ? graph_training(r, training) : eager_training(r, training);
  job.begin = [r] { set_precision(r); };
  job.loss = [training] { return training->loss(); };  // keeps the tensors of a graph, too
  job.peak_bytes = memory_stats(device).peak_allocated - before;
  return job;
}

// Small operations, for the host's time.
Job operation(const Request& r) {
  const Device device(r.device);
  Tensor a = numbers({16, 16}, 1).to(device), b = numbers({16, 16}, 2).to(device);
  if (r.work == "add_recorded" || r.work == "linear") a.requires_grad_();
  std::function<Tensor()> call = [=] { return a + b; };
  if (r.work == "mm") call = [=] { return mm(a, b); };
  if (r.work == "linear") call = [=] { return relu(linear(b, a, {})); };
  const double sum = call().detach().abs().sum().item<double>();
  return {[call] { call(); }, [device] { synchronize(device); }, {sum}};
}

// 256 MiB one way, or on a side stream while a product runs.
Job copy(const Request& r) {
  const Device device(r.device);
  const bool to_host = r.work.starts_with("to_host"), pinned = !r.work.ends_with("pageable");
  const bool both = r.work == "overlap";
  const Tensor host = numbers({r.sized(64 << 20, 1 << 10)}, 1), there = host.to(device);
  const Tensor memory = pinned ? host.pin_memory() : host;
  const Tensor square = numbers({r.sized(4096, 32), r.sized(4096, 32)}, 2).to(device);
  const Stream side = getStreamFromPool(device);
  const auto move = [=] { (to_host ? memory : there).copy_(to_host ? there : memory, pinned); };
  const auto step = [=] {
    if (both || r.work == "product") mm(square, square);
    if (r.work == "product") return;
    const StreamGuard guard(side);
    move();
  };
  step();
  synchronize(device);
  return {step,
          [device] { synchronize(device); },
          {(there[7] + memory[7].item<float>()).item<double>()},
          [r] { set_precision(r); }};
}

Job setup(const Request& r) {
  check_device(Device(r.device));
  if (r.mode != "eager" && r.mode != "graph") fail<Error>("td has no mode ", r.mode);
  for (const char* name : {"simple", "mlp", "large_mlp", "lenet", "cifar"})
    if (r.work == name) return train(r);
  for (const char* name : {"add", "add_recorded", "mm", "linear"})
    if (r.work == name) return operation(r);
  for (const char* name : {"to_device_pageable", "to_device_pinned", "to_host_pageable",
                           "to_host_pinned", "product", "overlap"})
    if (r.work == name) return copy(r);
  fail<Error>("there is no work ", r.work);
}

}  // namespace

int main() { return bench::work(setup); }

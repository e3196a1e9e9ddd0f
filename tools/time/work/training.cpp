// The workloads that train a network: on one device, with DataParallel, or as one rank of DDP; with
// autocast, from pinned memory, as a graph. Weights and batch come from bench/formula.h.
// Invariant: what a step computes does not depend on the configuration, apart from rounding.
#include <functional>

#include "../../../chapters/04_training_loop/models.h"
#include "../../bench/formula.h"
#include "distributed/ddp/ddp.h"
#include "job.h"

namespace timing {
namespace {

using namespace td;

/// A network, and a batch in host memory.
struct Task {
  nn::Sequential model{nullptr};
  Tensor x, y;  // y holds classes, or numbers for the mean squared error
};

Task task_of(const Workload& work) {
  const std::int64_t n = work.batch;
  const std::string& name = work.name;
  if (name == "simple")
    return {simple_model(1), bench::numbers({n, 10}, 101), bench::numbers({n, 1}, 102)};
  const Tensor y = bench::classes(n, 10);
  if (name == "lenet") return {lenet(), bench::numbers({n, 1, 28, 28}, 101), y};
  if (name == "cifar") return {cifar_net(), bench::numbers({n, 3, 32, 32}, 101), y};
  return {bench::mlp(work.size / 2, work.size, 10), bench::numbers({n, work.size / 2}, 101), y};
}

class Training : public Job {
 public:
  Training(const Case& c, Rank rank)
      : device_(c.device == kCPU ? Device(kCPU) : Device(c.device, rank.rank)),
        amp_(c.amp),
        pinned_(c.pinned),
        scaled_(c.amp == kHalf),
        task_(task_of(*c.work)),
        optimizer_(parameters_on_device(), optim::SGDOptions(0.01).capturable(scaled_)) {
    take_share(rank);
    forward_ = forward_of(c);
    x_ = task_.x.to(device_);
    y_ = task_.y.to(device_);
  }

  void step() override { train(x_, y_); }
  void step_with_transfers() override {
    // data_parallel copies each part from the host to its device, not all to the first one.
    const Tensor x = scatters_ ? task_.x : task_.x.to(device_, pinned_);
    train(x, task_.y.to(device_, pinned_));
    value();
  }
  void wait() override {
    if (scatters_)
      for (const Device device : devices_) synchronize(device);
    else
      synchronize(device_);
  }
  double value() override { return loss_.item<double>(); }

 protected:
  void train(const Tensor& x, const Tensor& y) {
    optimizer_.zero_grad();
    {
      const amp::AutocastGuard autocast(device_.type(), amp_, amp_.has_value());
      const Tensor out = forward_(x);
      loss_ = y.is_floating_point() ? mse_loss(out, y) : nn::functional::cross_entropy(out, y);
    }
    if (!scaled_) {
      loss_.backward();
      optimizer_.step();
      return;
    }
    scaler_.scale(loss_).backward();
    scaler_.step_on_device(optimizer_);  // unlike step() it does not block the host
    scaler_.update();
  }

  Device device_;             // of the first replica, and of the loss
  optional<ScalarType> amp_;  // what autocast computes in; empty: off
  bool pinned_, scaled_;      // float16 has too small a range for gradients that are not scaled
  bool scatters_ = false;     // the step is DataParallel's
  Task task_;
  optim::SGD optimizer_;
  amp::GradScaler scaler_;
  std::vector<Device> devices_;
  std::function<Tensor(const Tensor&)> forward_;
  Tensor x_, y_, loss_;

 private:
  TensorList parameters_on_device() {
    bench::initialize(task_.model);
    task_.model->to(device_);
    return task_.model->parameters();
  }
  /// Ranks divide the batch: the mean of their losses is the loss of the whole.
  void take_share(Rank rank) {
    const std::int64_t rows = task_.x.size(0) / rank.ranks;
    task_.x = task_.x.narrow(0, rank.rank * rows, rows).contiguous();
    task_.y = task_.y.narrow(0, rank.rank * rows, rows).contiguous();
    if (!pinned_) return;
    task_.x = task_.x.pin_memory();
    task_.y = task_.y.pin_memory();
  }
  std::function<Tensor(const Tensor&)> forward_of(const Case& c) {
    if (c.method == Method::kDdp) {
      // It starts to average the gradients of late layers while backward computes the others.
      distributed::DistributedDataParallel ddp(task_.model);
      return [ddp](const Tensor& x) mutable { return ddp->forward(x); };
    }
    if (c.method == Method::kSingle)
      return [this](const Tensor& x) { return task_.model->forward(x); };
    scatters_ = true;
    for (int i = 0; i < c.devices; ++i) devices_.emplace_back(c.device, i);
    return
        [this](const Tensor& x) { return nn::parallel::data_parallel(task_.model, x, devices_); };
  }
};

/// The same step, captured on a stream of its own and replayed.
class CapturedTraining : public Training {
 public:
  explicit CapturedTraining(const Case& c) : Training(c, {}), stream_(getStreamFromPool(device_)) {}

  void step() override {
    const StreamGuard guard(stream_);
    graph_.replay();
  }
  void step_with_transfers() override {
    const StreamGuard guard(stream_);
    x_.copy_(task_.x, pinned_);
    y_.copy_(task_.y, pinned_);
    graph_.replay();
    value();
  }
  double value() override {
    const StreamGuard guard(stream_);
    return Training::value();
  }
  /// The first steps run without a graph, because the capture needs the objects that they create.
  double checked_value() override {
    constexpr int kEagerSteps = 3;
    synchronize(device_);  // the batch and the weights came on another stream
    {
      const StreamGuard guard(stream_);
      for (int i = 0; i < kEagerSteps; ++i) train(x_, y_);
    }
    graph_.capture(stream_, [this] { train(x_, y_); });
    for (int i = kEagerSteps; i < kCheckedSteps; ++i) step();  // a capture itself runs nothing
    return value();
  }

 private:
  Stream stream_;
  Graph graph_;
};

}  // namespace

std::unique_ptr<Job> make_training(const Case& c, Rank rank) {
  if (c.graph) return std::make_unique<CapturedTraining>(c);
  return std::make_unique<Training>(c, rank);
}

}  // namespace timing

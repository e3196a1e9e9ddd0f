// The workloads without a network: copies between host and device, and a matrix product.
#include "../../bench/formula.h"
#include "job.h"
#include "td/base/parallel.h"
#include "td/ops/autocast_guard.h"

namespace timing {
namespace {

using namespace td;

/// Host memory to the device, and back to other host memory.
class Copies : public Job {
 public:
  explicit Copies(const Case& c)
      : device_(c.device, 0),
        pinned_(c.pinned),
        host_(bench::numbers({c.work->size}, 1)),
        back_(td::zeros({c.work->size})) {
    if (pinned_) {
      host_ = host_.pin_memory();
      back_ = back_.pin_memory();
    }
    there_ = td::empty({c.work->size}, device_);  // once: an allocation is not part of a copy
  }
  void step() override {
    there_.copy_(host_, pinned_);
    back_.copy_(there_, pinned_);
  }
  void step_with_transfers() override {
    step();
    wait();
  }
  void wait() override { synchronize(device_); }
  double value() override {
    wait();
    return back_.abs().mean().item<double>();
  }

 private:
  Device device_;
  bool pinned_;
  Tensor host_, there_, back_;
};

/// A float32 product, or with autocast one of a 16-bit type, whose casts are part of the step.
class Matmul : public Job {
 public:
  explicit Matmul(const Case& c)
      : device_(c.device, 0),
        amp_(c.amp),
        host_a_(bench::numbers({c.work->size, c.work->size}, 1)),
        host_b_(bench::numbers({c.work->size, c.work->size}, 2)),
        a_(host_a_.to(device_)),
        b_(host_b_.to(device_)) {}
  void step() override { product_ = multiply(a_, b_); }
  void step_with_transfers() override {
    product_ = multiply(host_a_.to(device_), host_b_.to(device_)).to(Device(kCPU));
  }
  void wait() override { synchronize(device_); }
  double value() override { return product_.to(kFloat).abs().mean().item<double>(); }

 private:
  Tensor multiply(const Tensor& a, const Tensor& b) const {
    const amp::AutocastGuard autocast(device_.type(), amp_, amp_.has_value());
    return mm(a, b);
  }
  Device device_;
  optional<ScalarType> amp_;
  Tensor host_a_, host_b_, a_, b_, product_;
};

}  // namespace

std::unique_ptr<Job> make_copy(const Case& c) { return std::make_unique<Copies>(c); }
std::unique_ptr<Job> make_matmul(const Case& c) { return std::make_unique<Matmul>(c); }

std::unique_ptr<Job> make_job(const Case& c, Rank rank) {
  const std::string& name = c.work->name;
  if (name == "copy") return make_copy(c);
  if (name == "matmul") return make_matmul(c);
  return make_training(c, rank);
}

void set_threads(const Case& c) {
  // A sim device computes on its own cores; the host that launches its work needs one.
  const int ranks = c.method == Method::kDdp ? c.devices : 1;
  set_parallel_width(c.device == kSIM ? 1 : std::max(1, threads_of(c) / ranks));
}

}  // namespace timing

// BatchNorm1d and BatchNorm2d: one body, told apart by the dimensions they accept.
#include "td/nn/functional.h"
#include "td/nn/init.h"
#include "td/nn/layers.h"
#include "td/ops/ops.h"

namespace td::nn {

template <int spatial, class Derived>
BatchNormImplBase<spatial, Derived>::BatchNormImplBase(const BatchNormOptions& options_)
    : options(options_) {
  BatchNormImplBase::reset();
}

template <int spatial, class Derived>
void BatchNormImplBase<spatial, Derived>::reset() {
  const std::int64_t features = options.num_features();
  const bool affine = options.affine(), tracks = options.track_running_stats();
  weight = this->register_parameter("weight", affine ? empty({features}) : Tensor());
  bias = this->register_parameter("bias", affine ? empty({features}) : Tensor());
  running_mean = this->register_buffer("running_mean", tracks ? empty({features}) : Tensor());
  running_var = this->register_buffer("running_var", tracks ? empty({features}) : Tensor());
  num_batches_tracked =
      this->register_buffer("num_batches_tracked", tracks ? empty({}, kLong) : Tensor());
  reset_parameters();
}

template <int spatial, class Derived>
void BatchNormImplBase<spatial, Derived>::reset_running_stats() {
  if (!options.track_running_stats()) return;
  init::zeros_(running_mean);
  init::ones_(running_var);
  init::zeros_(num_batches_tracked);
}

template <int spatial, class Derived>
void BatchNormImplBase<spatial, Derived>::reset_parameters() {
  reset_running_stats();
  if (!options.affine()) return;
  init::ones_(weight);
  init::zeros_(bias);
}

template <int spatial, class Derived>
void BatchNormImplBase<spatial, Derived>::pretty_print(std::ostream& stream) const {
  stream << "BatchNorm" << spatial << "d(" << options.num_features() << ", eps=" << options.eps()
         << ", momentum=";
  if (options.momentum())
    stream << *options.momentum();
  else
    stream << "None";
  stream << ", affine=" << (options.affine() ? "True" : "False")
         << ", track_running_stats=" << (options.track_running_stats() ? "True" : "False") << ")";
}

template <int spatial, class Derived>
Tensor BatchNormImplBase<spatial, Derived>::forward(const Tensor& input) {
  const std::int64_t dims = input.dim();
  TD_CHECK(ShapeError, spatial == 2 ? dims == 4 : (dims == 2 || dims == 3), "BatchNorm", spatial,
           "d: expected ",
           spatial == 2 ? "4 dimensions (N, C, H, W)" : "2 or 3 dimensions (N, C) or (N, C, L)",
           " but the input is ", input.sizes());
  optional<double> momentum = options.momentum();
  if (this->is_training() && options.track_running_stats()) {
    num_batches_tracked.add_(1);
    // Without a momentum the running statistics are the average over all batches so far.
    if (!momentum) momentum = 1.0 / num_batches_tracked.template item<double>();
  }
  return functional::batch_norm(input, running_mean, running_var,
                                functional::BatchNormFuncOptions()
                                    .weight(weight)
                                    .bias(bias)
                                    .training(this->is_training() || !options.track_running_stats())
                                    .momentum(momentum.value_or(0.0))
                                    .eps(options.eps()));
}

template class BatchNormImplBase<1, BatchNorm1dImpl>;
template class BatchNormImplBase<2, BatchNorm2dImpl>;

}  // namespace td::nn

// The layers besides Linear. Each `NameImpl` holds parameters
// and computes in forward; `Name` is its handle. Parameters start with libtorch's distributions.
// Printed as Python prints them.
#pragma once

#include "td/device/stream.h"
#include "td/nn/init.h"
#include "td/nn/linear.h"
#include "td/nn/options.h"

namespace td::nn {

/// Cross-correlation over (N, C, H, W). weight (out, in / groups, kernel height, kernel width). The
/// output is (H + 2 padding - dilation (kernel height - 1) - 1) / stride + 1 high, rounded down.
class Conv2dImpl : public Cloneable<Conv2dImpl> {
 public:
  Conv2dImpl(std::int64_t in_channels, std::int64_t out_channels, ExpandingArray<2> kernel_size);
  explicit Conv2dImpl(const Conv2dOptions& options_);
  void reset() override;
  void reset_parameters();
  void pretty_print(std::ostream& stream) const override;
  Tensor forward(const Tensor& input);

  Conv2dOptions options;
  Tensor weight, bias;  ///< `bias` is undefined when the options leave it out.
};
TD_MODULE(Conv2d);

/// max(x, 0).
class ReLUImpl : public PlainModuleBase<ReLUImpl, ReLUOptions> {
 public:
  using PlainModuleBase::PlainModuleBase;
  void pretty_print(std::ostream& stream) const override;
  Tensor forward(const Tensor& input);
};
TD_MODULE(ReLU);

namespace detail {
/// True or False, as Python prints it.
inline const char* python(bool value) { return value ? "True" : "False"; }
}  // namespace detail

/// Normalizes each channel (dimension 1): with the batch's statistics in training, with the running
/// ones in evaluation.
template <int spatial, class Derived>
class BatchNormImplBase : public Cloneable<Derived> {
 public:
  explicit BatchNormImplBase(const BatchNormOptions& options_) : options(options_) {
    BatchNormImplBase::reset();
  }
  void reset() override {
    const std::int64_t features = options.num_features();
    const auto make = [&](bool wanted) { return wanted ? empty({features}) : Tensor(); };
    const bool tracks = options.track_running_stats();
    weight = this->register_parameter("weight", make(options.affine()));
    bias = this->register_parameter("bias", make(options.affine()));
    running_mean = this->register_buffer("running_mean", make(tracks));
    running_var = this->register_buffer("running_var", make(tracks));
    num_batches_tracked =
        this->register_buffer("num_batches_tracked", tracks ? empty({}, kLong) : Tensor());
    reset_parameters();
  }
  void reset_parameters() {
    reset_running_stats();
    if (!options.affine()) return;
    init::ones_(weight);
    init::zeros_(bias);
  }
  /// Running statistics of a distribution with mean 0 and variance 1.
  void reset_running_stats() {
    if (!options.track_running_stats()) return;
    init::zeros_(running_mean);
    init::ones_(running_var);
    init::zeros_(num_batches_tracked);
  }
  void pretty_print(std::ostream& stream) const override {
    stream << "BatchNorm" << spatial << "d(" << options.num_features() << ", eps=" << options.eps()
           << ", momentum=";
    if (options.momentum())
      stream << *options.momentum();
    else
      stream << "None";
    stream << ", affine=" << detail::python(options.affine())
           << ", track_running_stats=" << detail::python(options.track_running_stats()) << ")";
  }
  /// @throws ShapeError for another number of dimensions.
  Tensor forward(const Tensor& input) {
    const std::int64_t dims = input.dim();
    TD_CHECK(ShapeError, spatial == 2 ? dims == 4 : (dims == 2 || dims == 3), "BatchNorm", spatial,
             "d: expected ",
             spatial == 2 ? "4 dimensions (N, C, H, W)" : "2 or 3 dimensions (N, C) or (N, C, L)",
             " but the input is ", input.sizes());
    optional<double> momentum = options.momentum();
    if (this->is_training() && options.track_running_stats()) {
      num_batches_tracked.add_(1);
      // Without a momentum the running statistics are the average over all batches so far.
      if (!momentum) {
        check_may_wait("BatchNorm without a momentum", num_batches_tracked.device());
        momentum = 1.0 / num_batches_tracked.item<double>();
      }
    }
    const bool by_batch = this->is_training() || !options.track_running_stats();
    return td::batch_norm(input, weight, bias, running_mean, running_var, by_batch,
                          momentum.value_or(0.0), options.eps());
  }

  BatchNormOptions options;
  Tensor weight, bias;         ///< Scale and shift; undefined without `affine`.
  Tensor running_mean;         ///< Buffer of shape (C); undefined without `track_running_stats`.
  Tensor running_var;          ///< As `running_mean`.
  Tensor num_batches_tracked;  ///< Buffer, int64, 0-dimensional.
};
/// For (N, C) and (N, C, L).
class BatchNorm1dImpl : public BatchNormImplBase<1, BatchNorm1dImpl> {
 public:
  using BatchNormImplBase::BatchNormImplBase;
};
TD_MODULE(BatchNorm1d);
/// For (N, C, H, W).
class BatchNorm2dImpl : public BatchNormImplBase<2, BatchNorm2dImpl> {
 public:
  using BatchNormImplBase::BatchNormImplBase;
};
TD_MODULE(BatchNorm2d);

/// A layer without parameters: options, a text, a function.
#define TD_PLAIN_LAYER(Name)                                             \
  class Name##Impl : public PlainModuleBase<Name##Impl, Name##Options> { \
   public:                                                               \
    using PlainModuleBase::PlainModuleBase;                              \
    void pretty_print(std::ostream& stream) const override;              \
    Tensor forward(const Tensor& input);                                 \
  };                                                                     \
  TD_MODULE(Name)
/// A layer without options.
#define TD_FUNCTION_LAYER(Name, function)                               \
  class Name##Impl : public Cloneable<Name##Impl> {                     \
   public:                                                              \
    void reset() override {}                                            \
    Tensor forward(const Tensor& input) { return td::function(input); } \
  };                                                                    \
  TD_MODULE(Name)

/// The largest value of each window of (N, C, H, W).
TD_PLAIN_LAYER(MaxPool2d);
/// The average over windows of (N, C, H, W).
TD_PLAIN_LAYER(AvgPool2d);
/// The average over windows that give the output the requested sizes.
TD_PLAIN_LAYER(AdaptiveAvgPool2d);
/// In training sets elements to zero with probability p and scales the rest by 1 / (1 - p).
class DropoutImpl : public Cloneable<DropoutImpl> {
 public:
  explicit DropoutImpl(const DropoutOptions& options_ = {});
  /// @throws Error when p is no probability.
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  Tensor forward(const Tensor& input);
  DropoutOptions options;
};
TD_MODULE(Dropout);
/// Joins the dimensions from start_dim to end_dim into one.
TD_PLAIN_LAYER(Flatten);
/// The hyperbolic tangent.
TD_FUNCTION_LAYER(Tanh, tanh);

#undef TD_PLAIN_LAYER
#undef TD_FUNCTION_LAYER

}  // namespace td::nn

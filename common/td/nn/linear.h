// Linear, the layer of plain networks: what it holds and what it computes.
#pragma once

#include "td/base/arg.h"
#include "td/nn/module_holder.h"

namespace td::nn {

/// For Linear: y = x W^T + b.
struct LinearOptions {
  LinearOptions(std::int64_t in_features, std::int64_t out_features)
      : in_features_(in_features), out_features_(out_features) {}
  /// Size of each input row.
  TD_ARG(std::int64_t, in_features);
  /// Size of each output row.
  TD_ARG(std::int64_t, out_features);
  /// Whether to add b.
  TD_ARG(bool, bias) = true;
};

/// y = x W^T + b over the last dimension. weight (out, in), bias (out), both uniform within
/// 1 / sqrt(in).
class LinearImpl : public Cloneable<LinearImpl> {
 public:
  LinearImpl(std::int64_t in_features, std::int64_t out_features);
  explicit LinearImpl(const LinearOptions& options_);
  void reset() override;
  void reset_parameters();
  void pretty_print(std::ostream& stream) const override;
  Tensor forward(const Tensor& input);

  LinearOptions options;
  Tensor weight, bias;  ///< `bias` is undefined when the options leave it out.
};
TD_MODULE(Linear);

}  // namespace td::nn

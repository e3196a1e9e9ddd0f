// Conv2d: parameters, printing and forward.
#include "td/nn/layers.h"

#include "td/nn/functional.h"
#include "td/nn/init.h"
#include "td/nn/reset.h"

namespace td::nn {

namespace F = functional;

Conv2dImpl::Conv2dImpl(const Conv2dOptions& options_) : options(options_) {
  TD_CHECK(ShapeError,
           options.groups() > 0 && options.in_channels() % options.groups() == 0 &&
               options.out_channels() % options.groups() == 0,
           "Conv2d: in_channels (", options.in_channels(), ") and out_channels (",
           options.out_channels(), ") must be multiples of groups (", options.groups(), ")");
  reset();
}
void Conv2dImpl::reset() {
  const ExpandingArray<2>& kernel = options.kernel_size();
  weight = parameter(
      *this, "weight", true,
      {options.out_channels(), options.in_channels() / options.groups(), kernel[0], kernel[1]});
  bias = parameter(*this, "bias", options.bias(), {options.out_channels()});
  reset_parameters();
}
void Conv2dImpl::reset_parameters() { reset_weight_and_bias(weight, bias); }
void Conv2dImpl::pretty_print(std::ostream& stream) const {
  stream << "Conv2d(" << options.in_channels() << ", " << options.out_channels()
         << ", kernel_size=" << options.kernel_size() << ", stride=" << options.stride();
  if (!(options.padding() == ExpandingArray<2>(0))) stream << ", padding=" << options.padding();
  if (!(options.dilation() == ExpandingArray<2>(1))) stream << ", dilation=" << options.dilation();
  if (options.groups() != 1) stream << ", groups=" << options.groups();
  if (!options.bias()) stream << ", bias=False";
  stream << ")";
}
Tensor Conv2dImpl::forward(const Tensor& input) {
  return F::conv2d(input, weight,
                   F::Conv2dFuncOptions()
                       .bias(bias)
                       .stride(options.stride())
                       .padding(options.padding())
                       .dilation(options.dilation())
                       .groups(options.groups()));
}

}  // namespace td::nn

// Pooling layers.
#include "td/nn/functional.h"
#include "td/nn/layers.h"

namespace td::nn {

namespace F = functional;

namespace {

// Python prints one number where all dimensions agree.
std::ostream& short_form(std::ostream& stream, const ExpandingArray<2>& array) {
  if (array[0] == array[1]) return stream << array[0];
  return stream << array;
}

}  // namespace

void MaxPool2dImpl::pretty_print(std::ostream& stream) const {
  short_form(stream << "MaxPool2d(kernel_size=", options.kernel_size());
  short_form(stream << ", stride=", options.stride());
  short_form(stream << ", padding=", options.padding());
  short_form(stream << ", dilation=", options.dilation());
  stream << ", ceil_mode=" << (options.ceil_mode() ? "True" : "False") << ")";
}
Tensor MaxPool2dImpl::forward(const Tensor& input) { return F::max_pool2d(input, options); }

void AvgPool2dImpl::pretty_print(std::ostream& stream) const {
  short_form(stream << "AvgPool2d(kernel_size=", options.kernel_size());
  short_form(stream << ", stride=", options.stride());
  short_form(stream << ", padding=", options.padding()) << ")";
}
Tensor AvgPool2dImpl::forward(const Tensor& input) { return F::avg_pool2d(input, options); }

void AdaptiveAvgPool2dImpl::pretty_print(std::ostream& stream) const {
  short_form(stream << "AdaptiveAvgPool2d(output_size=", options.output_size()) << ")";
}
Tensor AdaptiveAvgPool2dImpl::forward(const Tensor& input) {
  return F::adaptive_avg_pool2d(input, options);
}

}  // namespace td::nn

// The layers: parameters, first values, printing and forward.
#include "td/nn/layers.h"

#include "td/nn/functional.h"
#include "td/ops/ops.h"

namespace td::nn {

namespace F = functional;

namespace {

// Registers a parameter with memory but no values yet, or one that is left out.
Tensor parameter(Module& module, const char* name, bool wanted, IntArrayRef sizes) {
  return module.register_parameter(name, wanted ? empty(sizes) : Tensor());
}

// Python prints one number where all dimensions agree.
std::ostream& short_form(std::ostream& stream, const ExpandingArray<2>& array) {
  if (array[0] == array[1]) return stream << array[0];
  return stream << array;
}

}  // namespace

Conv2dImpl::Conv2dImpl(std::int64_t in_channels, std::int64_t out_channels,
                       ExpandingArray<2> kernel_size)
    : Conv2dImpl(Conv2dOptions(in_channels, out_channels, kernel_size)) {}
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
void Conv2dImpl::reset_parameters() { init::uniform_by_inputs_(weight, bias); }
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
  return td::conv2d(input, weight, bias, options.stride(), options.padding(), options.dilation(),
                    options.groups());
}

void MaxPool2dImpl::pretty_print(std::ostream& stream) const {
  short_form(stream << "MaxPool2d(kernel_size=", options.kernel_size());
  short_form(stream << ", stride=", options.stride());
  short_form(stream << ", padding=", options.padding());
  short_form(stream << ", dilation=", options.dilation());
  stream << ", ceil_mode=" << detail::python(options.ceil_mode()) << ")";
}
Tensor MaxPool2dImpl::forward(const Tensor& input) {
  return td::max_pool2d(input, options.kernel_size(), options.stride(), options.padding(),
                        options.dilation(), options.ceil_mode());
}

void AvgPool2dImpl::pretty_print(std::ostream& stream) const {
  short_form(stream << "AvgPool2d(kernel_size=", options.kernel_size());
  short_form(stream << ", stride=", options.stride());
  short_form(stream << ", padding=", options.padding()) << ")";
}
Tensor AvgPool2dImpl::forward(const Tensor& input) {
  return td::avg_pool2d(input, options.kernel_size(), options.stride(), options.padding(),
                        options.ceil_mode(), options.count_include_pad(),
                        options.divisor_override());
}

void AdaptiveAvgPool2dImpl::pretty_print(std::ostream& stream) const {
  short_form(stream << "AdaptiveAvgPool2d(output_size=", options.output_size()) << ")";
}
Tensor AdaptiveAvgPool2dImpl::forward(const Tensor& input) {
  return td::adaptive_avg_pool2d(input, options.output_size());
}

DropoutImpl::DropoutImpl(const DropoutOptions& options_) : options(options_) { reset(); }
void DropoutImpl::reset() {
  TD_CHECK(Error, options.p() >= 0 && options.p() <= 1,
           "Dropout: a probability lies between 0 and 1, not ", options.p());
}
void DropoutImpl::pretty_print(std::ostream& stream) const {
  stream << "Dropout(p=" << options.p() << ", inplace=" << detail::python(options.inplace()) << ")";
}
Tensor DropoutImpl::forward(const Tensor& input) {
  return F::dropout(
      input,
      F::DropoutFuncOptions().p(options.p()).training(is_training()).inplace(options.inplace()));
}

void FlattenImpl::pretty_print(std::ostream& stream) const {
  stream << "Flatten(start_dim=" << options.start_dim() << ", end_dim=" << options.end_dim() << ")";
}
Tensor FlattenImpl::forward(const Tensor& input) {
  return input.flatten(options.start_dim(), options.end_dim());
}

void ReLUImpl::pretty_print(std::ostream& stream) const {
  stream << "ReLU(" << (options.inplace() ? "inplace=True)" : ")");
}
Tensor ReLUImpl::forward(const Tensor& input) {
  return options.inplace() ? Tensor(input).relu_() : td::relu(input);
}

}  // namespace td::nn

// One launch for a convolution: brings the arguments into one layout and hands them to
// libs/host_conv (cpu, sim) or to cuDNN (cuda).
#include "td/ops/conv/conv.h"

#include <algorithm>

#include "td/device/precision.h"
#include "td/kernels/kernels.h"
#include "td/kernels/launch.h"
#include "td/kernels/libs/bfloat16.h"
#include "td/kernels/libs/host_conv.h"

#ifdef __CUDACC__
#include "td/backends/cuda/libs.h"
#endif

namespace td {
namespace {

using kernels::Conv2d;
using kernels::ConvSteps;

#ifdef __CUDACC__
inline cuda::Conv2d for_cudnn(const Conv2d& v) {
  return {v.dtype,      v.channels_last,
          v.n,          v.c,
          v.h,          v.w,
          v.k,          v.r,
          v.s,          v.oh,
          v.ow,         v.stride_h,
          v.stride_w,   v.padding_h,
          v.padding_w,  v.dilation_h,
          v.dilation_w, v.groups,
          allow_tf32()};
}
#endif

struct ConvWork {
  Conv2d conv;
  const void *input, *weight, *bias;
  void* output;
  int device;

  void on_host() const { kernels::host_conv2d(conv, input, weight, bias, output); }
#ifdef __CUDACC__
  void on_cuda(cudaStream_t stream) const {  // conv2d adds the bias: cuDNN's way knows no bfloat16
    cuda::libs().conv2d(for_cudnn(conv), input, weight, output, {device, stream});
  }
#endif
};

struct ConvBackwardWork {
  Conv2d conv;
  const void *grad, *input, *weight;
  void *grad_input, *grad_weight;
  int device;

  void on_host() const {
    kernels::host_conv2d_backward(conv, grad, input, weight, grad_input, grad_weight, nullptr);
  }
#ifdef __CUDACC__
  void on_cuda(cudaStream_t stream) const {
    const cuda::Conv2d v = for_cudnn(conv);
    if (grad_input)
      cuda::libs().conv2d_backward_input(v, grad, weight, grad_input, {device, stream});
    if (grad_weight)
      cuda::libs().conv2d_backward_weight(v, grad, input, grad_weight, {device, stream});
  }
#endif
};

Conv2d describe(const Tensor& output, IntArrayRef input, IntArrayRef weight,
                const ConvSteps& steps) {
  const auto number = [](std::int64_t n) {
    TD_CHECK(ShapeError, n < (std::int64_t(1) << 31), "conv2d: the size ", n, " is beyond 32 bits");
    return static_cast<int>(n);
  };
  Conv2d v;
  v.dtype = output.dtype();
  v.channels_last = output.suggest_memory_format() == MemoryFormat::ChannelsLast;
  v.n = number(input[0]), v.c = number(input[1]), v.h = number(input[2]), v.w = number(input[3]);
  v.k = number(weight[0]), v.r = number(weight[2]), v.s = number(weight[3]);
  v.oh = number(output.sizes()[2]), v.ow = number(output.sizes()[3]);
  v.stride_h = number(steps.stride[0]), v.stride_w = number(steps.stride[1]);
  v.padding_h = number(steps.padding[0]), v.padding_w = number(steps.padding[1]);
  v.dilation_h = number(steps.dilation[0]), v.dilation_w = number(steps.dilation[1]);
  v.groups = number(steps.groups);
  return v;
}

MemoryFormat format_of(bool channels_last) {
  return channels_last ? MemoryFormat::ChannelsLast : MemoryFormat::Contiguous;
}

// An uninitialised tensor of these sizes in one of the two layouts.
Tensor empty_as(IntArrayRef sizes, ScalarType dtype, Device device, bool channels_last) {
  Tensor t = empty_on(sizes, dtype, device);
  if (channels_last) t.impl().set_geometry(sizes, channels_last_strides(sizes));
  return t;
}

// `x` itself when it has this type and layout, else a copy that has. Undefined stays undefined.
Tensor arranged(const Tensor& x, ScalarType dtype, bool channels_last) {
  if (!x.defined() || (x.dtype() == dtype && x.is_contiguous(format_of(channels_last)))) return x;
  Tensor copy = empty_as(x.sizes(), dtype, x.device(), channels_last);
  kernels::convert(copy, x);
  return copy;
}

// A place for a result that will be copied into `target` where type or layout differ.
Tensor place_for(const Tensor& target, ScalarType dtype, bool channels_last) {
  if (!target.defined() ||
      (target.dtype() == dtype && target.is_contiguous(format_of(channels_last))))
    return target;
  return empty_as(target.sizes(), dtype, target.device(), channels_last);
}
void deliver(const Tensor& target, const Tensor& made) {
  if (target.defined() && !target.is_same(made)) kernels::convert(target, made);
}

// The type and the layout in which the device computes what was asked for.
struct Terms {
  ScalarType dtype;
  bool channels_last;
};
Terms terms_for(const Conv2d& v, Device device) {
  if (!device.is_cuda()) {
    const ScalarType dtype = kernels::host_convolves(v.dtype) ? v.dtype : kFloat;
    return {dtype, v.channels_last && kernels::host_conv_takes_channels_last(dtype)};
  }
#ifdef __CUDACC__
  return {v.dtype, v.channels_last && cuda::libs().supports(for_cudnn(v))};
#else
  return {v.dtype, v.channels_last};
#endif
}

const void* read(const Tensor& t) { return t.defined() ? kernel_pointer<const void>(t) : nullptr; }
void* write(const Tensor& t) { return t.defined() ? kernel_pointer<void>(t) : nullptr; }

// Images [from, from + count) of `t`, in place.
Tensor images(const Tensor& t, std::int64_t from, std::int64_t count) {
  Sizes sizes = t.impl().sizes;
  sizes[0] = count;
  return alias(t, sizes, t.impl().strides, t.impl().offset + from * t.strides()[0]);
}

// The convolution of checked arguments; weight and bias are as the device wants them.
void convolve(Conv2d v, const Tensor& output, const Tensor& input, const Tensor& w,
              const Tensor& b) {
  v.n = static_cast<int>(output.sizes()[0]);
  const Tensor x = arranged(input, v.dtype, v.channels_last);
  const Tensor y = place_for(output, v.dtype, v.channels_last);
  const ConvWork work{v, read(x), read(w), read(b), write(y), output.device().index()};
  launch("conv2d", output.device(), work, {&x, &w, &b}, {&y});
  if (b.defined() && y.is_cuda())
    kernels::add(y, y, alias(b, {v.k, 1, 1}, {1, 1, 1}, b.impl().offset), 1);
  deliver(output, y);
}

// Where images are copied to float and back, only so many at a time that the copies stay in the
// caches; the copies of a whole batch would be the largest tensors of a training in 16 bits.
constexpr std::int64_t kCopiedElements = 1 << 18;

}  // namespace

namespace kernels {

void conv2d(const Tensor& output, const Tensor& input, const Tensor& weight, const Tensor& bias,
            const ConvSteps& steps) {
  if (output.numel() == 0) return;
  Conv2d v = describe(output, input.sizes(), weight.sizes(), steps);
  const Terms terms = terms_for(v, output.device());
  v.dtype = terms.dtype;
  v.channels_last = terms.channels_last;
  const Tensor w = arranged(weight, v.dtype, v.channels_last);
  Tensor b = bias;
  if (b.defined() && (b.dtype() != v.dtype || !b.is_contiguous())) {
    b = empty_on(bias.impl().sizes, v.dtype, bias.device());
    convert(b, bias);
  }
  const std::int64_t batch = v.n, image = output.numel() / batch;
  const bool copied = v.dtype != output.dtype();
  const std::int64_t together = copied ? std::max<std::int64_t>(1, kCopiedElements / image) : batch;
  if (together >= batch) return convolve(v, output, input, w, b);
  for (std::int64_t from = 0; from < batch; from += together) {
    const std::int64_t count = std::min(together, batch - from);
    convolve(v, images(output, from, count), images(input, from, count), w, b);
  }
}

void conv2d_backward(const Tensor& grad_input, const Tensor& grad_weight, const Tensor& grad,
                     const Tensor& input, const Tensor& weight, const ConvSteps& steps) {
  const IntArrayRef input_sizes = (grad_input.defined() ? grad_input : input).sizes();
  const IntArrayRef weight_sizes = (grad_weight.defined() ? grad_weight : weight).sizes();
  if (grad.numel() == 0 || numel_of(weight_sizes) == 0 || numel_of(input_sizes) == 0) {
    if (grad_input.defined()) fill(grad_input, 0);
    if (grad_weight.defined()) fill(grad_weight, 0);
    return;
  }
  Conv2d v = describe(grad, input_sizes, weight_sizes, steps);
  const Terms terms = terms_for(v, grad.device());
  v.dtype = terms.dtype;
  v.channels_last = terms.channels_last;
  const Tensor g = arranged(grad, v.dtype, v.channels_last);
  const Tensor x = grad_weight.defined() ? arranged(input, v.dtype, v.channels_last) : Tensor();
  const Tensor w = grad_input.defined() ? arranged(weight, v.dtype, v.channels_last) : Tensor();
  const Tensor dx = place_for(grad_input, v.dtype, v.channels_last);
  const Tensor dw = place_for(grad_weight, v.dtype, v.channels_last);
  const ConvBackwardWork work{
      v, read(g), read(x), read(w), write(dx), write(dw), grad.device().index()};
  if (dx.defined() && dw.defined())
    launch("conv2d_backward", grad.device(), work, {&g, &x, &w}, {&dx, &dw});
  else
    launch("conv2d_backward", grad.device(), work, {&g, &x, &w}, {dx.defined() ? &dx : &dw});
  deliver(grad_input, dx);
  deliver(grad_weight, dw);
}

}  // namespace kernels
}  // namespace td

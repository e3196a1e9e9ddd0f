// conv2d and its gradients: checks, gradients and one launch for each, which brings the arguments
// into one memory format and passes them to libs/host_conv2d (cpu, sim) or to cuDNN (cuda).
// The convolution is linear in the input and in the weight, so its two gradients are operations of
// the same kind and each other's gradients: all three are recorded.
#include "libs/host_libs.h"
#include "libs/products.h"
#include "td/ops/pool/pool_shape.h"

#ifdef TD_DEVICE_CODE
#include "libs/cuda_libs.h"
#endif

namespace td {
namespace {

using kernels::Conv2d;

constexpr Op kConv2d{"conv2d", {"input", "weight", "bias"}, 2};

// How the kernel moves over the image.
struct ConvSteps {
  Pair stride, padding, dilation;
  std::int64_t groups;
};

struct ConvWork {
  Conv2d conv;
  const void *input, *weight, *bias;
  void* output;
  int device;

  void on_host() const { kernels::host_conv2d(conv, input, weight, bias, output); }
#ifdef TD_DEVICE_CODE
  void on_cuda(cudaStream_t stream) const {  // launch_conv adds the bias: cuDNN knows no bfloat16
    cuda::libs().conv2d(cuda::ConvKind::kForward, conv, input, weight, output, {device, stream});
  }
#endif
};

struct ConvBackwardWork {
  Conv2d conv;
  const void *grad, *input, *weight;
  void *grad_input, *grad_weight;
  int device;

  void on_host() const {
    kernels::host_conv2d_backward(conv, grad, input, weight, grad_input, grad_weight);
  }
#ifdef TD_DEVICE_CODE
  void on_cuda(cudaStream_t stream) const {
    using cuda::ConvKind;
    cuda::Libs& libs = cuda::libs();
    if (grad_input)
      libs.conv2d(ConvKind::kBackwardInput, conv, grad, weight, grad_input, {device, stream});
    if (grad_weight)
      libs.conv2d(ConvKind::kBackwardWeight, conv, grad, input, grad_weight, {device, stream});
  }
#endif
};

MemoryFormat format_of(bool channels_last) {
  return channels_last ? MemoryFormat::ChannelsLast : MemoryFormat::Contiguous;
}

// The dtype and the memory format of a tensor.
struct Layout {
  ScalarType dtype;
  MemoryFormat format;

  bool fits(const Tensor& t) const { return t.dtype() == dtype && t.is_contiguous(format); }
};
// The one in which the device computes.
Layout layout_of(const Conv2d& v) { return {v.dtype, format_of(v.channels_last)}; }

// `x` itself where it has this layout or is undefined, else a new tensor for its values.
Tensor buffer_for(const Tensor& x, const Layout& layout) {
  if (!x.defined() || layout.fits(x)) return x;
  return empty_image(x.impl().sizes, layout.dtype, x.device(), layout.format);
}
void copy_to(const Tensor& to, const Tensor& from) {
  if (to.defined() && !to.is_same(from)) kernels::convert(to, from);
}
// `x` itself where it has this layout or is undefined, else a copy that has it.
Tensor to_layout(const Tensor& x, const Layout& layout) {
  Tensor y = buffer_for(x, layout);
  copy_to(y, x);
  return y;
}

// The convolution as the output's device computes it.
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
  v.allow_tf32 = output.is_cuda() && allow_tf32();
  v.benchmark = output.is_cuda() && cudnn_benchmark();
#ifdef TD_DEVICE_CODE
  if (output.is_cuda()) {
    v.channels_last = v.channels_last && v.dtype != kDouble;  // for which cuDNN has no kernel
    return v;
  }
#endif
  if (!kernels::host_convolves(v.dtype)) v.dtype = kFloat;
  v.channels_last = v.channels_last && kernels::host_conv_takes_channels_last(v.dtype);
  return v;
}

// output = convolution of some images; weight and bias have the layout in which the device
// computes.
void launch_conv(Conv2d v, const Tensor& output, const Tensor& input, const Tensor& w,
                 const Tensor& b) {
  const Layout layout = layout_of(v);
  v.n = static_cast<int>(output.sizes()[0]);
  const Tensor x = to_layout(input, layout), y = buffer_for(output, layout);
  const ConvWork work{v, Pointer{x}, Pointer{w}, Pointer{b}, Pointer{y}, output.device().index()};
  launch("conv2d", output.device(), work, {&x, &w, &b}, {&y});
  if (b.defined() && y.is_cuda())
    kernels::add(y, y, alias(b, {v.k, 1, 1}, {1, 1, 1}, b.impl().offset), 1);
  copy_to(output, y);
}

// Where images are copied to float and back, only so many at once that the copies stay in the
// caches; the copies of a whole batch would be the largest tensors of a training in 16 bits.
constexpr std::int64_t kCopiedElements = 1 << 18;

// output = convolution of input with weight, plus the bias when defined. The memory format
// of `output` decides in which one the device computes.
void conv_forward(const Tensor& output, const Tensor& input, const Tensor& weight,
                  const Tensor& bias, const ConvSteps& steps) {
  if (output.numel() == 0) return;
  const Conv2d v = describe(output, input.sizes(), weight.sizes(), steps);
  const Tensor w = to_layout(weight, layout_of(v));
  const Tensor b = to_layout(bias, {v.dtype, MemoryFormat::Contiguous});
  const std::int64_t batch = v.n, image = output.numel() / batch;
  const std::int64_t together =
      v.dtype == output.dtype() ? batch : std::max<std::int64_t>(1, kCopiedElements / image);
  if (together >= batch) return launch_conv(v, output, input, w, b);
  for (std::int64_t from = 0; from < batch; from += together) {
    const std::int64_t count = std::min(together, batch - from);
    launch_conv(v, output.detach().narrow(0, from, count), input.detach().narrow(0, from, count), w,
                b);
  }
}

// Gradients from `grad`, that of the output, in its layout. An undefined target is not computed;
// `weight` is read for grad_input, `input` for grad_weight (the other may be undefined).
void conv_backward(const Tensor& grad_input, const Tensor& grad_weight, const Tensor& grad,
                   const Tensor& input, const Tensor& weight, const ConvSteps& steps) {
  const IntArrayRef input_sizes = (grad_input.defined() ? grad_input : input).sizes();
  const IntArrayRef weight_sizes = (grad_weight.defined() ? grad_weight : weight).sizes();
  if (grad.numel() == 0 || numel_of(weight_sizes) == 0 || numel_of(input_sizes) == 0) {
    if (grad_input.defined()) kernels::fill(grad_input, 0);
    if (grad_weight.defined()) kernels::fill(grad_weight, 0);
    return;
  }
  const Conv2d v = describe(grad, input_sizes, weight_sizes, steps);
  const Layout layout = layout_of(v);
  const Tensor g = to_layout(grad, layout);
  const Tensor x = grad_weight.defined() ? to_layout(input, layout) : Tensor();
  const Tensor w = grad_input.defined() ? to_layout(weight, layout) : Tensor();
  const Tensor dx = buffer_for(grad_input, layout), dw = buffer_for(grad_weight, layout);
  const ConvBackwardWork work{v,           Pointer{g},  Pointer{x},           Pointer{w},
                              Pointer{dx}, Pointer{dw}, grad.device().index()};
  launch("conv2d_backward", grad.device(), work, {&g, &x, &w}, {&dx, &dw});
  copy_to(grad_input, dx);
  copy_to(grad_weight, dw);
}

void check_arguments(const Tensor& x, const Tensor& w, const Tensor& b, std::int64_t groups) {
  TD_CHECK(ShapeError, x.dim() == 4,
           "conv2d: \"input\" must have sizes [batch, channels, height, width] or [channels, "
           "height, width] but has ",
           x.sizes());
  TD_CHECK(ShapeError, w.dim() == 4,
           "conv2d: \"weight\" must have sizes [out_channels, in_channels / groups, kernel_height, "
           "kernel_width] but has ",
           w.sizes());
  TD_CHECK(ShapeError, groups >= 1, "conv2d: groups must be at least 1 but got ", groups);
  TD_CHECK(ShapeError, x.size(1) == w.size(1) * groups, "conv2d: \"input\" has ", x.size(1),
           " channels but \"weight\" of sizes ", w.sizes(), " expects ", w.size(1) * groups,
           groups > 1 ? " (its second size times groups)" : "",
           "; make in_channels of the layer equal to the input's channels");
  TD_CHECK(ShapeError, w.size(0) % groups == 0, "conv2d: \"weight\" has ", w.size(0),
           " output channels, which ", groups, " groups do not divide");
  TD_CHECK(ShapeError, w.size(1) > 0 && w.size(2) > 0 && w.size(3) > 0,
           "conv2d: \"weight\" has an empty kernel: ", w.sizes());
  TD_CHECK(ShapeError, x.size(2) > 0 && x.size(3) > 0,
           "conv2d: only the batch of \"input\" may be empty but its sizes are ", x.sizes());
  TD_CHECK(ShapeError, !b.defined() || (b.dim() == 1 && b.size(0) == w.size(0)),
           "conv2d: \"bias\" must have sizes [", w.size(0),
           "], one number per output channel, but has ", b.sizes());
  TD_CHECK(DtypeError, x.is_floating_point(), "conv2d: \"input\" must be floating point but is ",
           x.dtype(), "; convert it with to(kFloat32)");
  TD_CHECK(DtypeError, w.dtype() == x.dtype() && (!b.defined() || b.dtype() == x.dtype()),
           "conv2d: \"input\" is ", x.dtype(), " but \"",
           w.dtype() == x.dtype() ? "bias" : "weight", "\" is ",
           w.dtype() == x.dtype() ? b.dtype() : w.dtype(), "; convert one with to(dtype)");
}

// Positions of the kernel along one side of the image.
std::int64_t positions(const Tensor& x, const Tensor& w, const ConvSteps& s, int side) {
  const std::int64_t size = x.sizes()[2 + side], kernel = w.sizes()[2 + side];
  const std::int64_t reach = s.dilation[side] * (kernel - 1) + 1;
  const std::int64_t padded = size + 2 * s.padding[side];
  TD_CHECK(ShapeError, padded >= reach, "conv2d: the kernel reaches over ", reach,
           " pixels but the ", side == 0 ? "height" : "width", " of \"input\" is ", size, " plus ",
           s.padding[side], " of padding on each side; enlarge the padding or the input");
  return (padded - reach) / s.stride[side] + 1;
}

// The gradient of the input or the weight, which has these sizes: a function of g and of the other
// one, linear in both.
Tensor convolve_backward(bool of_weight, const Sizes& sizes, const Tensor& g, const Tensor& other,
                         const ConvSteps& s);

// Gradients of input and weight: in one launch when no gradients of them are needed in turn.
void give_gradients(Gradients& grads, const Tensor& g, const Tensor& x, const Tensor& w,
                    const ConvSteps& s) {
  const bool wants_x = grads.should_compute(0), wants_w = grads.should_compute(1);
  if (recording(g, x, w)) {
    grads.set_lazily(0, [&] { return convolve_backward(false, x.impl().sizes, g, w, s); });
    grads.set_lazily(1, [&] { return convolve_backward(true, w.impl().sizes, g, x, s); });
  } else if (wants_x || wants_w) {
    Tensor dx, dw;
    if (wants_x) dx = empty_image(g, x.impl().sizes, g.dtype());
    if (wants_w) dw = grads.home(1);
    if (wants_w && !(dw.defined() && Layout{g.dtype(), w.suggest_memory_format()}.fits(dw)))
      dw = empty_image(w, w.impl().sizes, g.dtype());
    conv_backward(dx, dw, g, x, w, s);
    if (wants_x) grads[0] = dx;
    if (wants_w) grads[1] = dw;
  }
}

// The convolution itself, of checked arguments.
Tensor convolve(const Tensor& x, const Tensor& w, const Tensor& b, const ConvSteps& s) {
  const Sizes sizes{x.sizes()[0], w.sizes()[0], positions(x, w, s, 0), positions(x, w, s, 1)};
  Tensor y = empty_image(sizes, x.dtype(), x.device(), format_of(are_channels_last(x, w)));
  conv_forward(y, x, w, b, s);
  if (recording(x, w, b))
    record("convolution", y, {&x, &w, &b},
           [x = save(x), w = save(w), s](Gradients& grads, const Tensor& g) {
             give_gradients(grads, g, x(), w(), s);
             grads.set_lazily(2, [&] { return g.sum({0, 2, 3}); });
           });
  return y;
}

// `other` is the weight or, for a gradient of the weight, the input.
Tensor convolve_backward(bool of_weight, const Sizes& sizes, const Tensor& g, const Tensor& other,
                         const ConvSteps& s) {
  Tensor d = empty_image(g, sizes, g.dtype());
  if (of_weight)
    conv_backward({}, d, g, other, {}, s);
  else
    conv_backward(d, {}, g, {}, other, s);
  if (recording(g, other))
    record("convolution_backward", d, {&g, &other},
           [of_weight, g = save(g), other = save(other), s](Gradients& grads, const Tensor& of_d) {
             grads.set_lazily(0, [&] {
               return of_weight ? convolve(other(), of_d, {}, s) : convolve(of_d, other(), {}, s);
             });
             grads.set_lazily(1, [&] {
               return convolve_backward(!of_weight, other().impl().sizes, g(), of_d, s);
             });
           });
  return d;
}

}  // namespace

Tensor conv2d_impl(const Tensor& input, const Tensor& weight, const Tensor& bias,
                   IntArrayRef stride, IntArrayRef padding, IntArrayRef dilation,
                   std::int64_t groups) {
  common_device(kConv2d, input, weight, bias);
  if (input.dim() == 3)  // one image without a batch
    return conv2d(input.unsqueeze(0), weight, bias, stride, padding, dilation, groups).squeeze(0);
  check_arguments(input, weight, bias, groups);
  return convolve(input, weight, bias,
                  {pair_of("conv2d", "stride", stride, 1), pair_of("conv2d", "padding", padding, 0),
                   pair_of("conv2d", "dilation", dilation, 1), groups});
}

}  // namespace td

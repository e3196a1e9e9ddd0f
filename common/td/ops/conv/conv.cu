// conv2d and its gradients: checks, gradients and one launch for each, which brings the arguments
// into one memory format and passes them to libs/host_conv2d (cpu, sim) or to cuDNN (cuda).
// The convolution is linear in the input and in the weight, so its two gradients are operations of
// the same kind and each other's gradients: all three are recorded.
#include <array>

#include "td/device/products.h"
#include "td/kernels/launch.h"
#include "td/kernels/libs/host_libs.h"
#include "td/ops/op.h"

#ifdef __CUDACC__
#include "td/backends/cuda/libs.h"
#endif

namespace td {
namespace {

using kernels::Conv2d;

constexpr Op kConv2d{"conv2d", {"input", "weight", "bias"}};

// How the kernel moves over the image; each pair is {height, width}.
struct ConvSteps {
  std::array<std::int64_t, 2> stride{1, 1}, padding{0, 0}, dilation{1, 1};
  std::int64_t groups = 1;
};

struct ConvWork {
  Conv2d conv;
  const void *input, *weight, *bias;
  void* output;
  int device;

  void on_host() const { kernels::host_conv2d(conv, input, weight, bias, output); }
#ifdef __CUDACC__
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
#ifdef __CUDACC__
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
bool is_channels_last(const Tensor& t) {
  return t.suggest_memory_format() == MemoryFormat::ChannelsLast;
}

// The dtype and the memory format in which the device computes.
struct ComputeLayout {
  ScalarType dtype;
  bool channels_last;

  bool fits(const Tensor& t) const {
    return t.dtype() == dtype && t.is_contiguous(format_of(channels_last));
  }
};
ComputeLayout compute_layout(const Conv2d& v, [[maybe_unused]] Device device) {
#ifdef __CUDACC__
  if (device.is_cuda()) return {v.dtype, v.channels_last && cuda::libs().supports(v)};
#endif
  const ScalarType dtype = kernels::host_convolves(v.dtype) ? v.dtype : kFloat;
  return {dtype, v.channels_last && kernels::host_conv_takes_channels_last(dtype)};
}

// An uninitialized tensor of these sizes in one of the two memory formats.
Tensor empty_in(const ComputeLayout& layout, const Sizes& sizes, Device device) {
  Tensor t = empty_on(sizes, layout.dtype, device);
  if (layout.channels_last) t.impl().set_geometry(sizes, channels_last_strides(sizes));
  return t;
}
// `x` itself when it has this layout, else a copy that has. Undefined stays undefined.
Tensor to_layout(const Tensor& x, const ComputeLayout& layout) {
  if (!x.defined() || layout.fits(x)) return x;
  Tensor copy = empty_in(layout, x.impl().sizes, x.device());
  kernels::convert(copy, x);
  return copy;
}
// `target` itself, or a buffer for its values where the layout differs; copy_back then fills it.
Tensor output_buffer(const Tensor& target, const ComputeLayout& layout) {
  if (!target.defined() || layout.fits(target)) return target;
  return empty_in(layout, target.impl().sizes, target.device());
}
void copy_back(const Tensor& target, const Tensor& buffer) {
  if (target.defined() && !target.is_same(buffer)) kernels::convert(target, buffer);
}

Conv2d describe(const Tensor& output, IntArrayRef input, IntArrayRef weight,
                const ConvSteps& steps) {
  const auto number = [](std::int64_t n) {
    TD_CHECK(ShapeError, n < (std::int64_t(1) << 31), "conv2d: the size ", n, " is beyond 32 bits");
    return static_cast<int>(n);
  };
  Conv2d v;
  v.dtype = output.dtype();
  v.channels_last = is_channels_last(output);
  v.n = number(input[0]), v.c = number(input[1]), v.h = number(input[2]), v.w = number(input[3]);
  v.k = number(weight[0]), v.r = number(weight[2]), v.s = number(weight[3]);
  v.oh = number(output.sizes()[2]), v.ow = number(output.sizes()[3]);
  v.stride_h = number(steps.stride[0]), v.stride_w = number(steps.stride[1]);
  v.padding_h = number(steps.padding[0]), v.padding_w = number(steps.padding[1]);
  v.dilation_h = number(steps.dilation[0]), v.dilation_w = number(steps.dilation[1]);
  v.groups = number(steps.groups);
  v.allow_tf32 = output.is_cuda() && allow_tf32();
  return v;
}

const void* read(const Tensor& t) { return t.defined() ? kernel_pointer<const void>(t) : nullptr; }
void* write(const Tensor& t) { return t.defined() ? kernel_pointer<void>(t) : nullptr; }

// Images [from, from + count) of `t`, without a copy.
Tensor images(const Tensor& t, std::int64_t from, std::int64_t count) {
  Sizes sizes = t.impl().sizes;
  sizes[0] = count;
  return alias(t, sizes, t.impl().strides, t.impl().offset + from * t.strides()[0]);
}

// output = convolution of some images; weight and bias have the layout in which the device
// computes.
void launch_conv(Conv2d v, const Tensor& output, const Tensor& input, const Tensor& w,
                 const Tensor& b) {
  const ComputeLayout layout{v.dtype, v.channels_last};
  v.n = static_cast<int>(output.sizes()[0]);
  const Tensor x = to_layout(input, layout), y = output_buffer(output, layout);
  const ConvWork work{v, read(x), read(w), read(b), write(y), output.device().index()};
  launch("conv2d", output.device(), work, {&x, &w, &b}, {&y});
  if (b.defined() && y.is_cuda())
    kernels::add(y, y, alias(b, {v.k, 1, 1}, {1, 1, 1}, b.impl().offset), 1);
  copy_back(output, y);
}

// Where images are copied to float and back, only so many at once that the copies stay in the
// caches; the copies of a whole batch would be the largest tensors of a training in 16 bits.
constexpr std::int64_t kCopiedElements = 1 << 18;

// output = convolution of input with weight, plus the bias when defined. The layout of `output`
// decides in which layout the device computes.
void conv_forward(const Tensor& output, const Tensor& input, const Tensor& weight,
                  const Tensor& bias, const ConvSteps& steps) {
  if (output.numel() == 0) return;
  Conv2d v = describe(output, input.sizes(), weight.sizes(), steps);
  const ComputeLayout layout = compute_layout(v, output.device());
  v.dtype = layout.dtype;
  v.channels_last = layout.channels_last;
  const Tensor w = to_layout(weight, layout), b = to_layout(bias, {v.dtype, false});
  const std::int64_t batch = v.n, image = output.numel() / batch;
  const bool copied = v.dtype != output.dtype();
  const std::int64_t together = copied ? std::max<std::int64_t>(1, kCopiedElements / image) : batch;
  if (together >= batch) return launch_conv(v, output, input, w, b);
  for (std::int64_t from = 0; from < batch; from += together) {
    const std::int64_t count = std::min(together, batch - from);
    launch_conv(v, images(output, from, count), images(input, from, count), w, b);
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
  Conv2d v = describe(grad, input_sizes, weight_sizes, steps);
  const ComputeLayout layout = compute_layout(v, grad.device());
  v.dtype = layout.dtype;
  v.channels_last = layout.channels_last;
  const Tensor g = to_layout(grad, layout);
  const Tensor x = grad_weight.defined() ? to_layout(input, layout) : Tensor();
  const Tensor w = grad_input.defined() ? to_layout(weight, layout) : Tensor();
  const Tensor dx = output_buffer(grad_input, layout), dw = output_buffer(grad_weight, layout);
  const ConvBackwardWork work{
      v, read(g), read(x), read(w), write(dx), write(dw), grad.device().index()};
  const Tensor* const targets[] = {dx.defined() ? &dx : &dw, &dw};
  launch("conv2d_backward", grad.device(), work, {&g, &x, &w},
         {targets, dx.defined() && dw.defined() ? 2u : 1u});
  copy_back(grad_input, dx);
  copy_back(grad_weight, dw);
}

// One number for both directions, or {height, width}.
std::array<std::int64_t, 2> pair_of(const char* name, IntArrayRef list, std::int64_t least) {
  TD_CHECK(ShapeError, list.size() == 1 || list.size() == 2, "conv2d: ", name,
           " takes one number or {height, width} but got ", list);
  const std::array<std::int64_t, 2> pair{list[0], list.back()};
  TD_CHECK(ShapeError, pair[0] >= least && pair[1] >= least, "conv2d: ", name, " must be at least ",
           least, " but got ", list);
  return pair;
}

void check_shapes(const Tensor& x, const Tensor& w, const Tensor& b, std::int64_t groups) {
  TD_CHECK(ShapeError, x.dim() == 4,
           "conv2d: \"input\" must have sizes [batch, channels, height, "
           "width] or [channels, height, width] but has ",
           x.sizes());
  TD_CHECK(ShapeError, w.dim() == 4,
           "conv2d: \"weight\" must have sizes [out_channels, in_channels "
           "/ groups, kernel_height, kernel_width] but has ",
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
}

void check_types(const Tensor& x, const Tensor& w, const Tensor& b) {
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

Tensor backward_input(const Sizes& sizes, const Tensor& g, const Tensor& w, const ConvSteps& s);
Tensor backward_weight(const Sizes& sizes, const Tensor& g, const Tensor& x, const ConvSteps& s);

// Gradients of input and weight: in one launch when no gradients of them are needed in turn.
void give_gradients(Gradients& grads, const Tensor& g, const Tensor& x, const Tensor& w,
                    const ConvSteps& s) {
  const bool wants_x = grads.should_compute(0), wants_w = grads.should_compute(1);
  if (recording(g, x, w)) {
    grads.set_lazily(0, [&] { return backward_input(x.impl().sizes, g, w, s); });
    grads.set_lazily(1, [&] { return backward_weight(w.impl().sizes, g, x, s); });
  } else if (wants_x || wants_w) {
    Tensor dx, dw;
    const ComputeLayout of_w{g.dtype(), is_channels_last(w)};
    if (wants_x) dx = empty_in({g.dtype(), is_channels_last(g)}, x.impl().sizes, g.device());
    if (wants_w) dw = grads.home(1);
    if (wants_w && !(dw.defined() && of_w.fits(dw)))
      dw = empty_in(of_w, w.impl().sizes, g.device());
    conv_backward(dx, dw, g, x, w, s);
    if (wants_x) grads[0] = dx;
    if (wants_w) grads[1] = dw;
  }
}

// The convolution itself, of checked arguments.
Tensor convolve(const Tensor& x, const Tensor& w, const Tensor& b, const ConvSteps& s) {
  const Sizes sizes{x.sizes()[0], w.sizes()[0], positions(x, w, s, 0), positions(x, w, s, 1)};
  const bool last = is_channels_last(x) || is_channels_last(w);
  Tensor y = empty_in({x.dtype(), last}, sizes, x.device());
  conv_forward(y, x, w, b, s);
  if (recording(x, w, b))
    record("convolution", y, {&x, &w, &b},
           [x = save(x), w = save(w), s](Gradients& grads, const Tensor& g) {
             give_gradients(grads, g, x(), w(), s);
             grads.set_lazily(2, [&] { return g.sum({0, 2, 3}); });
           });
  return y;
}

// The input's gradient; a function of g and w, linear in both.
Tensor backward_input(const Sizes& sizes, const Tensor& g, const Tensor& w, const ConvSteps& s) {
  Tensor dx = empty_in({g.dtype(), is_channels_last(g)}, sizes, g.device());
  conv_backward(dx, {}, g, {}, w, s);
  if (recording(g, w))
    record("convolution_backward", dx, {&g, &w},
           [g = save(g), w = save(w), s](Gradients& grads, const Tensor& of_dx) {
             grads.set_lazily(0, [&] { return convolve(of_dx, w(), {}, s); });
             grads.set_lazily(1,
                              [&] { return backward_weight(Sizes(w().sizes()), g(), of_dx, s); });
           });
  return dx;
}

// The weight's gradient; a function of g and x, linear in both.
Tensor backward_weight(const Sizes& sizes, const Tensor& g, const Tensor& x, const ConvSteps& s) {
  Tensor dw = empty_in({g.dtype(), is_channels_last(g)}, sizes, g.device());
  conv_backward({}, dw, g, x, {}, s);
  if (recording(g, x))
    record("convolution_backward", dw, {&g, &x},
           [g = save(g), x = save(x), s](Gradients& grads, const Tensor& of_dw) {
             grads.set_lazily(0, [&] { return convolve(x(), of_dw, {}, s); });
             grads.set_lazily(1, [&] { return backward_input(Sizes(x().sizes()), g(), of_dw, s); });
           });
  return dw;
}

}  // namespace

Tensor conv2d_impl(const Tensor& input, const Tensor& weight, const Tensor& bias,
                   IntArrayRef stride, IntArrayRef padding, IntArrayRef dilation,
                   std::int64_t groups) {
  common_device(kConv2d, input, weight, bias);
  if (!weight.defined()) undefined_argument(kConv2d, 1);
  if (input.dim() == 3)  // one image without a batch
    return conv2d(input.unsqueeze(0), weight, bias, stride, padding, dilation, groups).squeeze(0);
  check_shapes(input, weight, bias, groups);
  check_types(input, weight, bias);
  return convolve(input, weight, bias,
                  {pair_of("stride", stride, 1), pair_of("padding", padding, 0),
                   pair_of("dilation", dilation, 1), groups});
}

}  // namespace td

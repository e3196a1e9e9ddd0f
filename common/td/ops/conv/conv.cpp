// conv2d and its gradients. The convolution is linear in the input and in the weight, so its two
// gradients are operations of the same kind and each other's gradients: all three are recorded.
#include "td/ops/conv/conv.h"
#include "td/ops/op.h"

namespace td {
namespace {

using kernels::ConvSteps;

constexpr Op kConv2d{"conv2d", {"input", "weight", "bias"}};

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

Tensor empty_in_layout(const Sizes& sizes, ScalarType dtype, Device device, bool channels_last) {
  Tensor t = empty_on(sizes, dtype, device);
  if (channels_last) t.impl().set_geometry(sizes, channels_last_strides(sizes));
  return t;
}
bool channels_last(const Tensor& t) {
  return t.suggest_memory_format() == MemoryFormat::ChannelsLast;
}

MemoryFormat layout_of(const Tensor& t) {
  return channels_last(t) ? MemoryFormat::ChannelsLast : MemoryFormat::Contiguous;
}

Tensor backward_input(const Sizes& sizes, const Tensor& g, const Tensor& w, const ConvSteps& s);
Tensor backward_weight(const Sizes& sizes, const Tensor& g, const Tensor& x, const ConvSteps& s);

// Gradients of input and weight: in one launch when nobody wants gradients of them in turn.
void give_gradients(Gradients& grads, const Tensor& g, const Tensor& x, const Tensor& w,
                    const ConvSteps& s) {
  const bool wants_x = grads.should_compute(0), wants_w = grads.should_compute(1);
  if (recording(g, x, w)) {
    grads.set_lazily(0, [&] { return backward_input(x.impl().sizes, g, w, s); });
    grads.set_lazily(1, [&] { return backward_weight(w.impl().sizes, g, x, s); });
  } else if (wants_x || wants_w) {
    Tensor dx, dw;
    if (wants_x) dx = empty_in_layout(x.impl().sizes, g.dtype(), g.device(), channels_last(g));
    if (wants_w) dw = grads.home(1);
    if (wants_w && !(dw.defined() && dw.dtype() == g.dtype() && dw.is_contiguous(layout_of(w))))
      dw = empty_in_layout(w.impl().sizes, g.dtype(), g.device(), channels_last(w));
    kernels::conv2d_backward(dx, dw, g, x, w, s);
    if (wants_x) grads[0] = dx;
    if (wants_w) grads[1] = dw;
  }
}

// The convolution itself, of checked arguments.
Tensor convolve(const Tensor& x, const Tensor& w, const Tensor& b, const ConvSteps& s) {
  const Sizes sizes{x.sizes()[0], w.sizes()[0], positions(x, w, s, 0), positions(x, w, s, 1)};
  const bool last = channels_last(x) || channels_last(w);
  Tensor y = empty_in_layout(sizes, x.dtype(), x.device(), last);
  kernels::conv2d(y, x, w, b, s);
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
  Tensor dx = empty_in_layout(sizes, g.dtype(), g.device(), channels_last(g));
  kernels::conv2d_backward(dx, {}, g, {}, w, s);
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
  Tensor dw = empty_in_layout(sizes, g.dtype(), g.device(), channels_last(g));
  kernels::conv2d_backward({}, dw, g, x, {}, s);
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

// By oneDNN: matrix products of bfloat16 with the processor's own instructions, whose sums are
// float and are rounded once; convolutions of float32 and bfloat16. Called where bfloat16.cpp finds
// that this is the fastest way.
#ifdef TD_HAS_ONEDNN
#include "libs/host/onednn_plan.h"
#include "libs/host/onednn_version.h"
#include "libs/host_libs.h"
#include "td/base/parallel.h"

namespace td::kernels {
namespace {

using dnnl::memory;
using Tag = memory::format_tag;

constexpr auto kBf16 = memory::data_type::bf16;

// Everything a product's plan depends on. The width is part of it: primitives divide their work
// when made.
struct GemmKey {
  Gemm gemm;
  int width;
  bool bias;
  friend auto operator<=>(const GemmKey&, const GemmKey&) = default;
};

// A factor or the result as the caller stores it. A matrix that all products of the batch share
// (stride 0) is a batch of one, which oneDNN broadcasts.
memory::desc stored(const Gemm& g, std::int64_t rows, std::int64_t columns, bool transposed,
                    std::int64_t ld, std::int64_t stride) {
  memory::dims sizes{rows, columns}, strides{transposed ? 1 : ld, transposed ? ld : 1};
  if (g.batch > 1) {
    sizes.insert(sizes.begin(), stride == 0 ? 1 : g.batch);
    strides.insert(strides.begin(), stride == 0 ? rows * columns : stride);
  }
  return {sizes, kBf16, strides};
}

dnnl::primitive_attr attributes_of(const Gemm& g) {
  dnnl::primitive_attr attributes = own_scratchpad();
  dnnl::post_ops after;
  if (g.alpha != 1) scale_result(attributes, after, static_cast<float>(g.alpha));
  if (g.beta != 0) after.append_sum(static_cast<float>(g.beta));
  attributes.set_post_ops(after);
  return attributes;
}

// Slots: a, b, bias, c. All have the caller's layout.
Plan plan_product(const GemmKey& key) {
  const Gemm& g = key.gemm;
  const bool packs = !kReadsRowsWithGaps && g.m == 1 && g.transpose_a && g.lda > 1;
  const memory::desc given = stored(g, g.m, g.k, g.transpose_a, g.lda, g.stride_a),
                     a = packs ? stored(g, 1, g.k, false, g.k, g.stride_a == 0 ? 0 : g.k) : given,
                     b = stored(g, g.k, g.n, g.transpose_b, g.ldb, g.stride_b),
                     bias = stored(g, 1, g.n, false, g.n, 0),
                     c = stored(g, g.m, g.n, false, g.ldc, g.stride_c);
  const auto product = key.bias ? describe<dnnl::matmul>(engine(), attributes_of(g), a, b, bias, c)
                                : describe<dnnl::matmul>(engine(), attributes_of(g), a, b, c);
  Plan plan;
  Arguments arguments{{DNNL_ARG_SRC, plan.input(plan.caller(given, 0), a)},
                      {DNNL_ARG_WEIGHTS, plan.caller(b, 1)},
                      {DNNL_ARG_DST, plan.caller(c, 3)}};
  if (key.bias) arguments.emplace_back(DNNL_ARG_BIAS, plan.caller(bias, 2));
  plan.add(dnnl::matmul(product), product.scratchpad_desc(), std::move(arguments));
  return plan;
}

constexpr auto kDirect = dnnl::algorithm::convolution_direct;

// Everything a convolution's plan depends on.
struct ConvKey {
  Conv2d conv;
  bool native;  // bfloat16 is multiplied as it is
  int width;
  bool first, second;  // forward: bias; backward: the gradients of input and weight
  bool forward;
  friend auto operator<=>(const ConvKey&, const ConvKey&) = default;
};

ConvKey key_of(const Conv2d& conv, bool first, bool second, bool forward) {
  const bool native = conv.dtype == kBFloat16 && bfloat16_products() == Bfloat16Products::kNative;
  return {conv, native, parallel_width(), first, second, forward};
}

// A tensor of a convolution as the caller stores it, and as the library works with it.
// Channels-last tensors are used directly. Contiguous ones (NCHW) are converted to the library's
// blocked layout and back, which costs less than the kernels for the plain layout lose. Where float
// products are faster than those of bfloat16 (bfloat16.cpp), the same reorders convert.
struct Layout {
  memory::desc caller, work;
};

struct Layouts {
  Layout input, weight, output, bias;
  memory::dims stride, dilation, padding, padding_end;

  Layouts(const Conv2d& v, bool native)
      : stride{v.stride_h, v.stride_w},
        dilation{v.dilation_h - 1, v.dilation_w - 1},
        padding{v.padding_h, v.padding_w},
        padding_end{end(v.oh, v.stride_h, v.r, v.dilation_h, v.h, v.padding_h),
                    end(v.ow, v.stride_w, v.s, v.dilation_w, v.w, v.padding_w)} {
    const auto type = v.dtype == kBFloat16 ? kBf16 : memory::data_type::f32;
    const auto work_type = native ? type : memory::data_type::f32;
    const auto layout = [&](const memory::dims& sizes, Tag tag, Tag work) -> Layout {
      return {{sizes, type, tag}, {sizes, work_type, work}};
    };
    const bool last = v.channels_last;
    const Tag images = last ? Tag::nhwc : Tag::nchw, work = last ? Tag::nhwc : Tag::any;
    input = layout({v.n, v.c, v.h, v.w}, images, work);
    output = layout({v.n, v.k, v.oh, v.ow}, images, work);
    bias = layout({v.k}, Tag::x, Tag::x);
    weight = v.groups == 1 ? layout({v.k, v.c, v.r, v.s}, last ? Tag::ohwi : Tag::oihw, Tag::any)
                           : layout({v.groups, v.k / v.groups, v.c / v.groups, v.r, v.s},
                                    last ? Tag::gohwi : Tag::goihw, Tag::any);
  }
  // What the last position of the kernel reaches beyond the input; negative when it stops short.
  static memory::dim end(int out, int stride, int kernel, int dilation, int in, int padding) {
    return memory::dim(out - 1) * stride + memory::dim(kernel - 1) * dilation + 1 - in - padding;
  }
};

dnnl::convolution_forward::primitive_desc describe_forward(const Layouts& l, bool bias) {
  return describe<dnnl::convolution_forward>(
      engine(), own_scratchpad(), dnnl::prop_kind::forward_training, kDirect, l.input.work,
      l.weight.work, bias ? l.bias.work : memory::desc(), l.output.work, l.stride, l.dilation,
      l.padding, l.padding_end);
}

// Slots: input, weight, bias, output.
Plan plan_forward(const ConvKey& key) {
  const Layouts l(key.conv, key.native);
  const auto conv = describe_forward(l, key.first);
  Plan plan;
  const memory input = plan.input(plan.caller(l.input.caller, 0), conv.src_desc());
  const memory weight = plan.input(plan.caller(l.weight.caller, 1), conv.weights_desc());
  Arguments inputs{{DNNL_ARG_SRC, input}, {DNNL_ARG_WEIGHTS, weight}};
  if (key.first)
    inputs.emplace_back(DNNL_ARG_BIAS, plan.input(plan.caller(l.bias.caller, 2), l.bias.work));
  plan.add(dnnl::convolution_forward(conv), conv.scratchpad_desc(), std::move(inputs), DNNL_ARG_DST,
           conv.dst_desc(), plan.caller(l.output.caller, 3));
  return plan;
}

// Slots: grad, input, weight, grad_input, grad_weight.
Plan plan_backward(const ConvKey& key) {
  const Layouts l(key.conv, key.native);
  const auto forward = describe_forward(l, false);
  Plan plan;
  const memory grad = plan.caller(l.output.caller, 0);
  memory reordered = grad;  // once for both, when both want the same layout
  if (key.first) {
    const auto conv = describe_backward<dnnl::convolution_backward_data>(
        engine(), own_scratchpad(), forward, kDirect, l.input.work, l.weight.work, l.output.work,
        l.stride, l.dilation, l.padding, l.padding_end);
    reordered = plan.input(grad, conv.diff_dst_desc());
    const memory weight = plan.input(plan.caller(l.weight.caller, 2), conv.weights_desc());
    plan.add(dnnl::convolution_backward_data(conv), conv.scratchpad_desc(),
             {{DNNL_ARG_DIFF_DST, reordered}, {DNNL_ARG_WEIGHTS, weight}}, DNNL_ARG_DIFF_SRC,
             conv.diff_src_desc(), plan.caller(l.input.caller, 3));
  }
  if (key.second) {
    const auto conv = describe_backward<dnnl::convolution_backward_weights>(
        engine(), own_scratchpad(), forward, kDirect, l.input.work, l.weight.work, memory::desc(),
        l.output.work, l.stride, l.dilation, l.padding, l.padding_end);
    const memory& source = reordered.get_desc() == conv.diff_dst_desc() ? reordered : grad;
    const memory gradient = plan.input(source, conv.diff_dst_desc());
    const memory input = plan.input(plan.caller(l.input.caller, 1), conv.src_desc());
    plan.add(dnnl::convolution_backward_weights(conv), conv.scratchpad_desc(),
             {{DNNL_ARG_DIFF_DST, gradient}, {DNNL_ARG_SRC, input}}, DNNL_ARG_DIFF_WEIGHTS,
             conv.diff_weights_desc(), plan.caller(l.weight.caller, 4));
  }
  return plan;
}

}  // namespace

void onednn_gemm(const Gemm& gemm, const void* a, const void* b, const void* bias, void* c) {
  run_plan<GemmKey>("matrix product", {gemm, parallel_width(), bias != nullptr}, plan_product,
                    {a, b, bias, c});
}

void onednn_conv2d(const Conv2d& conv, const void* input, const void* weight, const void* bias,
                   void* output) {
  run_plan("conv2d", key_of(conv, bias != nullptr, false, true), plan_forward,
           {input, weight, bias, output});
}

void onednn_conv2d_backward(const Conv2d& conv, const void* grad, const void* input,
                            const void* weight, void* grad_input, void* grad_weight) {
  run_plan("conv2d_backward", key_of(conv, grad_input != nullptr, grad_weight != nullptr, false),
           plan_backward, {grad, input, weight, grad_input, grad_weight});
}

}  // namespace td::kernels
#endif  // TD_HAS_ONEDNN

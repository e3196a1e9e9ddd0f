// Convolutions by oneDNN, float32 and bfloat16. Channels-last tensors are used as they lie.
// Contiguous ones (NCHW) are brought into the library's blocked layout and back, which costs less
// than what the kernels for the plain layout lose. Gradients of input and weight share the
// reordered gradient. Where float products are faster than those of bfloat16 (bfloat16.cpp), the
// same reorders convert.
#ifdef TD_HAS_ONEDNN
#include "td/base/parallel.h"
#include "td/kernels/libs/host_libs.h"
#include "td/kernels/libs/onednn_plan.h"

namespace td::kernels {
namespace {

using dnnl::memory;
using onednn::Plan;
using Tag = memory::format_tag;

constexpr auto kDirect = dnnl::algorithm::convolution_direct;

// Everything a plan depends on. The width is part of it: primitives divide their work when made.
struct Key {
  Conv2d conv;
  bool native;  // bfloat16 is multiplied as it is
  int width;
  bool forward, first, second;  // forward: bias; backward: the two gradients
  friend bool operator==(const Key&, const Key&) = default;
};
struct KeyHash {
  std::size_t operator()(const Key& key) const {
    const Conv2d& v = key.conv;
    std::size_t h = 0;
    for (int part : {v.n, v.c, v.h, v.w, v.k, v.r, v.s, v.oh, v.ow, v.stride_h, v.padding_h,
                     v.dilation_h, v.groups, key.width, int(v.channels_last), int(v.dtype),
                     int(key.native), int(key.forward), key.first + 2 * key.second})
      h = h * 1000003 + static_cast<std::size_t>(part);
    return h;
  }
};

memory::dims dims(int a, int b, int c, int d) { return {a, b, c, d}; }

// The layouts of one convolution: the caller's, and those the library is asked to work in.
struct Layouts {
  memory::dims input, weight, output, bias, stride, dilation, padding, padding_end;
  memory::desc caller_input, caller_weight, caller_output, caller_bias;
  memory::desc work_input, work_weight, work_output, work_bias;

  Layouts(const Conv2d& v, bool native)
      : input(dims(v.n, v.c, v.h, v.w)),
        weight(dims(v.k, v.c / v.groups, v.r, v.s)),
        output(dims(v.n, v.k, v.oh, v.ow)),
        bias{v.k},
        stride{v.stride_h, v.stride_w},
        dilation{v.dilation_h - 1, v.dilation_w - 1},
        padding{v.padding_h, v.padding_w},
        padding_end{end(v.oh, v.stride_h, v.r, v.dilation_h, v.h, v.padding_h),
                    end(v.ow, v.stride_w, v.s, v.dilation_w, v.w, v.padding_w)} {
    const Tag tag = v.channels_last ? Tag::nhwc : Tag::nchw;
    if (v.groups > 1) weight = {v.groups, v.k / v.groups, v.c / v.groups, v.r, v.s};
    const Tag weight_tag = v.groups > 1 ? (v.channels_last ? Tag::gohwi : Tag::goihw)
                                        : (v.channels_last ? Tag::ohwi : Tag::oihw);
    const auto type = v.dtype == kBFloat16 ? memory::data_type::bf16 : memory::data_type::f32;
    caller_input = {input, type, tag};
    caller_weight = {weight, type, weight_tag};
    caller_output = {output, type, tag};
    caller_bias = {bias, type, Tag::x};
    const Tag work = v.channels_last ? Tag::nhwc : Tag::any;
    const auto work_type = native ? type : memory::data_type::f32;
    work_input = {input, work_type, work};
    work_weight = {weight, work_type, Tag::any};
    work_output = {output, work_type, work};
    work_bias = {bias, work_type, Tag::x};
  }
  // What the last position of the kernel reaches beyond the input; negative when it stops short.
  static memory::dim end(int out, int stride, int kernel, int dilation, int in, int padding) {
    return memory::dim(out - 1) * stride + memory::dim(kernel - 1) * dilation + 1 - in - padding;
  }
};

dnnl::primitive_attr own_scratchpad() {
  dnnl::primitive_attr attributes;
  attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  return attributes;
}

dnnl::convolution_forward::primitive_desc describe_forward(const Layouts& l, bool bias) {
  return {{dnnl::prop_kind::forward_training, kDirect, l.work_input, l.work_weight,
           bias ? l.work_bias : memory::desc(), l.work_output, l.stride, l.dilation, l.padding,
           l.padding_end},
          own_scratchpad(),
          onednn::engine()};
}

// Slots: input, weight, bias, output.
Plan plan_forward(const Key& key) {
  const Layouts l(key.conv, key.native);
  const auto conv = describe_forward(l, key.first);
  Plan plan;
  const memory input = plan.input(plan.caller(l.caller_input, 0), conv.src_desc());
  const memory weight = plan.input(plan.caller(l.caller_weight, 1), conv.weights_desc());
  const memory target = plan.caller(l.caller_output, 3);
  const memory output = plan.output(target, conv.dst_desc());
  std::vector<std::pair<int, memory>> arguments{
      {DNNL_ARG_SRC, input}, {DNNL_ARG_WEIGHTS, weight}, {DNNL_ARG_DST, output}};
  if (key.first)
    arguments.emplace_back(DNNL_ARG_BIAS, plan.input(plan.caller(l.caller_bias, 2), l.work_bias));
  plan.add(dnnl::convolution_forward(conv), conv.scratchpad_desc(), std::move(arguments));
  plan.finish_output(output, target);
  return plan;
}

// Slots: grad, input, weight, grad_input, grad_weight.
Plan plan_backward(const Key& key) {
  const Layouts l(key.conv, key.native);
  const auto hint = describe_forward(l, false);
  Plan plan;
  const memory grad = plan.caller(l.caller_output, 0);
  memory reordered = grad;  // once for both, when both want the same layout
  if (key.first) {
    const dnnl::convolution_backward_data::primitive_desc conv(
        {kDirect, l.work_input, l.work_weight, l.work_output, l.stride, l.dilation, l.padding,
         l.padding_end},
        own_scratchpad(), onednn::engine(), hint);
    reordered = plan.input(grad, conv.diff_dst_desc());
    const memory weight = plan.input(plan.caller(l.caller_weight, 2), conv.weights_desc());
    const memory target = plan.caller(l.caller_input, 3);
    const memory output = plan.output(target, conv.diff_src_desc());
    plan.add(
        dnnl::convolution_backward_data(conv), conv.scratchpad_desc(),
        {{DNNL_ARG_DIFF_DST, reordered}, {DNNL_ARG_WEIGHTS, weight}, {DNNL_ARG_DIFF_SRC, output}});
    plan.finish_output(output, target);
  }
  if (key.second) {
    const dnnl::convolution_backward_weights::primitive_desc conv(
        {kDirect, l.work_input, l.work_weight, memory::desc(), l.work_output, l.stride, l.dilation,
         l.padding, l.padding_end},
        own_scratchpad(), onednn::engine(), hint);
    const memory& source = reordered.get_desc() == conv.diff_dst_desc() ? reordered : grad;
    const memory gradient = plan.input(source, conv.diff_dst_desc());
    const memory input = plan.input(plan.caller(l.caller_input, 1), conv.src_desc());
    const memory target = plan.caller(l.caller_weight, 4);
    const memory output = plan.output(target, conv.diff_weights_desc());
    plan.add(
        dnnl::convolution_backward_weights(conv), conv.scratchpad_desc(),
        {{DNNL_ARG_DIFF_DST, gradient}, {DNNL_ARG_SRC, input}, {DNNL_ARG_DIFF_WEIGHTS, output}});
    plan.finish_output(output, target);
  }
  return plan;
}

// This thread's plan for `key`; made at the first call.
Plan& plan_for(const Key& key) {
  thread_local onednn::Plans<Key, KeyHash> plans;
  return plans.find_or_make(key, key.forward ? plan_forward : plan_backward);
}

bool is_native(const Conv2d& conv) {
  return conv.dtype == kBFloat16 && bfloat16_products() == Bfloat16Products::kNative;
}

}  // namespace

void onednn_conv2d(const Conv2d& conv, const void* input, const void* weight, const void* bias,
                   void* output) try {
  plan_for({conv, is_native(conv), parallel_width(), true, bias != nullptr, false})
      .run({input, weight, bias, output});
} catch (const dnnl::error& error) {
  onednn::report("conv2d", error);
}

void onednn_conv2d_backward(const Conv2d& conv, const void* grad, const void* input,
                            const void* weight, void* grad_input, void* grad_weight) try {
  plan_for({conv, is_native(conv), parallel_width(), false, grad_input != nullptr,
            grad_weight != nullptr})
      .run({grad, input, weight, grad_input, grad_weight});
} catch (const dnnl::error& error) {
  onednn::report("conv2d_backward", error);
}

}  // namespace td::kernels
#endif  // TD_HAS_ONEDNN

// Matrix products of bfloat16 by oneDNN, for float32 sums. Where the processor multiplies floats
// faster (bfloat16.h), the library converts the factors while it brings them into the layout it
// wants, so that the conversion costs little; the result is rounded once.
#ifdef TD_HAS_ONEDNN
#include <unordered_map>

#include "td/base/parallel.h"
#include "td/kernels/libs/bfloat16.h"
#include "td/kernels/libs/host_gemm.h"
#include "td/kernels/libs/onednn_plan.h"

namespace td::kernels {
namespace {

using dnnl::memory;
using onednn::Plan;

// Everything a plan depends on. The width is part of it: primitives divide their work when made.
struct Key {
  Gemm gemm;
  int width;
  bool bias, native;
  friend bool operator==(const Key&, const Key&) = default;
};
struct KeyHash {
  std::size_t operator()(const Key& key) const {
    const Gemm& g = key.gemm;
    std::size_t h = 0;
    for (std::int64_t part :
         {g.m, g.n, g.k, g.lda, g.ldb, g.ldc, g.batch, g.stride_a, g.stride_b,
          std::int64_t(g.transpose_a + 2 * g.transpose_b + 4 * key.bias + 8 * key.native),
          std::int64_t(key.width), std::int64_t(g.alpha * 64), std::int64_t(g.beta * 64)})
      h = h * 1000003 + static_cast<std::size_t>(part);
    return h;
  }
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
  return {sizes, memory::data_type::bf16, strides};
}

// The same sizes, in the layout that oneDNN likes best.
memory::desc any_layout(const memory::desc& desc, memory::data_type type) {
  return {desc.dims(), type, memory::format_tag::any};
}

memory::desc row_of(const Gemm& g, memory::data_type type) {
  return g.batch > 1 ? memory::desc({1, 1, g.n}, type, memory::format_tag::abc)
                     : memory::desc({1, g.n}, type, memory::format_tag::ab);
}

dnnl::primitive_attr attributes_of(const Gemm& g) {
  dnnl::primitive_attr attributes;
  attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  if (g.alpha != 1) attributes.set_output_scales(0, {static_cast<float>(g.alpha)});
  if (g.beta != 0) {
    dnnl::post_ops add_old;
    add_old.append_sum(static_cast<float>(g.beta));
    attributes.set_post_ops(add_old);
  }
  return attributes;
}

// Slots: a, b, bias, c.
Plan plan_product(const Key& key) {
  const Gemm& g = key.gemm;
  const auto type = key.native ? memory::data_type::bf16 : memory::data_type::f32;
  const memory::desc a = stored(g, g.m, g.k, g.transpose_a, g.lda, g.stride_a),
                     b = stored(g, g.k, g.n, g.transpose_b, g.ldb, g.stride_b),
                     c = stored(g, g.m, g.n, false, g.ldc, g.stride_c);
  // Layouts of our own are only for what is copied in any case.
  const memory::desc work_a = key.native ? a : any_layout(a, type),
                     work_b = key.native ? b : any_layout(b, type),
                     work_c = key.native ? c : any_layout(c, type);
  const dnnl::matmul::primitive_desc product(
      key.bias ? dnnl::matmul::desc(work_a, work_b, row_of(g, type), work_c)
               : dnnl::matmul::desc(work_a, work_b, work_c),
      attributes_of(g), onednn::engine());
  Plan plan;
  const memory target = plan.caller(c, 3);
  const memory output = plan.output(target, product.dst_desc());
  if (g.beta != 0) plan.finish_output(target, output);  // what it adds to
  std::vector<std::pair<int, memory>> arguments{
      {DNNL_ARG_SRC, plan.input(plan.caller(a, 0), product.src_desc())},
      {DNNL_ARG_WEIGHTS, plan.input(plan.caller(b, 1), product.weights_desc())},
      {DNNL_ARG_DST, output}};
  if (key.bias)
    arguments.emplace_back(
        DNNL_ARG_BIAS,
        plan.input(plan.caller(row_of(g, memory::data_type::bf16), 2), row_of(g, type)));
  plan.add(dnnl::matmul(product), product.scratchpad_desc(), std::move(arguments));
  plan.finish_output(output, target);
  return plan;
}

}  // namespace

void onednn_gemm(const Gemm& gemm, const void* a, const void* b, const void* bias, void* c) try {
  thread_local onednn::Plans<Key, KeyHash> plans;
  const bool native = bfloat16_products() == Bfloat16Products::kNative;
  plans.find_or_make({gemm, parallel_width(), bias != nullptr, native}, plan_product)
      .run({a, b, bias, c});
} catch (const dnnl::error& error) {
  onednn::report("matrix product", error);
}

}  // namespace td::kernels
#endif  // TD_HAS_ONEDNN

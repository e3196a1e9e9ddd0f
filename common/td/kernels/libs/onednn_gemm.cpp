// Matrix products of bfloat16 by oneDNN, with the processor's own instructions: sums are float, and
// the result is rounded once. host_gemm.cpp calls it where that is the fastest way (bfloat16.cpp).
#ifdef TD_HAS_ONEDNN
#include <unordered_map>

#include "td/base/parallel.h"
#include "td/kernels/libs/host_libs.h"
#include "td/kernels/libs/onednn_plan.h"

namespace td::kernels {
namespace {

using dnnl::memory;
using onednn::Plan;

constexpr auto kType = memory::data_type::bf16;

// Everything a plan depends on. The width is part of it: primitives divide their work when made.
struct Key {
  Gemm gemm;
  int width;
  bool bias;
  friend bool operator==(const Key&, const Key&) = default;
};
struct KeyHash {
  std::size_t operator()(const Key& key) const {
    const Gemm& g = key.gemm;
    std::size_t h = 0;
    for (std::int64_t part :
         {g.m, g.n, g.k, g.lda, g.ldb, g.ldc, g.batch, g.stride_a, g.stride_b,
          std::int64_t(g.transpose_a + 2 * g.transpose_b + 4 * key.bias), std::int64_t(key.width),
          std::int64_t(g.alpha * 64), std::int64_t(g.beta * 64)})
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
  return {sizes, kType, strides};
}

memory::desc row_of(const Gemm& g) {
  return g.batch > 1 ? memory::desc({1, 1, g.n}, kType, memory::format_tag::abc)
                     : memory::desc({1, g.n}, kType, memory::format_tag::ab);
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

// Slots: a, b, bias, c. All lie as the caller stores them.
Plan plan_product(const Key& key) {
  const Gemm& g = key.gemm;
  const memory::desc a = stored(g, g.m, g.k, g.transpose_a, g.lda, g.stride_a),
                     b = stored(g, g.k, g.n, g.transpose_b, g.ldb, g.stride_b),
                     c = stored(g, g.m, g.n, false, g.ldc, g.stride_c);
  const dnnl::matmul::primitive_desc product(
      key.bias ? dnnl::matmul::desc(a, b, row_of(g), c) : dnnl::matmul::desc(a, b, c),
      attributes_of(g), onednn::engine());
  Plan plan;
  std::vector<std::pair<int, memory>> arguments{{DNNL_ARG_SRC, plan.caller(a, 0)},
                                                {DNNL_ARG_WEIGHTS, plan.caller(b, 1)},
                                                {DNNL_ARG_DST, plan.caller(c, 3)}};
  if (key.bias) arguments.emplace_back(DNNL_ARG_BIAS, plan.caller(row_of(g), 2));
  plan.add(dnnl::matmul(product), product.scratchpad_desc(), std::move(arguments));
  return plan;
}

}  // namespace

void onednn_gemm(const Gemm& gemm, const void* a, const void* b, const void* bias, void* c) try {
  thread_local onednn::Plans<Key, KeyHash> plans;
  plans.find_or_make({gemm, parallel_width(), bias != nullptr}, plan_product).run({a, b, bias, c});
} catch (const dnnl::error& error) {
  onednn::report("matrix product", error);
}

}  // namespace td::kernels
#endif  // TD_HAS_ONEDNN

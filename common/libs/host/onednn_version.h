// oneDNN 2 and 3 as one. Version 3 describes a primitive in one step where version 2 took two, and
// has a post-operation where version 2 had a scale. Used by onednn.cpp and
// tools/bench/floor_images.cpp.
#pragma once

#include <oneapi/dnnl/dnnl.hpp>

namespace td::kernels {

/// Version 3.7 reads a row whose elements have gaps between them as if they had none.
inline constexpr bool kReadsRowsWithGaps = DNNL_VERSION_MAJOR < 3;

/// Describes a primitive of the forward pass; `details` are its algorithm, layouts and sizes.
template <class Primitive, class... Details>
typename Primitive::primitive_desc describe(const dnnl::engine& engine,
                                            const dnnl::primitive_attr& attributes,
                                            const Details&... details) {
#if DNNL_VERSION_MAJOR >= 3
  return {engine, details..., attributes};
#else
  return {{details...}, attributes, engine};
#endif
}

/// The same for the backward pass of what `forward` describes.
template <class Primitive, class Forward, class... Details>
typename Primitive::primitive_desc describe_backward(const dnnl::engine& engine,
                                                     const dnnl::primitive_attr& attributes,
                                                     const Forward& forward,
                                                     const Details&... details) {
#if DNNL_VERSION_MAJOR >= 3
  return {engine, details..., forward, attributes};
#else
  return {{details...}, attributes, engine, forward};
#endif
}

/// Adds a function of the result, such as ReLU, to what is done after a primitive.
inline void append_eltwise(dnnl::post_ops& after, dnnl::algorithm function, float alpha,
                           float beta) {
#if DNNL_VERSION_MAJOR >= 3
  after.append_eltwise(function, alpha, beta);
#else
  after.append_eltwise(1, function, alpha, beta);
#endif
}

/// Multiplies the result of a product by `alpha`, before all that is appended to `after` later.
inline void scale_result([[maybe_unused]] dnnl::primitive_attr& attributes,
                         [[maybe_unused]] dnnl::post_ops& after, float alpha) {
#if DNNL_VERSION_MAJOR >= 3
  append_eltwise(after, dnnl::algorithm::eltwise_linear, alpha, 0);
#else
  attributes.set_output_scales(0, {alpha});
#endif
}

}  // namespace td::kernels

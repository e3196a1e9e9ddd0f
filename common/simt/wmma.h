// Products of small matrices by a warp, as tensor cores compute them: nvcuda::wmma. Included by
// simt/kernel.h. Shapes, types and num_elements are those of CUDA 13.0's mma.h.
//
// Invariant: which lane has which element is not specified, and changes with the seed of the
// launch. So only operations that treat all elements of a fragment alike are correct.
#pragma once

#include "simt/device_calls.h"
#include "simt/half.h"

namespace nvcuda::wmma {

struct matrix_a {};
struct matrix_b {};
struct accumulator {};
struct row_major {};
struct col_major {};
enum layout_t { mem_row_major, mem_col_major };
namespace precision {
struct tf32 {};
}  // namespace precision

/// Rounds to the 10 bits of fraction that tf32 has.
TD_SIMT_INLINE float __float_to_tf32(float x) {
  const unsigned bits = __builtin_bit_cast(unsigned, x);
  return __builtin_bit_cast(float, (bits + 0x1000) & 0xffffe000);
}

namespace detail {

template <class A, class B>
inline constexpr bool same = false;
template <class A>
inline constexpr bool same<A, A> = true;

/// How the elements of a fragment are stored.
template <class T>
struct Element {
  using type = T;
};
template <>
struct Element<precision::tf32> {
  using type = float;
};

constexpr bool is_wide_shape(int m, int n, int k) {
  return k == 16 && ((m == 16 && n == 16) || (m == 32 && n == 8) || (m == 8 && n == 32));
}
/// Whether tensor cores have the shape for the type of A and B, or of an accumulator.
template <class Use, class T>
constexpr bool has_shape(int m, int n, int k) {
  if (same<T, double>) return m == 8 && n == 8 && k == 4;
  if (same<T, precision::tf32>) return m == 16 && n == 16 && k == 8;
  if (same<Use, accumulator> && same<T, float> && m == 16 && n == 16 && k == 8) return true;
  const bool is_type = same<Use, accumulator> ? same<T, float> || same<T, __half> || same<T, int>
                                              : same<T, __half> || same<T, __nv_bfloat16> ||
                                                    same<T, signed char> || same<T, unsigned char>;
  return is_type && is_wide_shape(m, n, k);
}

#define TD_SIMT_UNSEEN __attribute__((noinline, no_sanitize("thread")))

/// Copies between memory and the elements of a lane. Without hooks: the access is reported as one.
///@{
template <class Fragment, class T>
TD_SIMT_UNSEEN void copy_in(Fragment& f, const T* from, unsigned leading, bool column_major,
                            unsigned lane) {
  for (int i = 0; i < Fragment::num_elements; ++i)
    f.x[i] = from[Fragment::offset(lane, i, leading, column_major)];
}
template <class Fragment, class T>
TD_SIMT_UNSEEN void copy_out(const Fragment& f, T* to, unsigned leading, bool column_major,
                             unsigned lane) {
  for (int i = 0; i < Fragment::num_elements; ++i)
    to[Fragment::offset(lane, i, leading, column_major)] = f.x[i];
}
///@}
template <class Fragment>
TD_SIMT_UNSEEN void widen(double* to, const Fragment& f) {
  for (int i = 0; i < Fragment::num_elements; ++i) {
    if constexpr (same<typename Fragment::element_type, precision::tf32>)
      to[i] = __builtin_bit_cast(float, __builtin_bit_cast(unsigned, f.x[i]) & 0xffffe000);
    else if constexpr (sizeof(f.x[i]) == 2)
      to[i] = float(f.x[i]);
    else
      to[i] = f.x[i];
  }
}
template <class Fragment>
TD_SIMT_UNSEEN void narrow(Fragment& f, const double* from) {
  for (int i = 0; i < Fragment::num_elements; ++i)
    f.x[i] = static_cast<typename Fragment::storage_element_type>(from[i]);
}

}  // namespace detail

/// The part of a matrix that a lane holds, of A (m x k), B (k x n) or an accumulator (m x n).
template <class Use, int m, int n, int k, class T, class Layout = void>
class fragment {
  static_assert(detail::has_shape<Use, T>(m, n, k),
                "tensor cores have no such shape for this element type");
  static_assert(detail::same<Use, accumulator> == detail::same<Layout, void>,
                "matrix_a and matrix_b need row_major or col_major, an accumulator has none");

 public:
  using element_type = T;
  using storage_element_type = typename detail::Element<T>::type;
  static constexpr int rows = detail::same<Use, matrix_b> ? k : m;
  static constexpr int columns = detail::same<Use, matrix_a> ? k : n;
  /// A and B of half hold an element several times.
  static constexpr int num_elements =
      detail::same<T, __half> && !detail::same<Use, accumulator> ? 16 : rows * columns / 32;
  storage_element_type x[num_elements];
  static constexpr unsigned bytes = sizeof x;

  /// On a GPU it has the old values of the registers. Here it is NaN, or 127, so that a missing
  /// fill_fragment or load_matrix_sync shows in the result.
  fragment() {
    for (storage_element_type& element : x)
      element = detail::same<T, int> || sizeof(T) == 1 ? storage_element_type(127)
                                                       : storage_element_type(__builtin_nanf(""));
  }

  /// From the matrix's start to the element x[i] of a lane.
  static std::size_t offset(unsigned lane, int i, unsigned leading, bool column_major) {
    const unsigned element = td::simt::matrix_element(
        lane * num_elements + static_cast<unsigned>(i), unsigned{rows * columns});
    const std::size_t row = element / columns, column = element % columns;
    return column_major ? column * leading + row : row * leading + column;
  }
  /// From the matrix's start to the piece of memory that the lane accesses: all lanes together
  /// access the matrix in memory order, each lane the same number of elements.
  static std::size_t piece(unsigned lane, unsigned leading, bool column_major) {
    constexpr unsigned kEach = rows * columns / 32;
    const unsigned length = column_major ? rows : columns;
    return std::size_t{lane * kEach / length} * leading + lane * kEach % length;
  }
  static constexpr std::size_t piece_bytes = rows * columns / 32 * sizeof(storage_element_type);
};

template <class Use, int m, int n, int k, class T, class Layout>
TD_SIMT_INLINE void fill_fragment(
    fragment<Use, m, n, k, T, Layout>& f,
    typename fragment<Use, m, n, k, T, Layout>::storage_element_type value) {
  for (auto& element : f.x) element = value;
}

namespace detail {

template <class Fragment, class T>
TD_SIMT_INLINE void load(Fragment& f, const T* from, unsigned leading, bool column_major) {
  td::simt::MatrixAccess access{from, leading, sizeof(T), Fragment::bytes, column_major};
  const bool is_aligned = td::simt::warp_call(td::simt::WarpFunction::kMatrixLoad, 0xffffffff,
                                              reinterpret_cast<std::uint64_t>(&access));
  const unsigned lane = td::simt::lane_of_thread();
  if (is_aligned)
    td::simt::tell_read_here(from + Fragment::piece(lane, leading, column_major),
                             Fragment::piece_bytes);
  copy_in(f, from, leading, column_major, lane);
}

}  // namespace detail

template <class Use, int m, int n, int k, class T, class Layout>
TD_SIMT_INLINE void load_matrix_sync(
    fragment<Use, m, n, k, T, Layout>& f,
    const typename fragment<Use, m, n, k, T, Layout>::storage_element_type* from,
    unsigned leading) {
  detail::load(f, from, leading, detail::same<Layout, col_major>);
}
template <int m, int n, int k, class T>
TD_SIMT_INLINE void load_matrix_sync(fragment<accumulator, m, n, k, T>& f, const T* from,
                                     unsigned leading, layout_t layout) {
  detail::load(f, from, leading, layout == mem_col_major);
}

template <int m, int n, int k, class T>
TD_SIMT_INLINE void store_matrix_sync(T* to, const fragment<accumulator, m, n, k, T>& f,
                                      unsigned leading, layout_t layout) {
  using Fragment = fragment<accumulator, m, n, k, T>;
  const bool column_major = layout == mem_col_major;
  td::simt::MatrixAccess access{to, leading, sizeof(T), Fragment::bytes, column_major};
  const bool is_aligned = td::simt::warp_call(td::simt::WarpFunction::kMatrixStore, 0xffffffff,
                                              reinterpret_cast<std::uint64_t>(&access));
  const unsigned lane = td::simt::lane_of_thread();
  if (is_aligned)
    td::simt::tell_write_here(to + Fragment::piece(lane, leading, column_major),
                              Fragment::piece_bytes);
  detail::copy_out(f, to, leading, column_major, lane);
}

/// d = a * b + c.
template <int m, int n, int k, class T, class LayoutA, class LayoutB, class D, class C>
TD_SIMT_INLINE void mma_sync(fragment<accumulator, m, n, k, D>& d,
                             const fragment<matrix_a, m, n, k, T, LayoutA>& a,
                             const fragment<matrix_b, m, n, k, T, LayoutB>& b,
                             const fragment<accumulator, m, n, k, C>& c) {
  using Sum = td::simt::MatrixProduct::Sum;
  td::simt::MatrixProduct product;
  product.m = m;
  product.n = n;
  product.k = k;
  product.sum = detail::same<D, __half>   ? Sum::kHalf
                : detail::same<D, double> ? Sum::kDouble
                : detail::same<D, int>    ? Sum::kInt
                                          : Sum::kFloat;
  product.a_elements = fragment<matrix_a, m, n, k, T, LayoutA>::num_elements;
  product.b_elements = fragment<matrix_b, m, n, k, T, LayoutB>::num_elements;
  detail::widen(product.a, a);
  detail::widen(product.b, b);
  detail::widen(product.c, c);
  td::simt::warp_call(td::simt::WarpFunction::kMatrixProduct, 0xffffffff,
                      reinterpret_cast<std::uint64_t>(&product));
  detail::narrow(d, product.d);
}

#undef TD_SIMT_UNSEEN

}  // namespace nvcuda::wmma

// The matrix functions of a warp (nvcuda::wmma): what load_matrix_sync and store_matrix_sync
// require, and the product. Products are exact in float, sums are in the type of the accumulator, k
// ascending; PTX does not specify the order.
#include "simt/matrices.h"

#include <algorithm>
#include <bit>

#include "simt/debug_info.h"
#include "simt/machine.h"
#include "simt/texts.h"
#include "td/tensor/half.h"

namespace td::simt {
namespace {

constexpr unsigned kAllLanes = 0xffffffff;
constexpr std::size_t kMostElements = 512, kMostColumns = 32;  // of a matrix: 16 x 32

template <class T>
const T& brought(const Thread& thread) {
  return *reinterpret_cast<const T*>(thread.value);
}

bool equal(const MatrixAccess& a, const MatrixAccess& b) {
  return a.pointer == b.pointer && a.leading == b.leading && a.column_major == b.column_major;
}

/// What tensor cores demand of the address and the leading dimension; empty when both are right.
/// PTX demands that the matrix begins at a multiple of a lane's fragment.
std::string alignment_fault(const MatrixAccess& access) {
  const unsigned demanded = std::min(access.fragment_bytes, 32u);
  const auto above = reinterpret_cast<std::uintptr_t>(access.pointer) % demanded;
  const unsigned row_bytes = access.leading * access.element_bytes;
  const std::string multiple = "a multiple of " + std::to_string(demanded);
  if (above != 0)
    return " with an address that is " + std::to_string(above) + " bytes above " + multiple +
           "\n  a matrix must begin at " + multiple + " bytes";
  if (row_bytes % 16 != 0)
    return " with a leading dimension of " + std::to_string(access.leading) +
           " elements, which are " + std::to_string(row_bytes) +
           " bytes\n  it must be a multiple of 16 bytes";
  return "";
}

/// What the programming guide demands beyond that; empty when it is done.
std::string alignment_note(const MatrixAccess& access) {
  const unsigned demanded = std::min(access.fragment_bytes, 32u);
  const unsigned row_bytes = access.leading * access.element_bytes;
  if (row_bytes > demanded && row_bytes % demanded != 0)
    return " with a leading dimension of " + std::to_string(access.leading) +
           " elements, so rows begin in the middle of a sector\n  PTX demands that each row begins "
           "at a multiple of " +
           std::to_string(demanded) + " bytes";
  if (reinterpret_cast<std::uintptr_t>(access.pointer) % 32 != 0)
    return " with an address that is no multiple of 32 bytes\n  the CUDA guide demands it; tensor "
           "cores need a multiple of " +
           std::to_string(demanded) + " bytes for this type";
  return "";
}

/// D = A * B + D, with sums in T. A product of two halfs, bfloat16 or tf32 is exact in float, and
/// one of integers in double.
template <class T>
void multiply_add(const MatrixProduct& shape, const double* a, const double* b, double* d) {
  const auto n = static_cast<std::size_t>(shape.n);
  T right[kMostElements], sums[kMostColumns];
  std::transform(b, b + shape.k * shape.n, right, [](double x) { return static_cast<T>(x); });
  for (int row = 0; row < shape.m; ++row, d += n) {
    for (std::size_t column = 0; column < n; ++column) sums[column] = static_cast<T>(d[column]);
    for (int i = 0; i < shape.k; ++i, ++a)
      for (std::size_t column = 0; column < n; ++column)
        sums[column] += static_cast<T>(*a) * right[static_cast<std::size_t>(i) * n + column];
    std::copy(sums, sums + n, d);
  }
}

/// The same, where each sum is rounded to half.
void multiply_add_half(const MatrixProduct& shape, const double* a, const double* b, double* d) {
  for (int row = 0; row < shape.m; ++row)
    for (int column = 0; column < shape.n; ++column, ++d)
      for (int i = 0; i < shape.k; ++i)
        *d = Half(static_cast<float>(*d + a[row * shape.k + i] * b[i * shape.n + column]));
}

}  // namespace

void Machine::check_all_lanes(std::uint32_t warp, unsigned group) {
  if (group == kAllLanes) return;
  const Thread& first = lane_of(warp, static_cast<unsigned>(std::countr_zero(group)));
  report(Finding::Kind::kMask, false, first, first.pc,
         text_of_lanes(group) + " of warp " + std::to_string(warp) + " of block " +
             text_of(block_) + (std::popcount(group) == 1 ? " calls " : " call ") +
             name_of(first.function) + " without " + text_of_lanes(~group) +
             "\n  all 32 lanes of a warp must call it together: move it out of the condition");
}

/// Checks a load or a store; it happens in the lanes themselves. Returns to them whether it is
/// aligned, because a report for each lane's misaligned part would repeat the error.
void Machine::check_matrix(std::uint32_t warp, unsigned group) {
  check_all_lanes(warp, group);
  const Thread& first = lane_of(warp, static_cast<unsigned>(std::countr_zero(group)));
  const auto& access = brought<MatrixAccess>(first);
  const std::string fault = alignment_fault(access);
  for (unsigned lane = 0; lane < 32; ++lane) {
    if (!(group >> lane & 1)) continue;
    Thread& thread = lane_of(warp, lane);
    thread.result = fault.empty();
    if (!equal(access, brought<MatrixAccess>(thread)))
      report(Finding::Kind::kMask, false, thread, first.pc,
             "lane " + std::to_string(lane) + " of warp " + std::to_string(warp) + " calls " +
                 name_of(first.function) +
                 " with another pointer, leading dimension or layout than " +
                 text_of_lanes(group & -group) +
                 "\n  all lanes pass the same matrix: do not add the lane's index to the pointer");
  }
  if (!fault.empty())
    report(Finding::Kind::kMisaligned, false, first, first.pc, name_of(first.function) + fault);
  else if (const std::string note = alignment_note(access); !note.empty())
    report(Finding::Kind::kMisaligned, true, first, first.pc, name_of(first.function) + note);
}

void Machine::multiply_matrices(std::uint32_t warp, unsigned group) {
  check_all_lanes(warp, group);
  const Thread& first = lane_of(warp, static_cast<unsigned>(std::countr_zero(group)));
  const auto& shape = brought<MatrixProduct>(first);
  const int m = shape.m, n = shape.n, k = shape.k;
  const auto size = [](int rows, int columns) { return static_cast<unsigned>(rows * columns); };
  double a[kMostElements] = {}, b[kMostElements] = {}, d[kMostElements] = {};
  // The fragments of all lanes, taken apart: f(element, lane's own, slot in the lane).
  const auto each_slot = [&](unsigned count, unsigned per_lane, auto f) {
    for (unsigned lane = 0; lane < 32; ++lane)
      for (unsigned i = 0; group >> lane & 1 && i < per_lane; ++i)
        f(matrix_element(lane * per_lane + i, count, options_.seed),
          *reinterpret_cast<MatrixProduct*>(lane_of(warp, lane).value), i);
  };
  const auto elements = [](unsigned count) { return count / 32; };
  each_slot(size(m, k), shape.a_elements, [&](unsigned e, auto& p, unsigned i) { a[e] = p.a[i]; });
  each_slot(size(k, n), shape.b_elements, [&](unsigned e, auto& p, unsigned i) { b[e] = p.b[i]; });
  each_slot(size(m, n), elements(size(m, n)),
            [&](unsigned e, auto& p, unsigned i) { d[e] = p.c[i]; });
  if (shape.sum == MatrixProduct::Sum::kFloat)
    multiply_add<float>(shape, a, b, d);
  else if (shape.sum == MatrixProduct::Sum::kHalf)
    multiply_add_half(shape, a, b, d);
  else
    multiply_add<double>(shape, a, b, d);
  each_slot(size(m, n), elements(size(m, n)),
            [&](unsigned e, auto& p, unsigned i) { p.d[i] = d[e]; });
  if (observer_) observer_->matrix_product(warp, m, n, k, site_before(first.pc));
}

}  // namespace td::simt

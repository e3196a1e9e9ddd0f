// Planning of loops: order, join and broadcast of element-wise ones, and which dimensions a
// reduction keeps and combines.
#include "td/kernels/geometry.h"

namespace td {

Sizes broadcast_sizes(const char* op, IntArrayRef a, IntArrayRef b) {
  const std::size_t dims = std::max(a.size(), b.size());
  Sizes out(dims, 1);
  for (std::size_t i = 0; i < dims; ++i) {  // i counts from the last dimension
    const std::int64_t na = i < a.size() ? a[a.size() - 1 - i] : 1;
    const std::int64_t nb = i < b.size() ? b[b.size() - 1 - i] : 1;
    TD_CHECK(ShapeError, na == nb || na == 1 || nb == 1, op, ": sizes ", a, " and ", b,
             " do not broadcast: dimension ", dims - 1 - i, " is ", na, " against ", nb,
             ", and neither is 1");
    out[dims - 1 - i] = na == 1 ? nb : na;
  }
  return out;
}

namespace {

struct Loop {
  std::int64_t size;
  std::int64_t stride[8];
};

// True when `outer` continues `inner` in every operand, so that the two are one loop.
bool joins(const Loop& outer, const Loop& inner, int count) {
  for (int k = 0; k < count; ++k)
    if (outer.stride[k] != inner.stride[k] * inner.size) return false;
  return true;
}

}  // namespace

int plan_loops(const Tensor* const* operands, int count, std::int64_t* sizes,
               std::int64_t (*strides)[kMaxDims]) {
  const IntArrayRef shape = operands[0]->sizes();
  const int dims = static_cast<int>(shape.size());
  std::array<Loop, kMaxDims> loops;
  int n = 0;
  for (int d = 0; d < dims; ++d) {
    if (shape[d] == 1) continue;
    Loop& loop = loops[n++];
    loop.size = shape[d];
    for (int k = 0; k < count; ++k) {
      const TensorImpl& t = operands[k]->impl();
      const int own = d - (dims - static_cast<int>(t.sizes.size()));
      loop.stride[k] = own < 0 || t.sizes[own] == 1 ? 0 : t.strides[own];
    }
  }
  // Outermost first, by the result's strides: insertion sort, stable, at most eight entries.
  for (int i = 1; i < n; ++i)
    for (int j = i; j > 0 && loops[j - 1].stride[0] < loops[j].stride[0]; --j)
      std::swap(loops[j - 1], loops[j]);
  int joined = 0;
  for (int i = 0; i < n; ++i) {
    if (joined > 0 && joins(loops[joined - 1], loops[i], count)) {
      loops[i].size *= loops[joined - 1].size;
      loops[joined - 1] = loops[i];
    } else {
      loops[joined++] = loops[i];
    }
  }
  if (joined == 0) {  // one element
    loops[0] = Loop{1, {}};
    joined = 1;
  }
  for (int i = 0; i < joined; ++i) {
    sizes[i] = loops[i].size;
    for (int k = 0; k < count; ++k) strides[k][i] = loops[i].stride[k];
  }
  return joined;
}

namespace {

void add_loop(Loops& loops, std::int64_t size, std::int64_t stride) {
  loops.count *= size;
  if (size == 1) return;
  const int last = loops.dims - 1;
  if (last >= 0 && loops.strides[last] == stride * size) {
    loops.sizes[last] *= size;
    loops.strides[last] = stride;
    return;
  }
  loops.sizes[loops.dims] = size;
  loops.strides[loops.dims++] = stride;
}

// Every nest has at least one loop, so that kernels need no special case for scalars.
void close(Loops& loops) {
  if (loops.dims > 0) return;
  loops.dims = 1;
  loops.sizes[0] = 1;
}

}  // namespace

ReduceShape plan_reduce(const Tensor& x, DimSet dims) {
  ReduceShape shape;
  for (std::size_t d = 0; d < x.sizes().size(); ++d)
    add_loop(dims >> d & 1u ? shape.reduced : shape.kept, x.sizes()[d], x.strides()[d]);
  close(shape.kept);
  close(shape.reduced);
  return shape;
}

}  // namespace td

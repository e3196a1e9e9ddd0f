// Planning of reductions: which dimensions are kept, which combined, and which join.
#include "td/kernels/reduce_shape.h"

namespace td {
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

// How a reduction runs on a GPU: one kernel, for groups whose elements are adjacent and for groups
// that are interleaved. reduce_plan.h says which thread combines what.
//
// A Work says what is combined: by a reducer `r` (see reduce.h); `element(at, index, result)`
// reads the operand at `at`, which is number `index` of the result's group; `store(result, total)`
// finishes a result; `partial` points to room for a WideAcc of every piece of every group.
//
// Included by reduce.h and channels.h where there is device code.
#pragma once

#include "td/kernels/reduce_plan.h"

namespace td {
namespace {

/// The positions of every `step`-th element of a group. Two loops take divisions at the start and
/// additions from then on; deeper nests, which are rare, take divisions for each element.
template <bool kDeep>
class Walk {
 public:
  __device__ Walk(const Loops& loops, std::int64_t index, std::int64_t step)
      : at(loops.offset(index)), loops_(loops), index_(index), step_(step) {
    const int inner = loops.dims - 1;
    size_ = loops.sizes[inner];
    place_ = index - quotient(index, size_) * size_;
    const std::int64_t stride = loops.strides[inner];
    const std::int64_t outer = inner > 0 ? loops.strides[inner - 1] : 0;
    const std::int64_t whole = quotient(step, size_);
    step_place_ = step - whole * size_;
    step_at_ = whole * outer + step_place_ * stride;
    carry_ = outer - size_ * stride;
  }
  __device__ void next() {
    if constexpr (kDeep) {
      at = loops_.offset(index_ += step_);
    } else {
      at += step_at_;
      place_ += step_place_;
      if (place_ < size_) return;
      place_ -= size_;
      at += carry_;
    }
  }
  std::int64_t at;

 private:
  const Loops& loops_;
  std::int64_t index_, step_, size_, place_, step_place_, step_at_, carry_;
};

// Combines elements first, first + step, ... before `end` of a group. Each round loads all its
// elements before it adds one, so that the loads overlap. Where the group ends within a round, the
// missing loads repeat the first one, without a branch, and their values are dropped.
template <bool kDeep, class Work>
__device__ typename Work::WideAcc fold(const Work& w, const ReduceShape& s, std::int64_t result,
                                       std::int64_t first, std::int64_t end, std::int64_t step) {
  constexpr int kLoads = kDeep ? 1 : kReduceLoads;
  const auto r = w.r;
  typename Work::WideAcc total = r.start();
  if (first >= end) return total;
  const std::int64_t base = s.kept.offset(result);
  Walk<kDeep> walk(s.reduced, first, step);
  for (std::int64_t i = first; i < end; i += kLoads * step) {
    const std::int64_t start = walk.at;
    const auto there = [&](int k) { return i + k * step < end; };
    decltype(w.element(base, i, result)) element[kLoads];
#pragma unroll
    for (int k = 0; k < kLoads; ++k, walk.next()) {
      const std::int64_t at = there(k) ? walk.at : start;
      element[k] = w.element(base + at, there(k) ? i + k * step : i, result);
    }
    auto lane = r.start();
#pragma unroll
    for (int k = 0; k < kLoads; ++k) {
      auto sum = lane;
      r.add(sum, element[k], there(k) ? i + k * step : i);
      if (there(k)) lane = sum;
    }
    total = r.combine(total, lane);
  }
  return total;
}

// blockIdx.x is the tile of results, blockIdx.y the piece of their groups.
template <class Work>
__global__ void __launch_bounds__(kReduceThreads)
    reduce_kernel(const __grid_constant__ Work w, const __grid_constant__ ReduceShape s,
                  const __grid_constant__ ReducePlan plan) {
  using WideAcc = typename Work::WideAcc;
  alignas(16) __shared__ unsigned char room[kReduceThreads * sizeof(WideAcc)];
  WideAcc* const mine = reinterpret_cast<WideAcc*>(room) + threadIdx.x;
  const int member = plan.columns ? threadIdx.x / plan.width : threadIdx.x % plan.members;
  const int apart = plan.columns ? plan.width : 1;  // threads from one member to the next
  const std::int64_t result =
      std::int64_t(blockIdx.x) * plan.width +
      (plan.columns ? threadIdx.x % plan.width : threadIdx.x / plan.members);
  const std::int64_t begin = blockIdx.y * plan.length;
  const std::int64_t end = std::min(begin + plan.length, plan.count);
  WideAcc total = w.r.start();
  if (result < plan.results)
    total = s.reduced.dims > 2 ? fold<true>(w, s, result, begin + member, end, plan.members)
                               : fold<false>(w, s, result, begin + member, end, plan.members);
  *mine = total;
  for (int half = plan.members / 2; half > 0; half /= 2) {
    if (plan.columns || half >= 32)
      __syncthreads();
    else  // the 32 threads of a warp are left
      __syncwarp();
    if (member < half) *mine = w.r.combine(*mine, mine[half * apart]);
  }
  if (member != 0 || result >= plan.results) return;
  if (plan.pieces > 1)
    w.partial[blockIdx.y * plan.results + result] = *mine;
  else
    w.store(result, *mine);
}

/// The work of the second launch: a group's elements are the partial results of its pieces.
template <class Work>
struct Join {
  using WideAcc = typename Work::WideAcc;
  struct Reducer {
    decltype(Work::r) of;
    __device__ WideAcc start() const { return of.start(); }
    __device__ void add(WideAcc& lane, const WideAcc& piece, std::int64_t) const {
      lane = of.combine(lane, piece);
    }
    __device__ WideAcc combine(const WideAcc& a, const WideAcc& b) const {
      return of.combine(a, b);
    }
  };
  Work w;
  Reducer r;
  WideAcc* partial = nullptr;

  __device__ WideAcc element(std::int64_t at, std::int64_t, std::int64_t) const {
    return w.partial[at];
  }
  __device__ void store(std::int64_t result, const WideAcc& total) const { w.store(result, total); }
};

template <class Work>
void start_reduce(const Work& w, const ReduceShape& s, const ReducePlan& plan,
                  cudaStream_t stream) {
  const dim3 grid(static_cast<unsigned>(plan.tiles()), static_cast<unsigned>(plan.pieces));
  start(reduce_kernel<Work>, grid, kReduceThreads, stream, w, s, plan);
}

/// @pre w.partial has room when plan_blocks(s) has more than one piece.
template <class Work>
void reduce_on_cuda(const Work& w, const ReduceShape& s, cudaStream_t stream) {
  const ReducePlan plan = plan_blocks(s);
  if (plan.results == 0) return;
  start_reduce(w, s, plan, stream);
  if (plan.pieces == 1) return;
  ReduceShape across;
  across.kept = {1, plan.results, {plan.results}, {1}};
  across.reduced = {1, plan.pieces, {plan.pieces}, {plan.results}};
  start_reduce(Join<Work>{w, {w.r}}, across, plan_join(plan), stream);
}

}  // namespace
}  // namespace td

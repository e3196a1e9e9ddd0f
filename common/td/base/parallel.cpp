// parallel_for on OpenMP: the pool that oneDNN and OpenBLAS use too, so that cores are counted
// once. Without OpenMP every loop is serial.
#include "td/base/parallel.h"

#include <sched.h>

#include <algorithm>
#include <exception>
#include <mutex>

#ifdef TD_HAS_OPENMP
#include <omp.h>
#endif

namespace td {

namespace {

thread_local constinit int width_of_thread = 0;  // 0: not determined yet

}  // namespace

int core_count() {
  static const int cores = [] {
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) != 0) return 1;
    return std::max(1, CPU_COUNT(&set));
  }();
  return cores;
}

int parallel_width() {
#ifdef TD_HAS_OPENMP  // OMP_NUM_THREADS, where the user has set it
  if (width_of_thread == 0) width_of_thread = omp_get_max_threads();
#endif
  return std::max(1, width_of_thread);
}

void set_parallel_width(int width) {
  width_of_thread = std::max(1, width);
#ifdef TD_HAS_OPENMP
  omp_set_num_threads(std::max(1, width));  // a setting of the calling thread; oneDNN reads it
#endif
}

void detail::parallel_ranges(std::int64_t begin, std::int64_t end, std::int64_t grain,
                             RangeBody call, void* body) {
  if (end - begin <= grain) return call(body, begin, end);
#ifdef TD_HAS_OPENMP
  grain = std::max<std::int64_t>(grain, 1);
  const std::int64_t count = end - begin, useful = (count + grain - 1) / grain;
  const auto threads = static_cast<int>(std::min<std::int64_t>(parallel_width(), useful));
  if (threads <= 1 || omp_in_parallel()) return call(body, begin, end);
  std::exception_ptr first;
  std::mutex mutex;
#pragma omp parallel num_threads(threads)
  {
    // The team may be smaller than asked for; its real size decides the ranges.
    const std::int64_t team = omp_get_num_threads(), me = omp_get_thread_num();
    const std::int64_t from = begin + count * me / team, to = begin + count * (me + 1) / team;
    try {
      if (from < to) call(body, from, to);
    } catch (...) {  // must not leave the region
      std::lock_guard lock(mutex);
      if (!first) first = std::current_exception();
    }
  }
  if (first) std::rethrow_exception(first);
#else
  call(body, begin, end);
#endif
}

}  // namespace td

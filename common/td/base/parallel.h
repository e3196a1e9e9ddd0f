// Loops over several cores. Kernels call parallel_for; a stream thread of sim sets its width once,
// so that devices divide the cores. Invariant: the body sees every index exactly once, in
// contiguous ranges, and an exception it throws reaches the caller.
#pragma once

#include <cstdint>
#include <memory>
#include <type_traits>

namespace td {

/// How many threads a parallel loop of this thread may use.
int parallel_width();
/// Changes it for this thread (at least 1), for parallel_for and for the libraries on OpenMP.
void set_parallel_width(int width);
/// The cores this process may use.
int core_count();

/// Nanoseconds of work on one thread from which several threads divide it: they have to be woken up
/// and synchronized, and what each has written is in the cache of its core. Measured, see
/// docs/measurements/threads.md; the decision itself reads no clock, so results repeat.
inline constexpr double kWorthThreads = 20'000;

namespace detail {
using RangeBody = void (*)(void* body, std::int64_t begin, std::int64_t end);
/// Also runs a short loop, so that the body is compiled once.
void parallel_ranges(std::int64_t begin, std::int64_t end, std::int64_t grain, RangeBody call,
                     void* body);
}  // namespace detail

/// Calls `body(from, to)` for ranges that together are [begin, end), each at least about `grain`
/// long. A loop of at most `grain` runs on the calling thread alone: starting threads costs about a
/// microsecond, so a grain should be worth many.
template <class Body>
void parallel_for(std::int64_t begin, std::int64_t end, std::int64_t grain, Body&& body) {
  if (end <= begin) return;
  using Plain = std::remove_reference_t<Body>;
  detail::parallel_ranges(
      begin, end, grain,
      [](void* b, std::int64_t from, std::int64_t to) { (*static_cast<Plain*>(b))(from, to); },
      const_cast<void*>(static_cast<const void*>(std::addressof(body))));
}

}  // namespace td

// What a kernel does with an index or a class that does not exist: on the host it throws, which on
// sim belongs to the stream; on cuda it prints the sentence and stops the kernel.
// Included by kernel files only.
#pragma once

#include <cstdint>
#include <cstdio>

#include "td/base/error.h"
#include "td/tensor/dtype.h"

namespace td {
namespace {

/// @param op,what text that lives as long as the process, e.g. "gather", "index".
/// @param count how many there are; `first`, the smallest that is accepted.
/// On cuda `op` is not printed: its text is host memory.
TD_HD inline void out_of_range([[maybe_unused]] const char* op, [[maybe_unused]] const char* what,
                               std::int64_t value, std::int64_t count, std::int64_t first = 0) {
#ifdef __CUDA_ARCH__
  const long long v = value, low = first, high = count - 1;
  if (count == 0)
    printf("td: index %lld is out of range: the dimension has size 0\n", v);
  else
    printf("td: index %lld is out of range; expected %lld to %lld\n", v, low, high);
  __trap();
#else
  if (count == 0)
    fail<ShapeError>(op, ": ", what, " ", value, " is out of range: the dimension has size 0");
  fail<ShapeError>(op, ": ", what, " ", value, " is out of range; expected ", first, " to ",
                   count - 1);
#endif
}

}  // namespace
}  // namespace td

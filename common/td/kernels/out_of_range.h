// What a kernel does with an index or a class that does not exist: on the host it throws, which on
// sim belongs to the stream; on cuda it prints the sentence and stops the kernel.
// Included by kernel files only.
#pragma once

#include <cstdint>
#include <cstdio>

#include "td/base/error.h"
#include "td/tensor/half.h"

namespace td {
namespace {

/// @param op,what text that lives as long as the process, e.g. "gather", "index".
/// On cuda `op` is not printed: its text is host memory.
TD_HD inline void out_of_range([[maybe_unused]] const char* op, [[maybe_unused]] const char* what,
                               std::int64_t value, std::int64_t count) {
#ifdef __CUDA_ARCH__
  printf("td: index %lld is out of range; expected 0 to %lld\n", static_cast<long long>(value),
         static_cast<long long>(count - 1));
  __trap();
#else
  fail<ShapeError>(op, ": ", what, " ", value, " is out of range; expected 0 to ", count - 1);
#endif
}

}  // namespace
}  // namespace td

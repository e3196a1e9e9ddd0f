// How a kernel reports that it is still a stub: the version of td/exercise.h for kernels. Included
// by the kernel files of chapters 11 to 13, and by nothing else.
// Invariant: this header includes no standard header, and none of its code is compiled into
// observed code.
#pragma once

#include "simt/kernel.h"

namespace td {
inline namespace kernels_of_exercises {

#ifdef __CUDACC__
/// Ends the launch with an error. A checker runs a kernel on sim first, so this is a second guard.
__device__ inline void not_done_yet(const char* exercise) {
  printf("not done yet: %s\n", exercise);
  __trap();
}
#else
/// Ends the thread, and with it the launch, as td/exercise.h describes.
/// @param exercise the exercise's name, as in its file name.
/// @throws NotDoneYet always.
[[noreturn]] void not_done_yet(const char* exercise);
#endif

}  // namespace kernels_of_exercises
}  // namespace td

// CUDA lets each kernel name its dynamic shared memory; the linker needs the names. These are those
// that CUDA's own documentation and most code use.
//
// Invariant: all names are one symbol of one size, so they share their memory, as on a GPU.
#include "simt/dynamic_shared.h"

extern "C" {
/// Aligned as the start of a block's shared memory on a GPU.
alignas(1024) constinit thread_local unsigned char smem[td::simt::kDynamicSharedBytes]{};
#define NAME(name)                                                      \
  extern thread_local unsigned char name[td::simt::kDynamicSharedBytes] \
      __attribute__((alias("smem")));
NAME(sdata)
NAME(s_data)
NAME(shared)
NAME(shared_memory)
NAME(dynamic_shared)
#undef NAME
}

namespace td::simt {

std::uintptr_t dynamic_shared_begin() { return reinterpret_cast<std::uintptr_t>(smem); }

bool is_dynamic_shared(std::string_view name) {
  for (const std::string_view known :
       {"smem", "sdata", "s_data", "shared", "shared_memory", "dynamic_shared"})
    if (name == known) return true;
  return false;
}

}  // namespace td::simt

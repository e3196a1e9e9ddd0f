// What the loader and a kernel library itself tell about the library: where its code, its constants
// and its shared variables are. Used by the machine and its memory map.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace td::simt {

/// What kernel_library/hooks.cpp exports from each kernel library as `td_kernel_library`.
struct KernelLibrary {
  const char *hooks_begin, *hooks_end;  ///< The code of the hooks.
  /// The threads per block for which `__launch_bounds__` compiles the kernel; 0: it has none.
  unsigned (*launch_bounds)(const void* kernel);
  const char *constants_begin, *constants_end;  ///< The `__constant__` variables.
};

/// A piece of address space.
struct Range {
  std::uintptr_t begin = 0, bytes = 0;
  bool contains(std::uintptr_t address) const { return address - begin < bytes; }
};

/// The library of a kernel, as the calling OS thread sees it.
struct Library {
  Range code;
  Range hooks;  ///< Part of the code.
  Range thread_local_variables;
  std::vector<Range>
      constants;  ///< What no kernel writes: read-only memory and `__constant__` variables.
  std::uintptr_t dynamic_shared = 0;       ///< Its beginning; 0 where no kernel has any.
  const KernelLibrary* kernels = nullptr;  ///< nullptr where it is no kernel library.

  bool is_constant(std::uintptr_t address) const;
  /// As KernelLibrary::launch_bounds.
  unsigned launch_bounds(const void* kernel) const {
    return kernels ? kernels->launch_bounds(kernel) : 0;
  }
};
/// The library that contains the code of a kernel. Remembers it for the calling OS thread.
const Library& library_of(const void* kernel);

}  // namespace td::simt

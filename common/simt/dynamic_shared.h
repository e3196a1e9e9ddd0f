// The dynamic shared memory of a launch: one piece per OS thread, which a kernel declares as an
// array of unknown length, `extern __shared__ float smem[];`. Used by the machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace td::simt {

/// As much as a block can have on any GPU (compute capability 9.0, with opt-in).
inline constexpr std::size_t kDynamicSharedBytes = 227 << 10;

/// Where it begins for the calling OS thread.
std::uintptr_t dynamic_shared_begin();
/// Whether kernels may call it by this name.
bool is_dynamic_shared(std::string_view name);

}  // namespace td::simt

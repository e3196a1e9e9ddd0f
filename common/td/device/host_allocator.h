// Memory for cpu tensors. Fresh memory from the system costs page faults, which for large tensors
// take longer than the arithmetic; so blocks are kept and handed out again. Used through
// allocator(kCPU) by Storage, and for staging copies.
#pragma once

#include "td/device/allocator.h"

namespace td {

/// The allocator of the cpu. Never destroyed: static tensors release into it at exit.
Allocator& host_allocator();

}  // namespace td

// The address of a kernel that the compiler did not tell: of a template whose arguments follow from
// those of the launch. Used where a kernel's debug information is needed.
#pragma once

#include <string>

#include "cuda/launch.h"

namespace td::cudart {

/// @param name of the kernel without namespaces and template arguments
/// @return the address of its code; that of Kernel::call where it is not found
const void* address_of(const Kernel& kernel, const std::string& name);

}  // namespace td::cudart

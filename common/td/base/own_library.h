// Libraries of this project that are opened when they are first needed, because what they link is
// large or may be missing. They are in the folder of libtd.so.
#pragma once

#include <string>

namespace td {

/// An exported function of such a library, or nullptr with the loader's reason in `reason`.
void* own_library_function(const std::string& library, const char* function, std::string& reason);

}  // namespace td

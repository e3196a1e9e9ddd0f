// Opens libraries in the folder of libtd.so with dlopen.
#include "td/base/own_library.h"

#include <dlfcn.h>

#include <filesystem>

namespace td {

void* own_library_function(const std::string& library, const char* function, std::string& reason) {
  Dl_info info{};
  dladdr(reinterpret_cast<const void*>(&own_library_function), &info);
  // When the loader does not tell the folder, it stays empty, and dlopen searches.
  const auto folder = std::filesystem::path(info.dli_fname ? info.dli_fname : "").parent_path();
  void* const opened = dlopen((folder / library).c_str(), RTLD_NOW | RTLD_LOCAL);
  void* const found = opened ? dlsym(opened, function) : nullptr;
  if (found) return found;
  const char* const text = dlerror();
  reason = text ? text : "no reason given";
  return nullptr;
}

}  // namespace td

// dlopen beside libtd.so.
#include "td/base/own_library.h"

#include <dlfcn.h>

namespace td {
namespace {

// The folder of libtd.so, with a slash; empty when the loader does not tell.
std::string own_folder() {
  Dl_info info{};
  if (!dladdr(reinterpret_cast<const void*>(&own_library_function), &info) || !info.dli_fname)
    return "";
  const std::string path = info.dli_fname;
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? "" : path.substr(0, slash + 1);
}

}  // namespace

void* own_library_function(const std::string& library, const char* function, std::string& reason) {
  void* const opened = dlopen((own_folder() + library).c_str(), RTLD_NOW | RTLD_LOCAL);
  void* const found = opened ? dlsym(opened, function) : nullptr;
  if (found) return found;
  const char* const text = dlerror();
  reason = text ? text : "no reason given";
  return nullptr;
}

}  // namespace td

// Opens libtd_cuda_libs.so at its first use. Linking it would cost every program 60 to 330 ms at
// its start, GPU or not.
#include "td/backends/cuda/libs.h"

#include <dlfcn.h>

#include <string>

#include "td/base/error.h"

namespace td::cuda {
namespace {

// The folder of libtd.so, with a slash; empty when the loader does not tell.
std::string own_folder() {
  Dl_info info{};
  if (!dladdr(reinterpret_cast<const void*>(&libs), &info) || !info.dli_fname) return "";
  const std::string path = info.dli_fname;
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? "" : path.substr(0, slash + 1);
}

Libs* open() {
  const std::string path = own_folder() + "libtd_cuda_libs.so";
  void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  void* const factory = library ? dlsym(library, "td_cuda_libs") : nullptr;
  if (!factory) {
    const char* const reason = dlerror();
    fail<DeviceError>("matrix products and convolutions on cuda need cuBLAS and cuDNN, but ", path,
                      " could not be opened: ", reason ? reason : "no reason given",
                      ". Build the target td_all, and see that the libraries it names are "
                      "installed; cpu and sim work without them.");
  }
  return reinterpret_cast<decltype(&td_cuda_libs)>(factory)();
}

}  // namespace

Libs& libs() {
  static Libs* const opened = open();  // a failure throws, and the next call tries again
  return *opened;
}

}  // namespace td::cuda

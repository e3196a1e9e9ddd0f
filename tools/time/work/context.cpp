// The names of the machine and its libraries, for the head of a report.
#include "context.h"

#include <dlfcn.h>

#include <cstring>
#include <sstream>

#include "td/base/parallel.h"
#include "td/td.h"

namespace timing {
namespace {

using nlohmann::json;

/// A function of a library that this process has loaded; null if it has not. So the version is that
/// of the library that runs, not of the header used for compilation.
template <class Function>
Function* loaded(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_DEFAULT, name));
}

/// "0.3.21" of "OpenBLAS 0.3.21 NO_AFFINITY ..."
std::string openblas_version(const char* config) {
  std::istringstream words(config);
  std::string name, version;
  words >> name >> version;
  return version;
}

json libraries() {
  struct DnnlVersion {  // the beginning of dnnl_version_t, which oneDNN keeps in all versions
    int major, minor, patch;
  };
  json all = json::object();
  if (auto* dnnl = loaded<const DnnlVersion*()>("dnnl_version")) {
    const DnnlVersion* v = dnnl();
    all["oneDNN"] =
        std::to_string(v->major) + '.' + std::to_string(v->minor) + '.' + std::to_string(v->patch);
  }
  if (auto* blas = loaded<char*()>("openblas_get_config"))
    all["OpenBLAS"] = openblas_version(blas());
  int cuda = 0;
  if (auto* version = loaded<int(int*)>("cudaRuntimeGetVersion");
      version && version(&cuda) == 0 && td::device_count(td::kCUDA) > 0)
    all["CUDA"] = std::to_string(cuda / 1000) + '.' + std::to_string(cuda % 1000 / 10);
  return all;
}

}  // namespace

json context() {
  json gpus = json::array();
  for (int i = 0; i < td::device_count(td::kCUDA); ++i)
    gpus.push_back(td::device_name(td::Device(td::kCUDA, i)));
  return {{"processor", td::device_name(td::Device(td::kCPU))},
          {"cores", td::core_count()},
          {"gpus", gpus},
          {"libraries", libraries()}};
}

}  // namespace timing

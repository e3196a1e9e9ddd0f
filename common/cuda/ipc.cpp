// Memory and events of another process. Invariant: a device belongs to one process here, so each of
// these calls says that it is not supported.
#include "cuda/state.h"

using namespace td::cudart;

namespace {

cudaError_t refuse(const Call& call) {
  return run_call(call, [&](State&, Lock&) { return not_supported(call, ""); });
}

}  // namespace

extern "C" {

cudaError_t cudaIpcGetMemHandle(cudaIpcMemHandle_t*, void*) {
  return refuse({"cudaIpcGetMemHandle", TD_CUDA_CALLER});
}
cudaError_t cudaIpcOpenMemHandle(void**, cudaIpcMemHandle_t, unsigned) {
  return refuse({"cudaIpcOpenMemHandle", TD_CUDA_CALLER});
}
cudaError_t cudaIpcCloseMemHandle(void*) {
  return refuse({"cudaIpcCloseMemHandle", TD_CUDA_CALLER});
}
cudaError_t cudaIpcGetEventHandle(cudaIpcEventHandle_t*, cudaEvent_t) {
  return refuse({"cudaIpcGetEventHandle", TD_CUDA_CALLER});
}
cudaError_t cudaIpcOpenEventHandle(cudaEvent_t*, cudaIpcEventHandle_t) {
  return refuse({"cudaIpcOpenEventHandle", TD_CUDA_CALLER});
}

}  // extern "C"

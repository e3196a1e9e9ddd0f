// The names and texts of error codes, as CUDA gives them. Invariant: needs no state.
#include <cuda_runtime.h>

namespace {

struct Words {
  cudaError_t code;
  const char *name, *text;
};
#define TD_WORDS(code, text) \
  { code, #code, text }
constexpr Words kWords[] = {
    TD_WORDS(cudaSuccess, "no error"),
    TD_WORDS(cudaErrorInvalidValue, "invalid argument"),
    TD_WORDS(cudaErrorMemoryAllocation, "out of memory"),
    TD_WORDS(cudaErrorCudartUnloading, "driver shutting down"),
    TD_WORDS(cudaErrorInvalidConfiguration, "invalid configuration argument"),
    TD_WORDS(cudaErrorInvalidDevice, "invalid device ordinal"),
    TD_WORDS(cudaErrorDevicesUnavailable, "CUDA-capable device(s) is/are busy or unavailable"),
    TD_WORDS(cudaErrorDeviceUninitialized, "invalid device context"),
    TD_WORDS(cudaErrorInvalidResourceHandle, "invalid resource handle"),
    TD_WORDS(cudaErrorNotReady, "device not ready"),
    TD_WORDS(cudaErrorIllegalAddress, "an illegal memory access was encountered"),
    TD_WORDS(cudaErrorMisalignedAddress, "misaligned address"),
    TD_WORDS(cudaErrorLaunchFailure, "unspecified launch failure"),
    TD_WORDS(cudaErrorPeerAccessAlreadyEnabled, "peer access is already enabled"),
    TD_WORDS(cudaErrorSystemNotReady, "system not yet initialized"),
    TD_WORDS(cudaErrorStreamCaptureUnsupported, "operation not permitted when stream is capturing"),
    TD_WORDS(cudaErrorStreamCaptureInvalidated,
             "operation failed due to a previous error during capture"),
    TD_WORDS(cudaErrorStreamCaptureIsolation,
             "dependency created on uncaptured work in another stream"),
    TD_WORDS(cudaErrorCapturedEvent,
             "operation not permitted on an event last recorded in a capturing stream"),
};

const Words* words_of(cudaError_t code) {
  for (const Words& words : kWords)
    if (words.code == code) return &words;
  return nullptr;
}

}  // namespace

extern "C" {

const char* cudaGetErrorString(cudaError_t code) {
  const auto* const words = words_of(code);
  return words ? words->text : "an error that the stand-in has no words for";
}

const char* cudaGetErrorName(cudaError_t code) {
  const auto* const words = words_of(code);
  return words ? words->name : "cudaError?";
}

}  // extern "C"

// The names and texts of error codes, as CUDA gives them. Part of the runtime for programs, and of
// the tests' stand-in. Invariant: needs no state.
#include <cuda_runtime_api.h>

namespace {

struct Words {
  int code;
  const char *name, *text;
};
constexpr Words kWords[] = {
#define TD_CUDA_ERROR(name, number, text) {number, #name, text},
#include "cuda/include/cuda_errors.def"
#undef TD_CUDA_ERROR
};

const Words& words_of(cudaError_t code) {
  static constexpr Words kUnknown{-1, "unrecognized error code", "unrecognized error code"};
  for (const Words& words : kWords)
    if (words.code == code) return words;
  return kUnknown;
}

}  // namespace

extern "C" {

const char* cudaGetErrorString(cudaError_t code) { return words_of(code).text; }
const char* cudaGetErrorName(cudaError_t code) { return words_of(code).name; }

}  // extern "C"

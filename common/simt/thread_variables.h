// The indices that language.h declares for kernels, writable for the machine. Only the machine
// includes this file: for a kernel they are constants.
#pragma once

#include "simt/vector_types.h"

extern constinit thread_local uint3 threadIdx, blockIdx, blockDim, gridDim;

// The indices that language.h shows to kernels, as the machine writes them. Included by the machine
// alone: for a kernel they are constants.
#pragma once

#include "simt/vector_types.h"

extern constinit thread_local uint3 threadIdx, blockIdx, blockDim, gridDim;

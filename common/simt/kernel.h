// What a kernel file includes: the language of CUDA. nvcc has its own; for g++ and clang the
// headers of this folder define the same names, so that one file is compiled for cuda and for sim.
//
// Invariant: a name of CUDA that these headers do not define fails to compile; none is silently
// approximated. Independent of tensors.
#pragma once

#ifdef __CUDACC__
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>

#include <cassert>
#include <cstdint>
#include <cstdio>
#else
#include "simt/atomics.h"
#include "simt/half_functions.h"
#include "simt/integers.h"
#include "simt/language.h"
#include "simt/math.h"
#include "simt/memory_functions.h"
#include "simt/rounding.h"
#include "simt/warp.h"
#include "simt/wmma.h"
#endif

// What a kernel on sim gets for <cuda_fp16.h>.
#pragma once

#include "simt/atomics.h"
#include "simt/half_functions.h"

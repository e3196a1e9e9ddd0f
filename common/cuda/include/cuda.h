// Programs of the runtime's interface often include the driver's header as well. Of the driver's
// interface there is nothing here: its functions do not compile.
#pragma once

#include "cuda_runtime.h"

#define CUDA_VERSION CUDART_VERSION

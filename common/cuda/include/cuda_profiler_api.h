// cudaProfilerStart and cudaProfilerStop, which cuda_runtime_api.h declares.
#pragma once

#include "cuda_runtime_api.h"

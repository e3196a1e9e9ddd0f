// Functions of the device are part of cuda_runtime.h, as with nvcc. Programs may include this
// header as well.
#pragma once

#include "cuda_runtime.h"

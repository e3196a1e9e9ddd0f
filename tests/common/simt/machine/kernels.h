// The kernels of the machine's tests, in kernels.cu. A line that a test names ends in a comment
// mark, `// mark: name`, which line_of_mark (marks.h) finds.
#pragma once

#include "simt/kernel.h"

__global__ void add(const float* a, const float* b, float* out, int n);
__global__ void block_sum(const float* in, float* out, int n);
__global__ void dynamic_sum(const float* in, float* out, int n);
__global__ void indices(int* out);
__global__ void copy4(const float4* in, float4* out, int n);

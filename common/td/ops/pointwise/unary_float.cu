// Kernels of the element-wise functions with floating point results.
#define TD_UNARY_LIST "td/ops/pointwise/unary_float.def"
#define TD_UNARY_DISPATCH dispatch_floats
#include "td/ops/pointwise/unary_kernels.inc"

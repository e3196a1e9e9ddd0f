// Kernels of the element-wise functions with floating point results.
#define TD_UNARY_LIST "td/tensor/unary_float.def"
#define TD_UNARY_DISPATCH dispatch_floats
#include "td/kernels/unary_kernels.inc"

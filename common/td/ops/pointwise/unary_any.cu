// Kernels of the element-wise functions that keep the type.
#include "td/tensor/dtype.h"
#define TD_UNARY_LIST "td/ops/pointwise/unary_any.def"
#define TD_UNARY_DISPATCH dispatch_numbers
#include "td/ops/pointwise/unary_kernels.inc"

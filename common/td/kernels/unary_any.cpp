// Kernels of the element-wise functions that keep the type.
#include "td/tensor/dtype.h"
#define TD_UNARY_LIST "td/tensor/unary_any.def"
#define TD_UNARY_DISPATCH dispatch_numbers
#include "td/kernels/unary_kernels.inc"

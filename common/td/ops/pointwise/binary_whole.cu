// Kernels of quotients without a fraction, and of remainders.
#include "td/ops/pointwise/whole_math.h"
#define TD_BINARY_LIST "td/ops/pointwise/binary_whole.def"
#include "td/ops/pointwise/binary_kernels.inc"

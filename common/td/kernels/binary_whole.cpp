// Kernels of quotients without a fraction, and of remainders.
#include "td/kernels/whole_math.h"
#define TD_BINARY_LIST "td/tensor/binary_whole.def"
#include "td/kernels/binary_kernels.inc"

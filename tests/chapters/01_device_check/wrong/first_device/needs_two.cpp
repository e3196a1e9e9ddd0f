// expect: first_device(1): expected cuda:0, got cpu
// Off by one, and right on the README's example: it uses a GPU only where there are several.
#include "exercises.h"

td::Device first_device(int gpus) { return gpus > 1 ? td::Device("cuda:0") : td::Device("cpu"); }

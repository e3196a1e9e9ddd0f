// expect: first_device(1): expected cuda:0, got cuda
// "cuda" is the current GPU, which need not be the first one.
#include "exercises.h"

td::Device first_device(int gpus) { return gpus > 0 ? td::Device("cuda") : td::Device("cpu"); }

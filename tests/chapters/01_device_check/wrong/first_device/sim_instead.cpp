// expect: first_device(0): expected cpu, got sim:0
// Falls back to another device than PyTorch's line does.
#include "exercises.h"

td::Device first_device(int gpus) { return td::Device(gpus > 0 ? "cuda:0" : "sim:0"); }

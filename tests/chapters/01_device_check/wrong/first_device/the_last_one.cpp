// expect: first_device(2): expected cuda:0, got cuda:1
// Counts from 1: takes the last GPU, and on a machine without one asks for cuda:-1.
#include "exercises.h"

td::Device first_device(int gpus) {
  return gpus == 0 ? td::Device("cpu") : td::Device(td::kCUDA, gpus - 1);
}

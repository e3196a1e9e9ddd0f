// expect: the target of 1 samples, cpu to sim:0: expected on sim:0, it is on cpu
#include "exercises.h"

Batch move_batch(const Batch& batch, td::Device device) {
  return {batch.data.to(device), batch.target};
}

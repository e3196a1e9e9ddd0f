// The arithmetic of the stand-in for NCCL's reductions. Its collectives are the only caller.
#pragma once

#include <nccl.h>

#include <cstddef>
#include <vector>

namespace cuda_stand_in {

/// output[i] = op of inputs[r][i] over all r, in the order of the list. Sums of 16-bit types are
/// made in float32 and rounded once. ncclAvg multiplies each input by 1/n, as NCCL does, and is for
/// floating point types only.
void combine(ncclDataType_t type, ncclRedOp_t op, const std::vector<const void*>& inputs,
             std::size_t count, void* output);

}  // namespace cuda_stand_in

// Packing: small tensors travel as one buffer, because a link takes its latency for every copy, and
// a model has many small tensors. And the graph node behind a broadcast. Private to parallel/.
// Invariant: tensors come out of a buffer in memory of their own, in the order of dimensions that
// they had, so that channels-last weights stay so.
#pragma once

#include <cstddef>
#include <vector>

#include "td/tensor/tensor.h"

namespace td::parallel {

/// Places in a list of tensors that travel in one buffer.
using Group = std::vector<std::size_t>;

/// Tensors of one type, in their order, as many as fit. A tensor larger than the buffer is alone.
std::vector<Group> groups_of(const TensorList& tensors, std::size_t buffer_size);

/// A new buffer with the elements of the group's tensors. `like` says sizes and order in memory.
Tensor pack(const TensorList& tensors, const TensorList& like, const Group& group);

/// What pack() put together, into the group's places of `out`, on the buffer's device.
void unpack(const Tensor& buffer, const TensorList& like, const Group& group, TensorList& out);

/// Makes `copies[d][t]` the results of one recorded broadcast of `sources[t]`. For callers that
/// place the copies themselves, as replicate does. Gradients add up on the device of `copies[0]`
/// and go to each source's own.
void record_broadcast(const std::vector<TensorList>& copies, const TensorList& sources);

}  // namespace td::parallel

// How tensors are copied between the devices of one process: split a tensor, join tensors, copy one
// to all devices, sum them on one. DataParallel is made of these, and so is a strategy by hand.
// Names and rules are those of torch.cuda.comm, for every kind of device, and all of it can be
// differentiated. Invariant: between two accelerators of a kind a copy goes directly, and the host
// waits for a copy only when one side is the host.
#pragma once

#include <cstddef>
#include <vector>

#include "td/tensor/tensor.h"

namespace td::parallel {

/// Small tensors are copied in buffers of at most this many bytes (10 MiB, as in PyTorch).
inline constexpr std::size_t kBufferSize = 10 << 20;

/// Splits `tensor` along `dim` and copies part i to devices[i]. A part that is already on its
/// device is a view. The gradient is the concatenation of the parts' gradients.
/// @param chunk_sizes one for each device, above 0, adding up to the size of `dim`. Without them
///     all parts have ceil(size / devices) rows but the last: **there may be fewer parts than
///     devices**. 9 rows on 4 devices are 3, 3, 3; nothing is left for the fourth.
/// @throws ShapeError, Error
TensorList scatter(const Tensor& tensor, const std::vector<Device>& devices,
                   const optional<std::vector<std::int64_t>>& chunk_sizes = nullopt,
                   std::int64_t dim = 0);

/// Joins tensors of several devices along `dim` on `destination`. Their sizes may differ in `dim`
/// only. Tensors without dimensions become a vector. Each gets its part of the gradient.
/// @param destination by default the current device of the kind of the first tensor.
/// @throws ShapeError, Error
Tensor gather(const TensorList& tensors, std::int64_t dim = 0,
              const optional<Device>& destination = nullopt);

/// Copies `tensor` to all devices. Element 0 has the memory of `tensor`, which is on devices[0], or
/// on the cpu, in which case every element is a copy. The gradient is the sum of all gradients.
/// @throws Error, DeviceError
TensorList broadcast(const Tensor& tensor, const std::vector<Device>& devices);

/// The same for many tensors at once, all on devices[0]; small ones are copied together.
/// @return for each device its copies, in the order of `tensors`. Each has a version counter of its
///     own: changing one in place leaves the others of its buffer valid for backward.
std::vector<TensorList> broadcast_coalesced(const TensorList& tensors,
                                            const std::vector<Device>& devices,
                                            std::size_t buffer_size = kBufferSize);

/// The sum of tensors of one size and type, which are on several devices. The one on `destination`
/// comes first and the others follow in their order, so the result has the same bits every time. A
/// single tensor is returned as it is.
/// @param destination must hold one of the inputs; by default as in gather.
/// @throws ShapeError, DtypeError, DeviceError, Error
Tensor reduce_add(const TensorList& inputs, const optional<Device>& destination = nullopt);

/// The same for many sums at once: inputs[d][t] is summand d of sum t. Small ones are packed.
TensorList reduce_add_coalesced(const std::vector<TensorList>& inputs,
                                const optional<Device>& destination = nullopt,
                                std::size_t buffer_size = kBufferSize);

/// Makes `copies[d][t]` the results of one recorded broadcast of `sources[t]`. For callers that
/// make the copies themselves, as replicate does. Gradients are summed on the device of `copies[0]`
/// and go to each source's own.
void record_broadcast(const std::vector<TensorList>& copies, const TensorList& sources);

}  // namespace td::parallel

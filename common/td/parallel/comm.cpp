// scatter and gather: mostly checks, because split, to and cat know how to move and to
// differentiate.
#include "td/parallel/comm.h"

#include "td/ops/ops.h"

namespace td::parallel {
namespace {

TensorList split_up(const Tensor& tensor, std::size_t devices,
                    const optional<std::vector<std::int64_t>>& chunk_sizes, std::int64_t dim) {
  TD_CHECK(ShapeError, tensor.dim() > 0,
           "scatter: the tensor has no dimensions and cannot be split; pass a number, which every "
           "device gets, or unsqueeze it");
  const std::int64_t d = wrap_dim("scatter", dim, tensor.dim());
  if (!chunk_sizes) return tensor.chunk(static_cast<std::int64_t>(devices), d);
  TD_CHECK(Error, chunk_sizes->size() == devices, "scatter: ", chunk_sizes->size(),
           " chunk_sizes for ", devices, " devices; give one for each");
  std::int64_t sum = 0;
  for (const std::int64_t size : *chunk_sizes) {
    TD_CHECK(ShapeError, size > 0, "scatter: chunk_sizes must be above 0 but are ",
             IntArrayRef(*chunk_sizes), "; name fewer devices where there is nothing for one");
    sum += size;
  }
  TD_CHECK(ShapeError, sum == tensor.size(d),
           "scatter: given chunk sizes don't sum up to the tensor's size (sum(chunk_sizes) == ",
           sum, ", but expected ", tensor.size(d), ")");
  return tensor.split(IntArrayRef(*chunk_sizes), d);
}

void check_sizes_but(const TensorList& tensors, std::int64_t dim) {
  for (std::size_t i = 1; i < tensors.size(); ++i) {
    Sizes expected(tensors[0].sizes()), own(tensors[i].sizes());
    if (own.size() == expected.size()) expected[dim] = own[dim];
    TD_CHECK(ShapeError, own == expected, "gather: tensors[", i, "] on ", tensors[i].device(),
             " has sizes ", tensors[i].sizes(), " but tensors[0] on ", tensors[0].device(), " has ",
             tensors[0].sizes(), "; they may differ in dimension ", dim,
             " only. Does the model pad its output to the longest row of the part it sees?");
  }
}

}  // namespace

TensorList scatter(const Tensor& tensor, const std::vector<Device>& devices,
                   const optional<std::vector<std::int64_t>>& chunk_sizes, std::int64_t dim) {
  TD_CHECK(Error, !devices.empty(), "scatter: no devices; name at least one");
  TensorList parts = split_up(tensor, devices.size(), chunk_sizes, dim);
  for (std::size_t i = 0; i < parts.size(); ++i) parts[i] = to_device(parts[i], devices[i]);
  return parts;
}

Tensor gather(const TensorList& tensors, std::int64_t dim, const optional<Device>& destination) {
  TD_CHECK(Error, !tensors.empty(), "gather: no tensors; give at least one");
  const Device target =  // by default the current device of the kind
      check_device(destination.value_or(Device(tensors[0].device().type())));
  TensorList parts = tensors;
  if (tensors[0].dim() == 0) {  // losses, say: one number a replica
    TD_CHECK(ShapeError, dim == 0, "gather: the tensors have no dimensions, so they can be ",
             "gathered along dimension 0 only, into a vector, but dim is ", dim);
    for (Tensor& part : parts)
      if (part.dim() == 0) part = part.unsqueeze(0);
  }
  const std::int64_t d = wrap_dim("gather", dim, parts[0].dim());
  check_sizes_but(parts, d);
  for (Tensor& part : parts) part = to_device(part, target);
  return cat(parts, d);
}

}  // namespace td::parallel

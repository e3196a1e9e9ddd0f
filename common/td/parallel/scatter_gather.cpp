// See scatter_gather.h: what does not depend on the type of the input.
#include "td/parallel/scatter_gather.h"

namespace td::nn::parallel::detail {

std::vector<TensorList> scatter_all(const TensorList& tensors, const std::vector<Device>& devices,
                                    std::int64_t dim) {
  std::vector<TensorList> parts;
  for (const Tensor& tensor : tensors) {
    parts.push_back(td::parallel::scatter(tensor, devices, nullopt, dim));
    TD_CHECK(ShapeError, parts.back().size() == parts[0].size(), "scatter: a tensor of sizes ",
             tensor.sizes(), " gives ", parts.back().size(), " parts on ", devices.size(),
             " devices but the first one, of sizes ", tensors[0].sizes(), ", gives ",
             parts[0].size(), "; all tensors of an input need the same size in dimension ", dim);
  }
  return parts;
}

TensorList gather_all(const std::vector<TensorList>& tensors, bool alike, Device destination,
                      std::int64_t dim) {
  TD_CHECK(Error, alike,
           "gather: the outputs of the replicas do not match: all need the same number of entries, "
           "the same keys, and a tensor in the same places");
  TensorList joined;
  for (std::size_t t = 0; t < tensors[0].size(); ++t) {
    TensorList of_replicas;
    for (const TensorList& of_replica : tensors) of_replicas.push_back(of_replica[t]);
    joined.push_back(td::parallel::gather(of_replicas, dim, destination));
  }
  return joined;
}

}  // namespace td::nn::parallel::detail

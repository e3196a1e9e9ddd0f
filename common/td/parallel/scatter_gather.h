// scatter and gather of whole inputs and outputs, as torch.nn.parallel has them: every tensor
// inside is split or joined, and what is no tensor goes to every device as it is. data_parallel
// calls them.
#pragma once

#include "td/parallel/comm.h"
#include "td/tensor/nest.h"

namespace td::nn::parallel {

namespace detail {

/// Splits each tensor; parts[t][i] is for device i. All must give the same number of parts.
std::vector<TensorList> scatter_all(const TensorList& tensors, const std::vector<Device>& devices,
                                    std::int64_t dim);
/// tensors[i] are the outputs of replica i. @throws Error when `alike` says they do not match.
TensorList gather_all(const std::vector<TensorList>& tensors, bool alike, Device destination,
                      std::int64_t dim);

}  // namespace detail

/// One input for each device that gets a part: with few rows fewer than there are devices. Values
/// that are no tensors are copied; what a pointer points to is then shared by all replicas.
/// @throws ShapeError when tensors split into different numbers of parts, which PyTorch passes over
///     by dropping rows.
template <class Inputs>
std::vector<Inputs> scatter(const Inputs& inputs, const std::vector<Device>& devices,
                            std::int64_t dim = 0) {
  const TensorList tensors = td::tensors_in(inputs);
  if (tensors.empty()) return std::vector<Inputs>(devices.size(), inputs);
  const std::vector<TensorList> parts = detail::scatter_all(tensors, devices, dim);
  std::vector<Inputs> all(parts[0].size(), inputs);
  for (std::size_t i = 0; i < all.size(); ++i) {
    TensorList own;
    for (const TensorList& of_tensor : parts) own.push_back(of_tensor[i]);
    td::replace_tensors(all[i], own);
  }
  return all;
}

/// One output from all replicas', each tensor inside joined along `dim` on `destination`.
template <class Outputs>
Outputs gather(const std::vector<Outputs>& outputs, Device destination, std::int64_t dim = 0) {
  using Nest = td::detail::Nest<Outputs>;
  static_assert(Nest::kOnlyTensors,
                "only tensors can be gathered, in containers or not: let forward() return a number "
                "as a tensor without dimensions");
  TD_CHECK(Error, !outputs.empty(), "gather: no outputs; give at least one");
  std::vector<TensorList> tensors;
  bool alike = true;
  for (const Outputs& output : outputs) {
    tensors.push_back(td::tensors_in(output));
    alike = alike && Nest::alike(output, outputs[0]);
  }
  Outputs joined = outputs[0];
  td::replace_tensors(joined, detail::gather_all(tensors, alike, destination, dim));
  return joined;
}

}  // namespace td::nn::parallel

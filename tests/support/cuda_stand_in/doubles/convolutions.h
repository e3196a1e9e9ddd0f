// One of a convolution's three products as cuDNN computes it, and the algorithms that the double of
// cuDNN has for it. cudnn.cpp fills the description in; convolutions.cpp queues and computes it.
#pragma once

#include "doubles/handles.h"
#include "doubles/numbers.h"
#include "libs/cuda_libs.h"

namespace cuda_stand_in {

/// A tensor [n, c, h, w] or a filter [k, c / groups, r, s] without room between elements.
struct Images {
  td::ScalarType dtype = td::kFloat;
  bool channels_last = false;
  std::int64_t n = 0, c = 0, h = 0, w = 0;

  std::size_t count() const { return static_cast<std::size_t>(n * c * h * w); }
  std::size_t bytes() const { return count() * td::element_size(dtype); }
};

struct ConvolutionCall {
  const char* call = nullptr;
  td::cuda::ConvKind kind = td::cuda::ConvKind::kForward;
  const void *a_data = nullptr,
             *b_data = nullptr;  ///< the factors, as cuDNN's arguments order them
  void* c_data = nullptr;        ///< the result
  Workspace workspace = {};
  Images a = {}, b = {}, c = {};
  td::cuda::Conv2d sizes = {};
  Factors factors = Factors::kFloat;
  bool deterministic = true;  ///< false: the sums are made in a random order
  double alpha = 1, beta = 0;
};

/// The algorithms for a convolution, by expected speed. The list is full of traps: it begins with
/// an algorithm that is not deterministic, then come one that is not supported and one that needs
/// too much memory, then one twice, with two math types, two sizes of work memory, and, by the
/// seed, a refusal when it runs.
std::vector<Listed> own_algorithms(td::cuda::ConvKind kind, const td::cuda::Conv2d& sizes);

/// Checks the memory of the convolution and queues it on the handle's stream.
cudnnStatus_t queue_convolution(const ConvolutionCall& call, const Handle& handle);

}  // namespace cuda_stand_in

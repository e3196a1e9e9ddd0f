// assign_buckets, pack_gradients and unpack_gradients: exercise 14.buckets, declared in
// exercises.h.
#include <algorithm>
#include <map>

#include "exercises.h"
#include "td/exercise.h"

Buckets assign_buckets(const std::vector<td::Tensor>& parameters, std::size_t first_cap,
                       std::size_t cap) {
  // blank: From last to first, one open bucket per type; then sort. About 18 lines.
  struct Open {
    std::vector<std::size_t> members;
    std::size_t bytes = 0, cap;
  };
  std::map<td::ScalarType, Open> open;
  Buckets buckets;
  for (std::size_t p = parameters.size(); p-- > 0;) {
    Open& bucket = open.try_emplace(parameters[p].dtype(), Open{{}, 0, first_cap}).first->second;
    bucket.members.push_back(p);
    bucket.bytes += parameters[p].nbytes();
    if (bucket.bytes < bucket.cap) continue;
    buckets.push_back(bucket.members);
    bucket = {{}, 0, cap};
  }
  for (const auto& [dtype, bucket] : open)
    if (!bucket.members.empty()) buckets.push_back(bucket.members);
  std::sort(buckets.begin(), buckets.end(),
            [](const auto& a, const auto& b) { return a.back() > b.back(); });
  return buckets;
  // end
}

td::Tensor pack_gradients(const std::vector<td::Tensor>& parameters) {
  // blank: One flat piece per parameter, then cat. 5 lines.
  const td::NoGradGuard no_grad;
  std::vector<td::Tensor> pieces;
  for (const td::Tensor& parameter : parameters)
    pieces.push_back(gradient_or_zeros(parameter).reshape({-1}));
  return td::cat(pieces);
  // end
}

void unpack_gradients(const td::Tensor& flat, const std::vector<td::Tensor>& parameters) {
  // blank: Piece by piece, with narrow and view. About 7 lines.
  const td::NoGradGuard no_grad;
  std::int64_t begin = 0;
  for (const td::Tensor& parameter : parameters) {
    const td::Tensor piece = flat.narrow(0, begin, parameter.numel()).view(parameter.sizes());
    parameter.mutable_grad() = piece.clone();
    begin += parameter.numel();
  }
  // end
}

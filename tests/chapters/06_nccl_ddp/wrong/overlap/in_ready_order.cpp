// expect: buckets 2 and 3 are complete, 0 and 1 are not: expected nothing; got start
// Starts each bucket as soon as it is complete. Ranks whose gradients come in another order start
// other buckets, and average what does not belong together.
#include "exercises.h"
namespace {

// Starts the all_reduce of this bucket.
void start(Overlap& overlap, std::size_t bucket) {
  const td::NoGradGuard no_grad;
  std::vector<td::Tensor> pieces;
  overlap.flat.resize(overlap.buckets.size());
  overlap.works.resize(overlap.buckets.size());
  for (const std::size_t p : overlap.buckets[bucket])
    pieces.push_back(gradient_or_zeros(overlap.parameters[p]).reshape({-1}));
  overlap.flat[bucket] = td::cat(pieces);
  overlap.works[bucket] =
      overlap.group.all_reduce(overlap.flat[bucket], td::distributed::ReduceOp::AVG);
}

}  // namespace

void attach(Overlap& overlap) {
  for (std::size_t p = 0; p < overlap.parameters.size(); ++p)
    overlap.hooks.push_back(overlap.parameters[p].register_post_accumulate_grad_hook(
        [&overlap, p](const td::Tensor&) { gradient_ready(overlap, p); }));
}

void gradient_ready(Overlap& overlap, std::size_t parameter) {
  const std::size_t bucket = overlap.bucket_of[parameter];
  if (--overlap.missing[bucket] == 0) start(overlap, bucket);
}

void finish(Overlap& overlap) {
  for (std::size_t b = 0; b < overlap.buckets.size(); ++b)
    if (overlap.missing[b] > 0) start(overlap, b);
  const td::NoGradGuard no_grad;
  for (std::size_t b = 0; b < overlap.buckets.size(); ++b) {
    overlap.works[b]->wait();
    std::int64_t begin = 0;
    for (const std::size_t p : overlap.buckets[b]) {
      const td::Tensor& parameter = overlap.parameters[p];
      parameter.mutable_grad() =
          overlap.flat[b].narrow(0, begin, parameter.numel()).view(parameter.sizes());
      begin += parameter.numel();
    }
    overlap.missing[b] = overlap.buckets[b].size();
  }
  overlap.flat.clear();
  overlap.works.clear();
}

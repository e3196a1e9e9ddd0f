// attach, gradient_ready and finish: exercise 14.overlap, declared in exercises.h.
#include "exercises.h"
#include "td/exercise.h"

// solution only
namespace {

// Starts the all_reduce of the bucket whose turn it is.
void start_next(Overlap& overlap) {
  const td::NoGradGuard no_grad;
  std::vector<td::Tensor> pieces;
  for (const std::size_t p : overlap.buckets[overlap.next])
    pieces.push_back(gradient_or_zeros(overlap.parameters[p]).reshape({-1}));
  overlap.flat.push_back(td::cat(pieces));
  overlap.works.push_back(
      overlap.group.all_reduce(overlap.flat.back(), td::distributed::ReduceOp::AVG));
  ++overlap.next;
}

}  // namespace
// end

void attach(Overlap& overlap) {
  // blank: Register a hook with every parameter; keep its number. About 4 lines.
  for (std::size_t p = 0; p < overlap.parameters.size(); ++p)
    overlap.hooks.push_back(overlap.parameters[p].register_post_accumulate_grad_hook(
        [&overlap, p](const td::Tensor&) { gradient_ready(overlap, p); }));
  // end
}

void gradient_ready(Overlap& overlap, std::size_t parameter) {
  // blank: Count; start buckets as long as the next one is complete. About 12 lines.
  --overlap.missing[overlap.bucket_of[parameter]];
  while (overlap.next < overlap.buckets.size() && overlap.missing[overlap.next] == 0)
    start_next(overlap);
  // end
}

void finish(Overlap& overlap) {
  // blank: Start the rest, wait in order, unpack, begin again. About 16 lines.
  while (overlap.next < overlap.buckets.size()) start_next(overlap);
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
  overlap.next = 0;
  // end
}

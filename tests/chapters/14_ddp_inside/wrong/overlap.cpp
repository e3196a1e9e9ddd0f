#include "exercises.h"

// answer: all_at_the_end
// expect: after both gradients of bucket 0: expected start 70; got nothing
// Right numbers, no overlap: everything starts when backward is over.
namespace all_at_the_end {
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

void attach(Overlap& overlap) {
  for (std::size_t p = 0; p < overlap.parameters.size(); ++p)
    overlap.hooks.push_back(overlap.parameters[p].register_post_accumulate_grad_hook(
        [&overlap, p](const td::Tensor&) { gradient_ready(overlap, p); }));
}

void gradient_ready(Overlap& overlap, std::size_t parameter) {
  --overlap.missing[overlap.bucket_of[parameter]];
}

void finish(Overlap& overlap) {
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
}
}  // namespace all_at_the_end

// answer: divides_twice
// expect: two ranks with the same gradients: gradient of parameter 0: index 0: expected 1, got 0.5
// The average is divided by the number of ranks once more.
namespace divides_twice {
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

void attach(Overlap& overlap) {
  for (std::size_t p = 0; p < overlap.parameters.size(); ++p)
    overlap.hooks.push_back(overlap.parameters[p].register_post_accumulate_grad_hook(
        [&overlap, p](const td::Tensor&) { gradient_ready(overlap, p); }));
}

void gradient_ready(Overlap& overlap, std::size_t parameter) {
  --overlap.missing[overlap.bucket_of[parameter]];
  while (overlap.next < overlap.buckets.size() && overlap.missing[overlap.next] == 0)
    start_next(overlap);
}

void finish(Overlap& overlap) {
  while (overlap.next < overlap.buckets.size()) start_next(overlap);
  const td::NoGradGuard no_grad;
  for (std::size_t b = 0; b < overlap.buckets.size(); ++b) {
    overlap.works[b]->wait();
    std::int64_t begin = 0;
    for (const std::size_t p : overlap.buckets[b]) {
      const td::Tensor& parameter = overlap.parameters[p];
      parameter.mutable_grad() =
          overlap.flat[b].narrow(0, begin, parameter.numel()).view(parameter.sizes()) /
          overlap.group.size();
      begin += parameter.numel();
    }
    overlap.missing[b] = overlap.buckets[b].size();
  }
  overlap.flat.clear();
  overlap.works.clear();
  overlap.next = 0;
}
}  // namespace divides_twice

// answer: does_not_wait
// expect: finish did not wait for the bucket of 70 elements
// Reads the values while the all-reduce is in flight. With a fast network it often works.
namespace does_not_wait {
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

void attach(Overlap& overlap) {
  for (std::size_t p = 0; p < overlap.parameters.size(); ++p)
    overlap.hooks.push_back(overlap.parameters[p].register_post_accumulate_grad_hook(
        [&overlap, p](const td::Tensor&) { gradient_ready(overlap, p); }));
}

void gradient_ready(Overlap& overlap, std::size_t parameter) {
  --overlap.missing[overlap.bucket_of[parameter]];
  while (overlap.next < overlap.buckets.size() && overlap.missing[overlap.next] == 0)
    start_next(overlap);
}

void finish(Overlap& overlap) {
  while (overlap.next < overlap.buckets.size()) start_next(overlap);
  const td::NoGradGuard no_grad;
  for (std::size_t b = 0; b < overlap.buckets.size(); ++b) {
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
}
}  // namespace does_not_wait

// answer: first_gradient
// expect: after 1 of 2 gradients of bucket 0: expected nothing; got start 70
// Starts a bucket after its first gradient: the other gradients are those of the last step.
namespace first_gradient {
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

void attach(Overlap& overlap) {
  for (std::size_t p = 0; p < overlap.parameters.size(); ++p)
    overlap.hooks.push_back(overlap.parameters[p].register_post_accumulate_grad_hook(
        [&overlap, p](const td::Tensor&) { gradient_ready(overlap, p); }));
}

void gradient_ready(Overlap& overlap, std::size_t parameter) {
  --overlap.missing[overlap.bucket_of[parameter]];
  while (overlap.next < overlap.buckets.size() &&
         overlap.missing[overlap.next] < overlap.buckets[overlap.next].size())
    start_next(overlap);
}

void finish(Overlap& overlap) {
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
}
}  // namespace first_gradient

// answer: forgets_the_incomplete
// expect: the unused parameter has no gradient
// A bucket with a parameter that was not used never starts, and no error is reported.
namespace forgets_the_incomplete {
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

void attach(Overlap& overlap) {
  for (std::size_t p = 0; p < overlap.parameters.size(); ++p)
    overlap.hooks.push_back(overlap.parameters[p].register_post_accumulate_grad_hook(
        [&overlap, p](const td::Tensor&) { gradient_ready(overlap, p); }));
}

void gradient_ready(Overlap& overlap, std::size_t parameter) {
  --overlap.missing[overlap.bucket_of[parameter]];
  while (overlap.next < overlap.buckets.size() && overlap.missing[overlap.next] == 0)
    start_next(overlap);
}

void finish(Overlap& overlap) {
  const td::NoGradGuard no_grad;
  for (std::size_t b = 0; b < overlap.works.size(); ++b) {
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
}
}  // namespace forgets_the_incomplete

// answer: forgets_the_numbers
// expect: `hooks` has 0 numbers for 2 parameters
// The hooks outlive the object that they refer to.
namespace forgets_the_numbers {
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

void attach(Overlap& overlap) {
  for (std::size_t p = 0; p < overlap.parameters.size(); ++p)
    overlap.parameters[p].register_post_accumulate_grad_hook(
        [&overlap, p](const td::Tensor&) { gradient_ready(overlap, p); });
}

void gradient_ready(Overlap& overlap, std::size_t parameter) {
  --overlap.missing[overlap.bucket_of[parameter]];
  while (overlap.next < overlap.buckets.size() && overlap.missing[overlap.next] == 0)
    start_next(overlap);
}

void finish(Overlap& overlap) {
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
}
}  // namespace forgets_the_numbers

// answer: in_ready_order
// expect: buckets 2 and 3 are complete, 0 and 1 are not: expected nothing; got start
// Starts each bucket as soon as it is complete. Ranks whose gradients come in another order start
// other buckets, and average what does not belong together.
namespace in_ready_order {
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
}  // namespace in_ready_order

// answer: only_once
// expect: step 1
// Right for one step: what is missing is not counted again.
namespace only_once {
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

void attach(Overlap& overlap) {
  for (std::size_t p = 0; p < overlap.parameters.size(); ++p)
    overlap.hooks.push_back(overlap.parameters[p].register_post_accumulate_grad_hook(
        [&overlap, p](const td::Tensor&) { gradient_ready(overlap, p); }));
}

void gradient_ready(Overlap& overlap, std::size_t parameter) {
  --overlap.missing[overlap.bucket_of[parameter]];
  while (overlap.next < overlap.buckets.size() && overlap.missing[overlap.next] == 0)
    start_next(overlap);
}

void finish(Overlap& overlap) {
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
  }
  overlap.flat.clear();
  overlap.works.clear();
  overlap.next = 0;
}
}  // namespace only_once

// answer: waits_at_once
// expect: after both gradients of bucket 0: expected start 70; got start 70, wait 70
// Waits in the hook: backward blocks until the bucket is reduced.
namespace waits_at_once {
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
  overlap.works.back()->wait();
  ++overlap.next;
}

}  // namespace

void attach(Overlap& overlap) {
  for (std::size_t p = 0; p < overlap.parameters.size(); ++p)
    overlap.hooks.push_back(overlap.parameters[p].register_post_accumulate_grad_hook(
        [&overlap, p](const td::Tensor&) { gradient_ready(overlap, p); }));
}

void gradient_ready(Overlap& overlap, std::size_t parameter) {
  --overlap.missing[overlap.bucket_of[parameter]];
  while (overlap.next < overlap.buckets.size() && overlap.missing[overlap.next] == 0)
    start_next(overlap);
}

void finish(Overlap& overlap) {
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
}
}  // namespace waits_at_once

// answer: wrong_kind_of_hook
// expect: use register_post_accumulate_grad_hook
// The hook runs before the gradient is accumulated: the all_reduce starts with old values.
namespace wrong_kind_of_hook {
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

void attach(Overlap& overlap) {
  for (std::size_t p = 0; p < overlap.parameters.size(); ++p)
    overlap.hooks.push_back(overlap.parameters[p].register_hook(
        [&overlap, p](const td::Tensor&) { gradient_ready(overlap, p); }));
}

void gradient_ready(Overlap& overlap, std::size_t parameter) {
  --overlap.missing[overlap.bucket_of[parameter]];
  while (overlap.next < overlap.buckets.size() && overlap.missing[overlap.next] == 0)
    start_next(overlap);
}

void finish(Overlap& overlap) {
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
}
}  // namespace wrong_kind_of_hook

// answer: adds_to_missing
// expect: the step after one that did not use parameter 1, before finish: expected start 70
// Counts the next step's gradients on top of those that this step missed.
namespace adds_to_missing {
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

void attach(Overlap& overlap) {
  for (std::size_t p = 0; p < overlap.parameters.size(); ++p)
    overlap.hooks.push_back(overlap.parameters[p].register_post_accumulate_grad_hook(
        [&overlap, p](const td::Tensor&) { gradient_ready(overlap, p); }));
}

void gradient_ready(Overlap& overlap, std::size_t parameter) {
  --overlap.missing[overlap.bucket_of[parameter]];
  while (overlap.next < overlap.buckets.size() && overlap.missing[overlap.next] == 0)
    start_next(overlap);
}

void finish(Overlap& overlap) {
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
    overlap.missing[b] += overlap.buckets[b].size();
  }
  overlap.flat.clear();
  overlap.works.clear();
  overlap.next = 0;
}
}  // namespace adds_to_missing

// answer: keeps_the_flat_tensors
// expect: whose gradients are others
// finish unpacks the tensors of the first step. Right where all steps have the same gradients.
namespace keeps_the_flat_tensors {
using td::distributed::ReduceOp;
inline td::Tensor packed(Overlap& overlap, std::size_t bucket) {
  const td::NoGradGuard no_grad;
  std::vector<td::Tensor> pieces;
  for (const std::size_t p : overlap.buckets[bucket])
    pieces.push_back(gradient_or_zeros(overlap.parameters[p]).reshape({-1}));
  return td::cat(pieces);
}
inline void start_next(Overlap& overlap) {
  overlap.flat.push_back(packed(overlap, overlap.next));
  overlap.works.push_back(overlap.group.all_reduce(overlap.flat.back(), ReduceOp::AVG));
  ++overlap.next;
}
void attach(Overlap& overlap) {
  for (std::size_t p = 0; p < overlap.parameters.size(); ++p)
    overlap.hooks.push_back(overlap.parameters[p].register_post_accumulate_grad_hook(
        [&overlap, p](const td::Tensor&) { gradient_ready(overlap, p); }));
}
void gradient_ready(Overlap& overlap, std::size_t parameter) {
  --overlap.missing[overlap.bucket_of[parameter]];
  while (overlap.next < overlap.buckets.size() && overlap.missing[overlap.next] == 0)
    start_next(overlap);
}
void finish(Overlap& overlap) {
  while (overlap.next < overlap.buckets.size()) start_next(overlap);
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
  overlap.works.clear();
  overlap.next = 0;
}
}  // namespace keeps_the_flat_tensors

// answer: counts_of_complete_buckets_only
// expect: with 3 of 4 gradients: expected start 70; got start 70, start 30
// A bucket with an unused parameter keeps its count, so it starts too early in the next step.
namespace counts_of_complete_buckets_only {
using td::distributed::ReduceOp;
inline td::Tensor packed(Overlap& overlap, std::size_t bucket) {
  const td::NoGradGuard no_grad;
  std::vector<td::Tensor> pieces;
  for (const std::size_t p : overlap.buckets[bucket])
    pieces.push_back(gradient_or_zeros(overlap.parameters[p]).reshape({-1}));
  return td::cat(pieces);
}
inline void start_next(Overlap& overlap) {
  overlap.flat.push_back(packed(overlap, overlap.next));
  overlap.works.push_back(overlap.group.all_reduce(overlap.flat.back(), ReduceOp::AVG));
  ++overlap.next;
}
void attach(Overlap& overlap) {
  for (std::size_t p = 0; p < overlap.parameters.size(); ++p)
    overlap.hooks.push_back(overlap.parameters[p].register_post_accumulate_grad_hook(
        [&overlap, p](const td::Tensor&) { gradient_ready(overlap, p); }));
}
void gradient_ready(Overlap& overlap, std::size_t parameter) {
  --overlap.missing[overlap.bucket_of[parameter]];
  while (overlap.next < overlap.buckets.size() && overlap.missing[overlap.next] == 0)
    start_next(overlap);
}
void finish(Overlap& overlap) {
  while (overlap.next < overlap.buckets.size()) start_next(overlap);
  for (std::size_t b = 0; b < overlap.buckets.size(); ++b) {
    overlap.works[b]->wait();
    const std::size_t left = overlap.missing[b];
    std::int64_t begin = 0;
    for (const std::size_t p : overlap.buckets[b]) {
      const td::Tensor& parameter = overlap.parameters[p];
      parameter.mutable_grad() =
          overlap.flat[b].narrow(0, begin, parameter.numel()).view(parameter.sizes());
      begin += parameter.numel();
    }
    overlap.missing[b] = overlap.buckets[b].size();
    if (left) overlap.missing[b] = left;
  }
  overlap.flat.clear();
  overlap.works.clear();
  overlap.next = 0;
}
}  // namespace counts_of_complete_buckets_only

// answer: skips_unused_buckets
// expect: finish did not start the bucket of 50 elements
// Finishes begun buckets only: a rank that used no parameter of a bucket leaves the others waiting.
namespace skips_unused_buckets {
void start(Overlap& overlap) {
  const td::NoGradGuard no_grad;
  std::vector<td::Tensor> pieces;
  for (const std::size_t p : overlap.buckets[overlap.next])
    pieces.push_back(gradient_or_zeros(overlap.parameters[p]).flatten());
  overlap.flat.push_back(td::cat(pieces));
  overlap.works.push_back(
      overlap.group.all_reduce(overlap.flat.back(), td::distributed::ReduceOp::AVG));
  ++overlap.next;
}

void gradient_ready(Overlap& overlap, std::size_t parameter) {
  --overlap.missing[overlap.bucket_of[parameter]];
  while (overlap.next < overlap.buckets.size() && overlap.missing[overlap.next] == 0)
    start(overlap);
}

void attach(Overlap& overlap) {
  for (std::size_t p = 0; p < overlap.parameters.size(); ++p)
    overlap.hooks.push_back(overlap.parameters[p].register_post_accumulate_grad_hook(
        [&overlap, p](const td::Tensor&) { ::gradient_ready(overlap, p); }));
}

void finish(Overlap& overlap) {
  const auto begun = [&](std::size_t b) { return overlap.missing[b] < overlap.buckets[b].size(); };
  while (overlap.next < overlap.buckets.size() && begun(overlap.next)) start(overlap);
  const td::NoGradGuard no_grad;
  for (std::size_t b = 0; b < overlap.works.size(); ++b) {
    overlap.works[b]->wait();
    std::int64_t at = 0;
    for (const std::size_t p : overlap.buckets[b]) {
      const td::Tensor& parameter = overlap.parameters[p];
      if (!parameter.grad().defined())
        parameter.mutable_grad() = td::zeros_like(parameter.detach());
      td::Tensor gradient = parameter.grad();
      gradient.copy_(overlap.flat[b].narrow(0, at, parameter.numel()).view(parameter.sizes()));
      at += parameter.numel();
    }
  }
  overlap.next = 0;
  overlap.flat.clear();
  overlap.works.clear();
  for (std::size_t b = 0; b < overlap.buckets.size(); ++b)
    overlap.missing[b] = overlap.buckets[b].size();
}
}  // namespace skips_unused_buckets

// answer: finishes_what_has_started
// expect: so backward started none: finish did not start the bucket of 40 elements
// Takes a pass in which no bucket became complete for one that has nothing to reduce.
namespace finishes_what_has_started {
void start(Overlap& overlap) {
  const td::NoGradGuard no_grad;
  std::vector<td::Tensor> pieces;
  for (const std::size_t p : overlap.buckets[overlap.next])
    pieces.push_back(gradient_or_zeros(overlap.parameters[p]).flatten());
  overlap.flat.push_back(td::cat(pieces));
  overlap.works.push_back(
      overlap.group.all_reduce(overlap.flat.back(), td::distributed::ReduceOp::AVG));
  ++overlap.next;
}

void gradient_ready(Overlap& overlap, std::size_t parameter) {
  --overlap.missing[overlap.bucket_of[parameter]];
  while (overlap.next < overlap.buckets.size() && overlap.missing[overlap.next] == 0)
    start(overlap);
}

void attach(Overlap& overlap) {
  for (std::size_t p = 0; p < overlap.parameters.size(); ++p)
    overlap.hooks.push_back(overlap.parameters[p].register_post_accumulate_grad_hook(
        [&overlap, p](const td::Tensor&) { ::gradient_ready(overlap, p); }));
}

void finish(Overlap& overlap) {
  if (overlap.works.empty()) return;
  while (overlap.next < overlap.buckets.size()) start(overlap);
  const td::NoGradGuard no_grad;
  for (std::size_t b = 0; b < overlap.works.size(); ++b) {
    overlap.works[b]->wait();
    std::int64_t at = 0;
    for (const std::size_t p : overlap.buckets[b]) {
      const td::Tensor& parameter = overlap.parameters[p];
      if (!parameter.grad().defined())
        parameter.mutable_grad() = td::zeros_like(parameter.detach());
      td::Tensor gradient = parameter.grad();
      gradient.copy_(overlap.flat[b].narrow(0, at, parameter.numel()).view(parameter.sizes()));
      at += parameter.numel();
    }
  }
  overlap.next = 0;
  overlap.flat.clear();
  overlap.works.clear();
  for (std::size_t b = 0; b < overlap.buckets.size(); ++b)
    overlap.missing[b] = overlap.buckets[b].size();
}
}  // namespace finishes_what_has_started

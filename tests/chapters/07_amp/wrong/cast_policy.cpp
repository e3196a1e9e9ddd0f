#include "exercises.h"

namespace {

// How an answer differs from a right one.
struct Flaws {
  bool overflow = true, underflow = true, error = true, any_sample = true, relative = false;
  bool all_arguments = false, counts_all = false, in_fast = false;
};

bool fails(const Operation& operation, const td::TensorList& sample, td::ScalarType fast,
           double tolerance, const Flaws& flaws) {
  td::TensorList rounded;
  for (const td::Tensor& argument : sample)
    rounded.push_back(argument.is_floating_point() || flaws.all_arguments ? argument.to(fast)
                                                                          : argument);
  td::Tensor exact = operation.run(sample), tried = operation.run(rounded);
  if (exact.numel() == 0) return false;
  tried = tried.to(td::kFloat32);
  if (flaws.in_fast) exact = exact.to(fast).to(td::kFloat32);
  const td::Tensor finite = td::isfinite(exact), zero = td::zeros_like(exact);
  const td::Tensor limit =
      flaws.relative ? exact.abs() : td::where(finite, exact.abs(), zero).max();
  td::Tensor bad = td::zeros_like(finite);
  if (flaws.overflow) bad = bad | ~td::isfinite(tried);
  if (flaws.underflow) bad = bad | ((tried == 0) & (exact != 0));
  if (flaws.error) bad = bad | ((tried - exact).abs() > limit * tolerance);
  return (flaws.counts_all ? bad : bad & finite).any().item<bool>();
}

td::autocast::Policy choose_with(const Flaws& flaws, const Operation& operation,
                                 const std::vector<td::TensorList>& samples, td::ScalarType fast,
                                 double tolerance) {
  using td::autocast::Policy;
  const td::NoGradGuard no_grad;
  for (const td::TensorList& sample : samples) {
    if (fails(operation, sample, fast, tolerance, flaws)) return Policy::kFloat;
    if (!flaws.any_sample) break;
  }
  return operation.tensor_cores ? Policy::kLowerPrecision : Policy::kUnlisted;
}

}  // namespace

// answer: first_sample_only
// expect: sums of 64 and of 400 ones
// Looks at the first sample alone.
namespace first_sample_only {
td::autocast::Policy choose_policy(const Operation& operation,
                                   const std::vector<td::TensorList>& samples, td::ScalarType fast,
                                   double tolerance) {
  return choose_with({.any_sample = false}, operation, samples, fast, tolerance);
}
}  // namespace first_sample_only

// answer: ignores_underflow
// expect: exp of {-20, 0} in float16: expected kFloat
// A small number that becomes 0 has a small error.
namespace ignores_underflow {
td::autocast::Policy choose_policy(const Operation& operation,
                                   const std::vector<td::TensorList>& samples, td::ScalarType fast,
                                   double tolerance) {
  return choose_with({.underflow = false}, operation, samples, fast, tolerance);
}
}  // namespace ignores_underflow

// answer: ignores_errors
// expect: sums of 64 and of 400 ones in bfloat16: expected kFloat
// Looks for infinite elements and zeros alone.
namespace ignores_errors {
td::autocast::Policy choose_policy(const Operation& operation,
                                   const std::vector<td::TensorList>& samples, td::ScalarType fast,
                                   double tolerance) {
  return choose_with({.error = false}, operation, samples, fast, tolerance);
}
}  // namespace ignores_errors

// answer: relative_to_each_element
// expect: and 100 is the largest, tolerance 0.01
// Compares each error with its own element.
namespace relative_to_each_element {
td::autocast::Policy choose_policy(const Operation& operation,
                                   const std::vector<td::TensorList>& samples, td::ScalarType fast,
                                   double tolerance) {
  return choose_with({.relative = true}, operation, samples, fast, tolerance);
}
}  // namespace relative_to_each_element

// answer: casts_integers
// expect: the index, argument 1
// Casts indices, too.
namespace casts_integers {
td::autocast::Policy choose_policy(const Operation& operation,
                                   const std::vector<td::TensorList>& samples, td::ScalarType fast,
                                   double tolerance) {
  return choose_with({.all_arguments = true}, operation, samples, fast, tolerance);
}
}  // namespace casts_integers

// answer: counts_what_is_infinite
// expect: 1, inf, -inf and NaN
// NaN and infinity are a loss, although float32 has them, too.
namespace counts_what_is_infinite {
td::autocast::Policy choose_policy(const Operation& operation,
                                   const std::vector<td::TensorList>& samples, td::ScalarType fast,
                                   double tolerance) {
  return choose_with({.counts_all = true}, operation, samples, fast, tolerance);
}
}  // namespace counts_what_is_infinite

// answer: rounds_the_reference
// expect: exp of {1, 12} in float16: expected kFloat
// Rounds the float32 result before it compares.
namespace rounds_the_reference {
td::autocast::Policy choose_policy(const Operation& operation,
                                   const std::vector<td::TensorList>& samples, td::ScalarType fast,
                                   double tolerance) {
  return choose_with({.in_fast = true}, operation, samples, fast, tolerance);
}
}  // namespace rounds_the_reference

// answer: ignores_tensor_cores
// expect: a product in float16: expected kLowerPrecision, got kUnlisted
// Never chooses lower precision.
namespace ignores_tensor_cores {
td::autocast::Policy choose_policy(const Operation& operation,
                                   const std::vector<td::TensorList>& samples, td::ScalarType fast,
                                   double tolerance) {
  const td::autocast::Policy policy = choose_with({}, operation, samples, fast, tolerance);
  return policy == td::autocast::Policy::kLowerPrecision ? td::autocast::Policy::kUnlisted : policy;
}
}  // namespace ignores_tensor_cores

// answer: by_the_name_of_the_unit
// expect: a product of 400000 in float16: expected kFloat
// Runs everything on Tensor Cores in 16 bits, without a trial.
namespace by_the_name_of_the_unit {
td::autocast::Policy choose_policy(const Operation& operation,
                                   const std::vector<td::TensorList>& samples, td::ScalarType fast,
                                   double tolerance) {
  if (operation.tensor_cores) return td::autocast::Policy::kLowerPrecision;
  return choose_with({}, operation, samples, fast, tolerance);
}
}  // namespace by_the_name_of_the_unit

// answer: detaches_the_results
// expect: autograd recorded 2 runs of the operation
// Compares detached results, but autograd has recorded both runs before.
namespace detaches_the_results {
td::autocast::Policy choose_policy(const Operation& operation,
                                   const std::vector<td::TensorList>& samples, td::ScalarType fast,
                                   double tolerance) {
  for (const td::TensorList& sample : samples) {
    td::TensorList rounded;
    for (const td::Tensor& argument : sample)
      rounded.push_back(argument.is_floating_point() ? argument.to(fast) : argument);
    const td::Tensor exact = operation.run(sample).detach();
    const td::Tensor tried = operation.run(rounded).detach().to(td::kFloat32);
    if (exact.numel() == 0) continue;
    const td::Tensor counts = td::isfinite(exact);
    const td::Tensor largest = td::where(counts, exact.abs(), td::zeros_like(exact)).max();
    const td::Tensor fits = td::isfinite(tried) & ((tried != 0) | (exact == 0)) &
                            ((tried - exact).abs() <= largest * tolerance);
    if ((counts & ~fits).any().item<bool>()) return td::autocast::Policy::kFloat;
  }
  return operation.tensor_cores ? td::autocast::Policy::kLowerPrecision
                                : td::autocast::Policy::kUnlisted;
}
}  // namespace detaches_the_results

// answer: one_limit_for_all_samples
// expect: whose largest elements are 10 and 1000 in float16: expected kFloat, got kUnlisted
// Compares the largest error of all samples with the largest element of all samples.
namespace one_limit_for_all_samples {
td::autocast::Policy choose_policy(const Operation& operation,
                                   const std::vector<td::TensorList>& samples, td::ScalarType fast,
                                   double tolerance) {
  const td::NoGradGuard no_grad;
  double worst = 0, largest = 0;
  for (const td::TensorList& sample : samples) {
    td::TensorList rounded;
    for (const td::Tensor& argument : sample)
      rounded.push_back(argument.is_floating_point() ? argument.to(fast) : argument);
    const td::Tensor exact = operation.run(sample);
    const td::Tensor tried = operation.run(rounded).to(td::kFloat32);
    if (exact.numel() == 0) continue;
    const td::Tensor counts = td::isfinite(exact), zeros = td::zeros_like(exact);
    const td::Tensor fits = td::isfinite(tried) & ((tried != 0) | (exact == 0));
    if ((counts & ~fits).any().item<bool>()) return td::autocast::Policy::kFloat;
    largest = std::max(largest, td::where(counts, exact.abs(), zeros).max().item<double>());
    const td::Tensor error = td::where(counts, (tried - exact).abs(), zeros);
    worst = std::max(worst, error.max().item<double>());
  }
  if (worst > tolerance * largest) return td::autocast::Policy::kFloat;
  return operation.tensor_cores ? td::autocast::Policy::kLowerPrecision
                                : td::autocast::Policy::kUnlisted;
}
}  // namespace one_limit_for_all_samples

// answer: infinity_becomes_zero
// expect: 1, inf and NaN, of which the last two become 0.000000 in float16: expected kUnlisted
// Takes an infinity that becomes 0 for an underflow.
namespace infinity_becomes_zero {
td::autocast::Policy choose_policy(const Operation& operation,
                                   const std::vector<td::TensorList>& samples, td::ScalarType fast,
                                   double tolerance) {
  const td::NoGradGuard no_grad;
  for (const td::TensorList& sample : samples) {
    td::TensorList rounded;
    for (const td::Tensor& argument : sample)
      rounded.push_back(argument.is_floating_point() ? argument.to(fast) : argument);
    const td::Tensor exact = operation.run(sample);
    const td::Tensor tried = operation.run(rounded).to(td::kFloat32);
    if (exact.numel() == 0) continue;
    const td::Tensor counts = td::isfinite(exact);
    const td::Tensor largest = td::where(counts, exact.abs(), td::zeros_like(exact)).max();
    const td::Tensor fits = td::isfinite(tried) & ((tried - exact).abs() <= largest * tolerance);
    const td::Tensor underflow = (tried == 0) & (exact != 0);
    if (((counts & ~fits) | underflow).any().item<bool>()) return td::autocast::Policy::kFloat;
  }
  return operation.tensor_cores ? td::autocast::Policy::kLowerPrecision
                                : td::autocast::Policy::kUnlisted;
}
}  // namespace infinity_becomes_zero

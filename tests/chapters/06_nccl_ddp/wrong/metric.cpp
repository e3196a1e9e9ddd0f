#include "exercises.h"

// answer: counts_padding
// expect: which rank 1 has again, is wrong
// Counts all rows. Right if the samples divide evenly.
namespace counts_padding {
double accuracy(const td::Tensor& output, const td::Tensor& target, std::int64_t size,
                ProcessGroup& group) {
  const td::Tensor counts = td::zeros({2}, td::TensorOptions(td::kInt64));
  counts[0].add_(output.argmax(1).eq(target).sum().cpu());
  counts[1].add_(output.size(0));
  group.all_reduce(counts)->wait();
  return counts[0].item<double>() / counts[1].item<double>();
}
}  // namespace counts_padding

// answer: right_of_all_rows
// expect: the accuracy on rank
// Divides by the number of samples, but counts the right padded ones, too.
namespace right_of_all_rows {
double accuracy(const td::Tensor& output, const td::Tensor& target, std::int64_t size,
                ProcessGroup& group) {
  const td::Tensor right = output.argmax(1).eq(target).sum();
  group.all_reduce(right)->wait();
  return right.item<double>() / static_cast<double>(size);
}
}  // namespace right_of_all_rows

// answer: mean_of_means
// expect: the accuracy on rank
// The mean of the accuracies: a rank with fewer samples counts as much as the others.
namespace mean_of_means {
double accuracy(const td::Tensor& output, const td::Tensor& target, std::int64_t size,
                ProcessGroup& group) {
  const std::int64_t ranks = group.size();
  const std::int64_t rows = (size - group.rank() + ranks - 1) / ranks;
  const td::Tensor classes = output.narrow(0, 0, rows).argmax(1);
  const td::Tensor right = classes.eq(target.narrow(0, 0, rows)).sum();
  const td::Tensor mean =
      td::full({1}, rows > 0 ? right.item<double>() / static_cast<double>(rows) : 0.0, td::kDouble);
  group.all_reduce(mean, td::distributed::ReduceOp::AVG)->wait();
  return mean.item<double>();
}
}  // namespace mean_of_means

// answer: own_samples
// expect: no rank calls a collective
// The accuracy of the samples of this rank.
namespace own_samples {
double accuracy(const td::Tensor& output, const td::Tensor& target, std::int64_t size,
                ProcessGroup& group) {
  const std::int64_t ranks = group.size();
  const std::int64_t rows = (size - group.rank() + ranks - 1) / ranks;
  const td::Tensor classes = output.narrow(0, 0, rows).argmax(1);
  const td::Tensor right = classes.eq(target.narrow(0, 0, rows)).sum();
  return rows > 0 ? right.item<double>() / static_cast<double>(rows) : 0.0;
}
}  // namespace own_samples

// answer: blocks
// expect: the accuracy on rank
// Takes the samples of a rank for a contiguous block, so that only the last ranks have padding.
namespace blocks {
double accuracy(const td::Tensor& output, const td::Tensor& target, std::int64_t size,
                ProcessGroup& group) {
  const std::int64_t each = output.size(0);
  const std::int64_t rows = std::clamp<std::int64_t>(size - group.rank() * each, 0, each);
  const td::Tensor classes = output.narrow(0, 0, rows).argmax(1);
  const td::Tensor right = classes.eq(target.narrow(0, 0, rows)).sum();
  group.all_reduce(right)->wait();
  return right.item<double>() / static_cast<double>(size);
}
}  // namespace blocks

// answer: all_drop_the_last_row
// expect: the accuracy on rank
// If there is padding, all ranks leave out their last row.
namespace all_drop_the_last_row {
double accuracy(const td::Tensor& output, const td::Tensor& target, std::int64_t size,
                ProcessGroup& group) {
  const std::int64_t rows = size / group.size();
  const td::Tensor classes = output.narrow(0, 0, rows).argmax(1);
  const td::Tensor right = classes.eq(target.narrow(0, 0, rows)).sum();
  group.all_reduce(right)->wait();
  return right.item<double>() / static_cast<double>(size);
}
}  // namespace all_drop_the_last_row

// answer: without_samples
// expect: the program hangs
// A rank without samples returns early. Hangs only with fewer samples than ranks.
namespace without_samples {
double accuracy(const td::Tensor& output, const td::Tensor& target, std::int64_t size,
                ProcessGroup& group) {
  const std::int64_t ranks = group.size();
  const std::int64_t rows = (size - group.rank() + ranks - 1) / ranks;
  if (rows == 0) return 0;
  const td::Tensor classes = output.narrow(0, 0, rows).argmax(1);
  const td::Tensor right = classes.eq(target.narrow(0, 0, rows)).sum();
  group.all_reduce(right)->wait();
  return right.item<double>() / static_cast<double>(size);
}
}  // namespace without_samples

// answer: only_rank_0
// expect: the program hangs
// Only rank 0 asks for the sum, because only rank 0 prints it.
namespace only_rank_0 {
double accuracy(const td::Tensor& output, const td::Tensor& target, std::int64_t size,
                ProcessGroup& group) {
  const std::int64_t ranks = group.size();
  const std::int64_t rows = (size - group.rank() + ranks - 1) / ranks;
  const td::Tensor classes = output.narrow(0, 0, rows).argmax(1);
  const td::Tensor right = classes.eq(target.narrow(0, 0, rows)).sum();
  if (group.rank() == 0) group.all_reduce(right)->wait();
  return right.item<double>() / static_cast<double>(size);
}
}  // namespace only_rank_0

// answer: no_wait
// expect: were waited for
// Reads the sum before it is there.
namespace no_wait {
double accuracy(const td::Tensor& output, const td::Tensor& target, std::int64_t size,
                ProcessGroup& group) {
  const std::int64_t ranks = group.size();
  const std::int64_t rows = (size - group.rank() + ranks - 1) / ranks;
  const td::Tensor classes = output.narrow(0, 0, rows).argmax(1);
  const td::Tensor right = classes.eq(target.narrow(0, 0, rows)).sum();
  group.all_reduce(right);
  return right.item<double>() / static_cast<double>(size);
}
}  // namespace no_wait

// answer: float_counts
// expect: a count is summed as
// A float32 holds all integers up to 16,777,216 only.
namespace float_counts {
double accuracy(const td::Tensor& output, const td::Tensor& target, std::int64_t size,
                ProcessGroup& group) {
  const std::int64_t ranks = group.size();
  const std::int64_t rows = (size - group.rank() + ranks - 1) / ranks;
  const td::Tensor classes = output.narrow(0, 0, rows).argmax(1);
  const td::Tensor right = classes.eq(target.narrow(0, 0, rows)).sum().to(td::kFloat);
  group.all_reduce(right)->wait();
  return right.item<double>() / static_cast<double>(size);
}
}  // namespace float_counts

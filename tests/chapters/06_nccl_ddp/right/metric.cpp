#include "exercises.h"

// answer: mask
// Multiplies each row by whether its number is below the size.
namespace mask {
double accuracy(const td::Tensor& output, const td::Tensor& target, std::int64_t size,
                ProcessGroup& group) {
  const td::NoGradGuard no_grad;
  const td::Tensor numbers =
      td::arange(output.size(0), td::TensorOptions(td::kInt64).device(output.device())) *
          group.size() +
      group.rank();
  const td::Tensor right = (output.argmax(1) == target) & (numbers < size);
  const td::Tensor counts = td::stack({right.sum(), (numbers < size).sum()}).to(td::kDouble);
  const auto work = group.all_reduce(counts);
  work->wait();
  const td::Tensor sums = counts.cpu();
  return sums[0].item<double>() / sums[1].item<double>();
}
}  // namespace mask

// answer: one_by_one
// Gathers all rows of all ranks, and reads them in the order of the samples.
namespace one_by_one {
double accuracy(const td::Tensor& output, const td::Tensor& target, std::int64_t size,
                ProcessGroup& group) {
  const td::Tensor classes = output.argmax(1).contiguous();
  std::vector<td::Tensor> all_classes, all_targets;
  for (int r = 0; r < group.size(); ++r) {
    all_classes.push_back(td::empty_like(classes));
    all_targets.push_back(td::empty_like(target));
  }
  group.all_gather(all_classes, classes)->wait();
  group.all_gather(all_targets, target)->wait();
  std::int64_t right = 0;
  for (std::int64_t n = 0; n < size; ++n) {
    const auto r = static_cast<std::size_t>(n % group.size());
    const std::int64_t row = n / group.size();
    right += all_classes[r][row].item<std::int64_t>() == all_targets[r][row].item<std::int64_t>();
  }
  return static_cast<double>(right) / static_cast<double>(size);
}
}  // namespace one_by_one

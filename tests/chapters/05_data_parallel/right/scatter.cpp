#include "exercises.h"

// answer: chunks
// Lets td divide the rows.
namespace chunks {
std::vector<td::Tensor> scatter(const td::Tensor& input, const std::vector<td::Device>& devices) {
  if (devices.empty()) throw td::Error("there is no device to scatter to");
  if (input.size(0) == 0) {
    std::vector<td::Tensor> empty;
    for (const td::Device& device : devices) empty.push_back(input.to(device));
    return empty;
  }
  std::vector<td::Tensor> parts = input.chunk(static_cast<std::int64_t>(devices.size()));
  for (std::size_t i = 0; i < parts.size(); ++i) parts[i] = parts[i].to(devices[i]);
  return parts;
}
}  // namespace chunks

// answer: slices
// Walks over the rows; a part that stays on its device is a copy.
namespace slices {
std::vector<td::Tensor> scatter(const td::Tensor& input, const std::vector<td::Device>& devices) {
  if (devices.empty()) throw td::Error("no device");
  const std::int64_t rows = input.size(0), n = static_cast<std::int64_t>(devices.size());
  const std::int64_t each = rows % n == 0 ? rows / n : rows / n + 1;
  std::vector<td::Tensor> parts;
  std::int64_t row = 0;
  for (const td::Device& device : devices) {
    const std::int64_t end = std::min(row + each, rows);
    if (end > row || rows == 0) parts.push_back(input.narrow(0, row, end - row).clone().to(device));
    row = end;
  }
  return parts;
}
}  // namespace slices

// Lets td divide the rows.
#include "exercises.h"

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

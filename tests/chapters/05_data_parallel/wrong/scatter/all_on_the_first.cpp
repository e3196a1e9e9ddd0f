// expect: part 1: expected on sim:1, it is on sim:0
// The values are right, and the second device has nothing to do.
#include "exercises.h"

std::vector<td::Tensor> scatter(const td::Tensor& input, const std::vector<td::Device>& devices) {
  if (devices.empty()) throw td::Error("scatter: no devices");
  std::vector<td::Tensor> parts;
  for (const td::Tensor& part : input.chunk(static_cast<std::int64_t>(devices.size())))
    parts.push_back(part.to(devices[0]));
  return parts;
}

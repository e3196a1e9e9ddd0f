// expect: the parts are outside the graph of the input
// Right as long as the gradient of a batch is not needed; a chain of models needs it.
#include "exercises.h"

std::vector<td::Tensor> scatter(const td::Tensor& input, const std::vector<td::Device>& devices) {
  if (devices.empty()) throw td::Error("scatter: no devices");
  const td::NoGradGuard no_grad;
  const auto chunks = input.detach().chunk(static_cast<std::int64_t>(devices.size()));
  std::vector<td::Tensor> parts;
  for (std::size_t i = 0; i < chunks.size(); ++i) parts.push_back(chunks[i].to(devices[i]));
  return parts;
}

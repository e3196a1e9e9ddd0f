// expect: bytes were copied between devices
// Copies the whole batch to every device and takes the part there.
#include "exercises.h"

std::vector<td::Tensor> scatter(const td::Tensor& input, const std::vector<td::Device>& devices) {
  if (devices.empty()) throw td::Error("scatter: no devices");
  const auto count = static_cast<std::int64_t>(devices.size());
  const std::int64_t rows = input.size(0), chunk = (rows + count - 1) / count;
  std::vector<td::Tensor> parts;
  for (std::int64_t i = 0; i < count && (i * chunk < rows || rows == 0); ++i)
    parts.push_back(input.to(devices[i]).narrow(0, i * chunk, std::min(chunk, rows - i * chunk)));
  return parts;
}

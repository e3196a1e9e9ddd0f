// expect: a part that was copied from sim:0 to the cpu
// With non_blocking, a copy to the cpu has not finished when scatter returns.
#include "exercises.h"

std::vector<td::Tensor> scatter(const td::Tensor& input, const std::vector<td::Device>& devices) {
  if (devices.empty()) throw td::Error("scatter: no devices; name at least one");
  const auto count = static_cast<std::int64_t>(devices.size());
  const std::int64_t rows = input.size(0), chunk = (rows + count - 1) / count;
  std::vector<td::Tensor> parts;
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t begin = i * chunk;
    if (begin >= rows && rows > 0) break;  //! nothing is left
    const std::int64_t length = std::min(chunk, rows - begin);
    parts.push_back(input.narrow(0, begin, length)
                        .to(devices[static_cast<std::size_t>(i)], /*non_blocking=*/true));
  }
  return parts;
}

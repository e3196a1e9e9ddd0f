#include "exercises.h"

#include <algorithm>

// answer: nth_element
// The warm-up is a loop of its own, and medians come from nth_element.
namespace nth_element {
std::vector<std::vector<double>> time_interleaved(const std::vector<Measure>& devices,
                                                  const std::vector<std::int64_t>& sizes,
                                                  int runs) {
  for (const std::int64_t size : sizes)
    for (const Measure& device : devices) device(size);
  const std::size_t columns = devices.size();
  std::vector<std::vector<double>> cells(columns * sizes.size());
  for (int run = 0; run < runs; ++run) {
    auto cell = cells.begin();
    for (const std::int64_t size : sizes)
      for (const Measure& device : devices) (cell++)->push_back(device(size));
  }
  std::vector<std::vector<double>> result;
  for (std::size_t d = 0; d < columns; ++d) {
    std::vector<double>& row = result.emplace_back();
    for (std::size_t s = 0; s < sizes.size(); ++s) {
      std::vector<double>& cell = cells[s * columns + d];
      const auto middle = cell.begin() + (static_cast<std::ptrdiff_t>(cell.size()) - 1) / 2;
      std::nth_element(cell.begin(), middle, cell.end());
      row.push_back(*middle);
    }
  }
  return result;
}
}  // namespace nth_element

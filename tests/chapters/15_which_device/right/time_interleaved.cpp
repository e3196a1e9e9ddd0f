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

// answer: mean_of_the_two_middle_ones
// One loop over all calls, and the mean of the two middle runs, which is one run if they are odd.
namespace mean_of_the_two_middle_ones {
std::vector<std::vector<double>> time_interleaved(const std::vector<Measure>& devices,
                                                  const std::vector<std::int64_t>& sizes,
                                                  int runs) {
  const std::size_t width = devices.size(), calls = width * sizes.size();
  std::vector<double> seconds;
  for (std::size_t i = 0; i < calls * (static_cast<std::size_t>(runs) + 1); ++i)
    seconds.push_back(devices[i % width](sizes[i / width % sizes.size()]));
  std::vector<std::vector<double>> result(width, std::vector<double>(sizes.size()));
  for (std::size_t cell = 0; cell < calls; ++cell) {
    std::vector<double> own;
    for (std::size_t i = calls + cell; i < seconds.size(); i += calls) own.push_back(seconds[i]);
    std::sort(own.begin(), own.end());
    result[cell % width][cell / width] = (own[(own.size() - 1) / 2] + own[own.size() / 2]) / 2;
  }
  return result;
}
}  // namespace mean_of_the_two_middle_ones

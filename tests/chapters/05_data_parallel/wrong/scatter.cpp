#include "exercises.h"

// answer: all_on_the_first
// expect: part 1: expected on sim:1, it is on sim:0
// The values are right, and the second device has nothing to do.
namespace all_on_the_first {
std::vector<td::Tensor> scatter(const td::Tensor& input, const std::vector<td::Device>& devices) {
  if (devices.empty()) throw td::Error("scatter: no devices");
  std::vector<td::Tensor> parts;
  for (const td::Tensor& part : input.chunk(static_cast<std::int64_t>(devices.size())))
    parts.push_back(part.to(devices[0]));
  return parts;
}
}  // namespace all_on_the_first

// answer: copies_the_whole_batch
// expect: bytes were copied between devices
// Copies the whole batch to every device and takes the part there.
namespace copies_the_whole_batch {
std::vector<td::Tensor> scatter(const td::Tensor& input, const std::vector<td::Device>& devices) {
  if (devices.empty()) throw td::Error("scatter: no devices");
  const auto count = static_cast<std::int64_t>(devices.size());
  const std::int64_t rows = input.size(0), chunk = (rows + count - 1) / count;
  std::vector<td::Tensor> parts;
  for (std::int64_t i = 0; i < count && (i * chunk < rows || rows == 0); ++i)
    parts.push_back(input.to(devices[i]).narrow(0, i * chunk, std::min(chunk, rows - i * chunk)));
  return parts;
}
}  // namespace copies_the_whole_batch

// answer: drops_the_empty_batch
// expect: 2 empty parts were expected, 0 came
// Right for every batch that has rows.
namespace drops_the_empty_batch {
std::vector<td::Tensor> scatter(const td::Tensor& input, const std::vector<td::Device>& devices) {
  if (devices.empty()) throw td::Error("scatter: no devices");
  const auto count = static_cast<std::int64_t>(devices.size());
  const std::int64_t rows = input.size(0), chunk = (rows + count - 1) / count;
  std::vector<td::Tensor> parts;
  for (std::int64_t begin = 0; begin < rows; begin += chunk)
    parts.push_back(input.narrow(0, begin, std::min(chunk, rows - begin))
                        .to(devices[static_cast<std::size_t>(begin / chunk)]));
  return parts;
}
}  // namespace drops_the_empty_batch

// answer: loses_the_last_rows
// expect: rows of the parts
// Division of integers rounds down: right when the rows divide evenly.
namespace loses_the_last_rows {
std::vector<td::Tensor> scatter(const td::Tensor& input, const std::vector<td::Device>& devices) {
  if (devices.empty()) throw td::Error("scatter: no devices");
  const std::int64_t chunk = input.size(0) / static_cast<std::int64_t>(devices.size());
  std::vector<td::Tensor> parts;
  for (std::size_t i = 0; i < devices.size(); ++i)
    parts.push_back(input.narrow(0, static_cast<std::int64_t>(i) * chunk, chunk).to(devices[i]));
  return parts;
}
}  // namespace loses_the_last_rows

// answer: makes_floats
// expect: a part of int64 labels
// Labels become floating point numbers.
namespace makes_floats {
std::vector<td::Tensor> scatter(const td::Tensor& input, const std::vector<td::Device>& devices) {
  if (devices.empty()) throw td::Error("scatter: no devices");
  const auto count = static_cast<std::int64_t>(devices.size());
  const std::int64_t rows = input.size(0), chunk = (rows + count - 1) / count;
  std::vector<td::Tensor> parts;
  for (std::int64_t i = 0; i < count && (i * chunk < rows || rows == 0); ++i)
    parts.push_back(
        input.narrow(0, i * chunk, std::min(chunk, rows - i * chunk)).to(devices[i], td::kFloat32));
  return parts;
}
}  // namespace makes_floats

// answer: outside_the_graph
// expect: the parts are outside the graph of the input
// Right as long as the gradient of a batch is not needed; a chain of models needs it.
namespace outside_the_graph {
std::vector<td::Tensor> scatter(const td::Tensor& input, const std::vector<td::Device>& devices) {
  if (devices.empty()) throw td::Error("scatter: no devices");
  const td::NoGradGuard no_grad;
  const auto chunks = input.detach().chunk(static_cast<std::int64_t>(devices.size()));
  std::vector<td::Tensor> parts;
  for (std::size_t i = 0; i < chunks.size(); ++i) parts.push_back(chunks[i].to(devices[i]));
  return parts;
}
}  // namespace outside_the_graph

// answer: returns_too_early
// expect: a part that was copied from sim:0 to the cpu
// With non_blocking, a copy to the cpu has not finished when scatter returns.
namespace returns_too_early {
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
}  // namespace returns_too_early

// answer: spreads_evenly
// expect: rows of the parts of 9 rows on 4 devices
// The first devices get one row more. Sensible, right on the README's example, and not what PyTorch
// does: a program that expects PyTorch's parts gets other ones.
namespace spreads_evenly {
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
}  // namespace spreads_evenly

// answer: through_the_host
// expect: bytes were copied between devices
// Copies each part through the memory of the host, which waits for it.
namespace through_the_host {
std::vector<td::Tensor> scatter(const td::Tensor& input, const std::vector<td::Device>& devices) {
  if (devices.empty()) throw td::Error("scatter: no devices");
  const auto count = static_cast<std::int64_t>(devices.size());
  const std::int64_t rows = input.size(0), chunk = (rows + count - 1) / count;
  std::vector<td::Tensor> parts;
  for (std::int64_t i = 0; i < count && (i * chunk < rows || rows == 0); ++i)
    parts.push_back(
        input.narrow(0, i * chunk, std::min(chunk, rows - i * chunk)).cpu().to(devices[i]));
  return parts;
}
}  // namespace through_the_host

// answer: rows_and_columns
// expect: part 0 of images of sizes [5, 3, 2, 2]: expected sizes
// Takes every batch for a matrix or a list of labels.
namespace rows_and_columns {
std::vector<td::Tensor> scatter(const td::Tensor& input, const std::vector<td::Device>& devices) {
  if (devices.empty()) throw td::Error("no devices");
  const auto count = static_cast<std::int64_t>(devices.size());
  const std::int64_t rows = input.size(0), chunk = (rows + count - 1) / count;
  const td::Tensor matrix = input.dim() > 2 ? input.flatten(1) : input;
  std::vector<td::Tensor> parts;
  for (std::int64_t i = 0; i < count; ++i) {
    if (i * chunk >= rows && rows > 0) break;
    const std::int64_t length = std::min(chunk, rows - i * chunk);
    parts.push_back(matrix.narrow(0, i * chunk, length).to(devices[static_cast<std::size_t>(i)]));
  }
  return parts;
}
}  // namespace rows_and_columns

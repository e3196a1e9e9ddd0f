// check_tensors.h's functions, and the probe that tests after a stub whether the devices work.
#include "check_tensors.h"

#include <chrono>
#include <sstream>
#include <thread>

#include "td/device/backend.h"

namespace check {
namespace {

std::string sizes_text(const std::vector<std::int64_t>& sizes) {
  std::ostringstream text;
  text << '[';
  for (std::size_t i = 0; i < sizes.size(); ++i) text << (i ? ", " : "") << sizes[i];
  text << ']';
  return text.str();
}

std::vector<std::int64_t> sizes_of(const td::Tensor& tensor) {
  std::vector<std::int64_t> sizes;
  for (std::int64_t d = 0; d < tensor.dim(); ++d) sizes.push_back(tensor.size(d));
  return sizes;
}

/// Fails with a clear message for a tensor that was never assigned.
void expect_defined(const td::Tensor& tensor, const std::string& what) {
  if (!tensor.defined()) FAIL(what << ": a tensor was expected, an undefined one came");
}

/// Names of the devices on which a small sum comes out right. @throws std::runtime_error otherwise.
std::string try_devices() {
  std::string names;
  for (const td::Device device : devices()) {
    const auto sum = (td::ones({5}, device) + td::ones({5}, device)).sum().item<float>();
    if (!(sum == 10.0F))
      throw std::runtime_error(device.str() + " gives a wrong sum: " + std::to_string(sum) +
                               " instead of 10");
    names += (names.empty() ? "" : ", ") + device.str();
  }
  return names;
}

const bool registered = (probe().try_devices = try_devices, true);

}  // namespace

void poison(const td::Tensor& tensor) {
  const td::NoGradGuard no_grad;
  td::Tensor target = tensor;
  if (tensor.is_floating_point())
    target.fill_(static_cast<double>(kPoison));
  else
    target.fill_(tensor.dtype() == td::kBool ? 1 : 113);
}

std::vector<double> values(const td::Tensor& tensor) {
  const td::NoGradGuard no_grad;
  const auto host = tensor.detach().to(td::kCPU).to(td::kDouble).contiguous();
  const double* first = host.data_ptr<double>();
  return std::vector<double>(first, first + host.numel());
}

void expect_close(const td::Tensor& actual, const td::Tensor& expected, double tolerance,
                  const std::string& what) {
  expect_defined(actual, what);
  expect_sizes(actual, sizes_of(expected), what);
  const std::string problem = difference(values(actual), values(expected), tolerance);
  expect(problem.empty(), what + ": " + problem);
}

void expect_on(const td::Tensor& tensor, td::Device device, const std::string& what) {
  expect_defined(tensor, what);
  expect(tensor.device() == device,
         what + ": expected on " + device.str() + ", it is on " + tensor.device().str());
}

void expect_sizes(const td::Tensor& tensor, const std::vector<std::int64_t>& sizes,
                  const std::string& what) {
  expect_defined(tensor, what);
  expect(sizes_of(tensor) == sizes,
         what + ": expected sizes " + sizes_text(sizes) + ", got " + sizes_text(sizes_of(tensor)));
}

void expect_dtype(const td::Tensor& tensor, td::ScalarType dtype, const std::string& what) {
  expect_defined(tensor, what);
  std::ostringstream text;
  text << what << ": expected elements of type " << dtype << ", got " << tensor.dtype();
  expect(tensor.dtype() == dtype, text.str());
}

void keep_busy(const td::Stream& stream) {
  td::Record record("busy");
  record.set_work([] { std::this_thread::sleep_for(std::chrono::milliseconds(40)); });
  td::backend(td::kSIM).submit(record, stream.device().index(), stream.native());
}

}  // namespace check

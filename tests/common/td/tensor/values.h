// Short helpers for tests: tensors from lists, and their values back on the host as doubles.
#pragma once

#include <vector>

#include "catch.h"
#include "td/autograd/modes.h"
#include "td/ops/ops.h"
#include "td/tensor/tensor.h"

inline td::Tensor of(const std::vector<float>& values, td::IntArrayRef sizes,
                     td::Device device = td::kCPU) {
  td::Tensor host = td::empty(sizes);
  REQUIRE(host.numel() == static_cast<std::int64_t>(values.size()));
  for (std::size_t i = 0; i < values.size(); ++i) host.data_ptr<float>()[i] = values[i];
  return host.to(device);
}
inline td::Tensor of(const std::vector<float>& values, td::Device device = td::kCPU) {
  return of(values, {static_cast<std::int64_t>(values.size())}, device);
}
/// A leaf that requires grad.
inline td::Tensor leaf(const std::vector<float>& values, td::IntArrayRef sizes,
                       td::Device device = td::kCPU) {
  return of(values, sizes, device).requires_grad_();
}
inline td::Tensor leaf(const std::vector<float>& values, td::Device device = td::kCPU) {
  return of(values, device).requires_grad_();
}

inline std::vector<double> values(const td::Tensor& tensor) {
  const td::Tensor host = tensor.detach().cpu().to(td::kFloat64).contiguous();
  const double* data = host.data_ptr<double>();
  return {data, data + host.numel()};
}

/// The accelerators and the host: what every test of the core runs on.
inline std::vector<td::Device> devices() {
  std::vector<td::Device> all{td::Device("cpu"), td::Device("sim:0")};
  if (td::device_count(td::kCUDA) > 0) all.push_back(td::Device("cuda:0"));
  return all;
}

/// The message of the E that `f` throws; the test fails when it throws none.
template <class E, class F>
std::string message(F f) {
  try {
    f();
  } catch (const E& error) {
    return error.what();
  }
  FAIL("expected an error");
  return {};
}

// Functions for the tests of exercises on tensors and devices, in addition to check.h.
// Included by tests/chapters/*/*_test.cpp. Comparing copies to the host, which waits for the
// device: work that an exercise forgot to wait for is only seen by a test that looks at the right
// moment.
#pragma once

#include <string>
#include <vector>

#include "check_devices.h"
#include "td/td.h"

namespace check {

/// Fills with kPoison; an integer type with 113, which no exercise yields.
void poison(const td::Tensor& tensor);

/// The elements in logical order, whatever the device, the strides and the type.
std::vector<double> values(const td::Tensor& tensor);

/// Fails unless sizes are equal and all elements agree within `tolerance`; NaN never agrees.
/// Devices and element types may differ: expect_on and expect_dtype check those.
void expect_close(const td::Tensor& actual, const td::Tensor& expected, double tolerance,
                  const std::string& what);
/// Fails unless the tensor is on the device.
void expect_on(const td::Tensor& tensor, td::Device device, const std::string& what);
/// Fails unless the tensor has these sizes.
void expect_sizes(const td::Tensor& tensor, const std::vector<std::int64_t>& sizes,
                  const std::string& what);
/// Fails unless the tensor has this element type.
void expect_dtype(const td::Tensor& tensor, td::ScalarType dtype, const std::string& what);

/// Gives a sim stream work of 40 ms, for a caller that must wait for it by itself.
void keep_busy(const td::Stream& stream);

}  // namespace check

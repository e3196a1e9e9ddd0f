// The checks of the operation suite (see suite.h).
#include "suite.h"

#include <algorithm>
#include <cmath>

#include "catch.h"
#include "td/autograd/engine.h"
#include "td/autograd/modes.h"
#include "td/ops/autocast.h"
#include "td/ops/autocast_guard.h"

namespace suite {
namespace {

using td::Device;
using td::ScalarType;
using td::Tensor;
using td::TensorList;

std::vector<Device> all_devices() {
  std::vector<Device> list{td::kCPU};
  for (const td::DeviceType type : {td::kSIM, td::kCUDA})
    if (td::device_count(type) > 0) list.emplace_back(type, 0);
  return list;
}

bool real(const Tensor& t) { return t.is_floating_point(); }

/// What rounding to a type may cost: a few units of its last digit.
double tolerance(ScalarType type) {
  switch (type) {
    case td::kDouble:
      return 1e-10;
    case td::kFloat:
      return 2e-5;
    case td::kHalf:
      return 6e-3;
    default:
      return 4e-2;
  }
}

TensorList moved(const TensorList& inputs, Device device, ScalarType type) {
  TensorList list;
  for (const Tensor& t : inputs) list.push_back(real(t) ? t.to(device, type) : t.to(device));
  return list;
}

std::vector<Array> arrays(const TensorList& inputs) {
  std::vector<Array> list;
  for (const Tensor& t : inputs) list.push_back(read(t));
  return list;
}

void compare(const Tensor& result, const Array& expected, double tolerated) {
  REQUIRE(result.sizes().vec() == expected.sizes);
  const Array actual = read(result);
  for (std::size_t i = 0; i < expected.values.size(); ++i) {
    const double want = expected.values[i], got = actual.values[i];
    INFO("element " << i << ": expected " << want << ", got " << got);
    const bool same = (std::isnan(want) && std::isnan(got)) || want == got;
    // NaN never passes: the comparison below is false for it.
    REQUIRE((same || std::abs(want - got) <= tolerated * std::max(1.0, std::abs(want))));
  }
}

// The values over other memory: last dimension first, and every second element of a larger block.
TensorList strided(const TensorList& inputs) {
  TensorList list;
  for (const Tensor& t : inputs) {
    if (t.dim() == 0) {
      list.push_back(t);
      continue;
    }
    std::vector<std::int64_t> wide = t.sizes().vec();
    wide.push_back(2);
    Tensor memory = td::zeros(wide, t.options()).transpose(0, -1).contiguous();
    Tensor view = memory.transpose(0, -1).select(-1, 1);
    view.copy_(t);
    list.push_back(view);
  }
  return list;
}

void check_forward(const Sample& s, Device device) {
  for (const ScalarType type : s.types) {
    INFO("dtype " << type);
    const TensorList inputs = moved(s.inputs, device, type);
    const Array expected = s.expected(arrays(inputs));
    const Tensor result = s.run(inputs);
    CHECK(result.device() == inputs[0].device());
    CHECK(result.dtype() == s.result.value_or(type));
    compare(result, expected, tolerance(type));
    INFO("strided arguments");
    compare(s.run(strided(inputs)), expected, tolerance(type));
  }
  if (s.empty.empty()) return;
  INFO("empty arguments");
  const TensorList inputs = moved(s.empty, device, s.types[0]);
  compare(s.run(inputs), s.expected(arrays(inputs)), 0);
}

// Each argument alone on another device must be named.
void check_wrong_device(const Sample& s) {
  if (s.inputs.size() < 2 || td::device_count(td::kSIM) == 0) return;
  for (std::size_t i = 0; i < s.inputs.size(); ++i) {
    if (s.inputs[i].dim() == 0) continue;
    TensorList inputs = s.inputs;
    inputs[i] = inputs[i].to(Device(td::kSIM, 0));
    INFO("argument " << s.arguments[i] << " on sim:0, the others on cpu");
    std::string message;
    try {
      s.run(inputs);
    } catch (const td::DeviceError& error) {
      message = error.what();
    }
    CHECK(message.rfind(s.name + ": ", 0) == 0);
    CHECK(message.find('"' + s.arguments[i] + "\" is on sim:0") != std::string::npos);
    CHECK(message.find("All tensors of an operation must be on one device") != std::string::npos);
  }
}

// A number made of the result with different weights, so that no two elements are exchangeable.
Tensor weighted(const Tensor& y, unsigned seed) {
  return td::sum(y * spread(y.sizes(), 0.5, 1.5, seed).to(y.device()));
}

// Arguments as leaves of a graph of their own.
TensorList leaves(const TensorList& inputs, const std::vector<bool>& wants) {
  TensorList list;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const Tensor copy = inputs[i].detach().clone();
    list.push_back(wants[i] ? copy.requires_grad_() : copy);
  }
  return list;
}

TensorList wanted(const TensorList& inputs) {
  TensorList list;
  for (const Tensor& t : inputs)
    if (t.requires_grad()) list.push_back(t);
  return list;
}

std::vector<bool> variables_of(const Sample& s) {
  std::vector<bool> wants;
  for (const Tensor& t : s.inputs) wants.push_back(real(t));
  for (const std::size_t i : s.constants) wants[i] = false;
  return wants;
}

using Number = std::function<Tensor(const TensorList&)>;

// Gradients of `f` (a 0-dimensional tensor) by autograd against central differences.
void check_derivative(const Number& f, const TensorList& inputs, const std::vector<bool>& wants,
                      double tolerated) {
  const TensorList variables = leaves(inputs, wants);
  const TensorList gradients =
      td::autograd::grad({f(variables)}, wanted(variables), {}, td::nullopt, false, true);
  std::size_t which = 0;
  for (std::size_t k = 0; k < inputs.size(); ++k) {
    if (!wants[k]) continue;
    const Tensor& gradient = gradients[which++];
    const Array analytic =
        gradient.defined()
            ? read(gradient)
            : Array{{}, std::vector<double>(static_cast<std::size_t>(inputs[k].numel()), 0)};
    const Tensor host = inputs[k].to(td::kCPU);
    for (std::int64_t i = 0; i < host.numel(); ++i) {
      const auto at = [&](double shift) {
        Tensor copy = host.clone(td::MemoryFormat::Contiguous);
        copy.data_ptr<double>()[i] += shift;
        TensorList changed = inputs;
        changed[k] = copy.to(inputs[k].device());
        return f(leaves(changed, wants)).item<double>();
      };
      const double h = 1e-5, slope = (at(h) - at(-h)) / (2 * h);
      const double got = analytic.values[static_cast<std::size_t>(i)];
      INFO("argument " << k << ", element " << i << ": difference " << slope << ", gradient "
                       << got);
      CHECK(std::abs(slope - got) <= tolerated * std::max(1.0, std::abs(slope)));
    }
  }
}

void check_gradients(const Sample& s, Device device) {
  const TensorList inputs = moved(s.inputs, device, td::kDouble);
  const std::vector<bool> wants = variables_of(s);
  const Number once = [&](const TensorList& x) { return weighted(s.run(x), 7); };
  {
    INFO("gradient");
    check_derivative(once, inputs, wants, 1e-6);
    INFO("strided arguments");
    check_derivative([&](const TensorList& x) { return weighted(s.run(strided(x)), 7); }, inputs,
                     wants, 1e-6);
  }
  INFO("gradient of the gradient");
  const Number twice = [&](const TensorList& x) {
    const TensorList gradients =
        td::autograd::grad({once(x)}, wanted(x), {}, td::nullopt, true, true);
    Tensor total = td::zeros({}, td::TensorOptions(td::kDouble).device(device)).requires_grad_();
    for (std::size_t i = 0; i < gradients.size(); ++i)
      if (gradients[i].defined())
        total = total + weighted(gradients[i], 11 + static_cast<unsigned>(i));
    return total;
  };
  check_derivative(twice, inputs, wants, 1e-5);
}

// Under autocast an operation without a policy gives the same bits as without; tests/common/amp
// tests those with one completely.
void check_autocast(const Sample& s, Device device) {
  using td::autocast::Policy;
  const auto* rule = td::autocast::find(s.name == "cross_entropy" ? "cross_entropy_loss" : s.name);
  if (rule && td::autocast::policy_on(device.type(), *rule) != Policy::kUnlisted) return;
  for (const ScalarType type : {td::kFloat, device.is_cpu() ? td::kBFloat16 : td::kHalf}) {
    if (std::count(s.types.begin(), s.types.end(), type) == 0) continue;
    INFO("under autocast, dtype " << type);
    const TensorList inputs = moved(s.inputs, device, type);
    const Tensor expected = s.run(inputs);
    const td::amp::AutocastGuard guard(device.type());
    const Tensor result = s.run(inputs);
    CHECK(result.dtype() == expected.dtype());
    CHECK((real(result) ? td::allclose(result, expected, 0, 0, /*equal_nan=*/true)
                        : td::equal(result, expected)));
  }
}

}  // namespace

void check_operation(const Sample& sample) {
  for (const Device device : all_devices()) {
    INFO(sample.name << " on " << device);
    check_forward(sample, device);
    check_autocast(sample, device);
    // The kernels of sim are those of cpu; one difference quotient per device type is enough.
    if (sample.gradient && !device.is_sim()) check_gradients(sample, device);
  }
  INFO(sample.name);
  check_wrong_device(sample);
}

}  // namespace suite

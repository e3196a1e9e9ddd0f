// What the tests of products, convolution, pooling and normalization share: tensors filled by a
// formula, their values as doubles on the host, and gradients by finite differences.
// Invariant: no result is compared with anything that the operation under test computed.
#pragma once

#include <cmath>
#include <functional>
#include <random>
#include <vector>

#include "catch.h"
#include "td/autograd/engine.h"
#include "td/autograd/modes.h"
#include "td/ops/ops.h"

namespace reference {

using td::Device;
using td::Tensor;
using td::TensorList;
using Values = std::vector<double>;
using Function = std::function<Tensor(const TensorList&)>;

inline std::vector<Device> all_devices() {
  std::vector<Device> list{td::kCPU};
  for (const td::DeviceType type : {td::kSIM, td::kCUDA})
    if (td::device_count(type) > 0) list.emplace_back(type, 0);
  return list;
}

/// The elements in row-major order.
inline Values values(const Tensor& t) {
  const Tensor host = t.detach().to(td::kCPU).to(td::kDouble).contiguous();
  const double* data = host.data_ptr<double>();
  return Values(data, data + host.numel());
}

/// Numbers between -1 and 1 that differ from each other; whole ones between -4 and 4 for integers.
inline Tensor filled(td::IntArrayRef sizes, td::ScalarType dtype = td::kDouble, unsigned seed = 1) {
  Tensor t = td::empty(sizes, td::kDouble);
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> real(-1, 1);
  for (std::int64_t i = 0; i < t.numel(); ++i) {
    const double x = real(random);
    t.data_ptr<double>()[i] = td::is_floating_point(dtype) ? x : std::floor(x * 4);
  }
  return t.to(dtype);
}

/// The same values over other strides: every second column of a wider tensor.
inline Tensor strided(const Tensor& t) {
  td::Sizes wide(t.sizes());
  wide[wide.size() - 1] *= 2;
  Tensor memory = td::empty(wide, t.options()).fill_(7);
  Tensor view = memory.slice(-1, 0, td::nullopt, 2);
  view.copy_(t);
  return view;
}

/// Largest difference, NaN and a wrong count being infinitely far.
inline double distance(const Values& a, const Values& b) {
  if (a.size() != b.size()) return INFINITY;
  double worst = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (!(std::abs(a[i] - b[i]) <= worst))
      worst = std::isnan(a[i] - b[i]) ? INFINITY : std::abs(a[i] - b[i]);
  return worst;
}

/// sum(f(inputs) * weights) with fixed weights: one number that depends on every element.
inline Tensor weighted(const Tensor& y) {
  return (y * filled(y.sizes(), y.dtype(), 99).to(y.device())).sum();
}

/// Gradients of weighted(f) by central differences, one list per input.
inline std::vector<Values> differences(const Function& f, const TensorList& inputs, double step) {
  td::NoGradGuard no_grad;
  std::vector<Values> result;
  for (std::size_t k = 0; k < inputs.size(); ++k) {
    Values list;
    for (std::int64_t i = 0; i < inputs[k].numel(); ++i) {
      double side[2];
      for (int s = 0; s < 2; ++s) {
        TensorList moved;
        for (const Tensor& x : inputs) moved.push_back(x.detach().clone());
        Tensor host = moved[k].to(td::kCPU).contiguous();
        host.data_ptr<double>()[i] += s ? step : -step;
        moved[k] = host.to(inputs[k].device());
        side[s] = weighted(f(moved)).item<double>();
      }
      list.push_back((side[1] - side[0]) / (2 * step));
    }
    result.push_back(list);
  }
  return result;
}

inline TensorList leaves(const TensorList& inputs) {
  TensorList list;
  for (const Tensor& x : inputs) list.push_back(x.detach().clone().requires_grad_());
  return list;
}

/// Compares the recorded gradients of f, and (twice) those of the gradients of sin(f), with
/// differences: the sine makes the incoming gradient depend on the inputs too. All are float64.
inline void check_gradients(const Function& f, const TensorList& inputs, bool twice = true) {
  const TensorList x = leaves(inputs);
  const TensorList grads = td::autograd::grad({weighted(f(x))}, x, {}, td::nullopt, false, true);
  const std::vector<Values> expected = differences(f, inputs, 1e-5);
  for (std::size_t k = 0; k < x.size(); ++k) {
    INFO("gradient of input " << k);
    CHECK(grads[k].device() == x[k].device());
    CHECK(grads[k].sizes() == x[k].sizes());
    CHECK(distance(values(grads[k]), expected[k]) < 1e-7);
  }
  if (!twice) return;
  const Function gradient = [&f](const TensorList& in) {  // a function of the inputs again
    const bool recorded = in[0].requires_grad();
    td::AutoGradMode on(true);
    const TensorList y = recorded ? in : leaves(in);
    Tensor all;
    for (const Tensor& g : td::autograd::grad({weighted(f(y).sin())}, y, {}, td::nullopt,
                                              /*create_graph=*/true, true))
      if (g.defined()) all = all.defined() ? all + weighted(g) : weighted(g);
    return recorded ? all : all.detach();
  };
  const TensorList z = leaves(inputs);
  const TensorList second =
      td::autograd::grad({weighted(gradient(z))}, z, {}, td::nullopt, false, true);
  const std::vector<Values> of_gradient = differences(gradient, inputs, 1e-5);
  for (std::size_t k = 0; k < z.size(); ++k) {
    INFO("gradient of the gradient, input " << k);
    const Values zero(of_gradient[k].size(), 0.0);
    CHECK(distance(second[k].defined() ? values(second[k]) : zero, of_gradient[k]) < 1e-6);
  }
}

}  // namespace reference

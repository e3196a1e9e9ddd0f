// Arrays of the operation suite: plain loops over doubles, independent of the code under test.
#include <algorithm>
#include <random>

#include "suite.h"

namespace suite {

using td::Tensor;

Tensor spread(td::IntArrayRef sizes, double low, double high, unsigned seed) {
  Tensor t = td::empty(sizes, td::kDouble);
  const std::int64_t n = t.numel();
  std::vector<std::int64_t> order(static_cast<std::size_t>(n));
  for (std::int64_t i = 0; i < n; ++i) order[static_cast<std::size_t>(i)] = i;
  std::mt19937 random(seed);
  std::shuffle(order.begin(), order.end(), random);
  const double step = (high - low) / static_cast<double>(n + 1);
  // A different shift for each seed: all magnitudes differ, and no two seeds share a value.
  const double shift = 0.37 / static_cast<double>(seed);
  for (std::int64_t i = 0; i < n; ++i) {
    double x = low + step * (static_cast<double>(order[static_cast<std::size_t>(i)]) + shift);
    // Keep a distance from every multiple of a half.
    const double beside = x * 2 - std::floor(x * 2);
    if (beside < 0.1) x += 0.06;
    if (beside > 0.9) x -= 0.06;
    t.data_ptr<double>()[i] = x;
  }
  return t;
}

Array read(const Tensor& tensor) {
  const Tensor host = tensor.detach().to(td::kCPU).to(td::kDouble).contiguous();
  const double* data = host.data_ptr<double>();
  return {host.sizes().vec(), std::vector<double>(data, data + host.numel())};
}

namespace {

std::int64_t count_of(const std::vector<std::int64_t>& sizes) {
  std::int64_t n = 1;
  for (std::int64_t s : sizes) n *= s;
  return n;
}

// The coordinates of element `i`.
std::vector<std::int64_t> coordinates(const std::vector<std::int64_t>& sizes, std::int64_t i) {
  std::vector<std::int64_t> at(sizes.size());
  for (std::size_t d = sizes.size(); d-- > 0;) {
    at[d] = i % sizes[d];
    i /= sizes[d];
  }
  return at;
}

// The element of `x` that result coordinates `at` read: missing and size-1 dimensions broadcast.
double broadcast_at(const Array& x, const std::vector<std::int64_t>& at) {
  const std::size_t missing = at.size() - x.sizes.size();
  std::int64_t place = 0;
  for (std::size_t d = 0; d < x.sizes.size(); ++d)
    place = place * x.sizes[d] + (x.sizes[d] == 1 ? 0 : at[d + missing]);
  return x.values[static_cast<std::size_t>(place)];
}

}  // namespace

Array fold(const Array& x, const std::vector<std::size_t>& dims, bool keepdim,
           const std::function<double(const std::vector<double>&)>& combine) {
  const auto reduced = [&](std::size_t d) {
    return dims.empty() || std::find(dims.begin(), dims.end(), d) != dims.end();
  };
  Array kept{x.sizes, {}};
  for (std::size_t d = 0; d < x.sizes.size(); ++d)
    if (reduced(d)) kept.sizes[d] = 1;
  std::vector<std::vector<double>> groups(static_cast<std::size_t>(count_of(kept.sizes)));
  for (std::size_t i = 0; i < x.values.size(); ++i) {
    const auto at = coordinates(x.sizes, static_cast<std::int64_t>(i));
    std::int64_t place = 0;
    for (std::size_t d = 0; d < at.size(); ++d)
      place = place * kept.sizes[d] + (reduced(d) ? 0 : at[d]);
    groups[static_cast<std::size_t>(place)].push_back(x.values[i]);
  }
  for (const auto& group : groups) kept.values.push_back(combine(group));
  if (keepdim) return kept;
  std::vector<std::int64_t> sizes;
  for (std::size_t d = 0; d < x.sizes.size(); ++d)
    if (!reduced(d)) sizes.push_back(x.sizes[d]);
  kept.sizes = sizes;
  return kept;
}

Array each(const Array& x, const std::function<double(double)>& f) {
  Array y = x;
  for (double& value : y.values) value = f(value);
  return y;
}

Array each(const Array& a, const Array& b, const std::function<double(double, double)>& f) {
  const std::size_t dims = std::max(a.sizes.size(), b.sizes.size());
  Array y{std::vector<std::int64_t>(dims, 1), {}};
  for (std::size_t back = 1; back <= dims; ++back) {
    const std::int64_t na = back <= a.sizes.size() ? a.sizes[a.sizes.size() - back] : 1;
    const std::int64_t nb = back <= b.sizes.size() ? b.sizes[b.sizes.size() - back] : 1;
    y.sizes[dims - back] = na == 1 ? nb : na;
  }
  for (std::int64_t i = 0; i < count_of(y.sizes); ++i) {
    const auto at = coordinates(y.sizes, i);
    y.values.push_back(f(broadcast_at(a, at), broadcast_at(b, at)));
  }
  return y;
}

}  // namespace suite

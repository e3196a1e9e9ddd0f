// exp and tanh of float32, which are our own, against the library's in double: over their whole
// range, at its ends, and for NaN.
#include <cmath>
#include <cstring>

#include "reference.h"

using namespace td;

namespace {

// Every 4099th float there is, of both signs; their bits grow as they do.
Tensor all_floats(float least, float most) {
  std::vector<float> list;
  for (std::uint64_t bits = 0; bits <= 0xffffffffu; bits += 4099) {
    const auto part = static_cast<std::uint32_t>(bits);
    float x = 0;
    std::memcpy(&x, &part, sizeof x);
    if (x >= least && x <= most) list.push_back(x);
  }
  return tensor(list);
}

// The largest distance between got and exact(x), in units of the last place of the exact value.
template <class Exact>
double worst(const Tensor& x, const Tensor& got, Exact exact) {
  double largest = 0;
  for (std::int64_t i = 0; i < x.numel(); ++i) {
    const double wanted = exact(static_cast<double>(x.data_ptr<float>()[i]));
    const float rounded = std::fabs(static_cast<float>(wanted)), y = got.data_ptr<float>()[i];
    const double unit = static_cast<double>(std::nextafter(rounded, INFINITY) - rounded);
    const double off = std::isinf(rounded) ? (y == rounded ? 0 : INFINITY)
                                           : std::fabs(static_cast<double>(y) - wanted) / unit;
    if (!(off <= largest)) largest = off;
  }
  return largest;
}

}  // namespace

TEST_CASE("exp and tanh of float32 are within two units of the last place") {
  const Tensor x = all_floats(-110, 95), y = all_floats(-30, 30);
  CHECK(x.numel() > 500000);
  CHECK(worst(x, x.exp(), [](double v) { return std::exp(v); }) < 2);
  CHECK(worst(y, y.tanh(), [](double v) { return std::tanh(v); }) < 2);
}

TEST_CASE("exp and tanh at infinity, at zero and of NaN") {
  const Tensor x = tensor({INFINITY, -INFINITY, 0.0f, -0.0f, 1000.0f, -1000.0f, NAN});
  const Tensor e = x.exp(), t = x.tanh();
  const std::vector<float> exps{INFINITY, 0, 1, 1, INFINITY, 0}, tanhs{1, -1, 0, 0, 1, -1};
  for (std::size_t i = 0; i < exps.size(); ++i) {
    CHECK(e.data_ptr<float>()[i] == exps[i]);
    CHECK(t.data_ptr<float>()[i] == tanhs[i]);
  }
  CHECK(std::signbit(t.data_ptr<float>()[3]));
  CHECK(std::isnan(e.data_ptr<float>()[6]));
  CHECK(std::isnan(t.data_ptr<float>()[6]));
}

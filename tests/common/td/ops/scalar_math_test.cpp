// The functions of float32 on the host, which are our own (host_math.h), against the library's in
// double: over every 4099th float, at the ends of their ranges, and for NaN, infinities and
// denormals.
#include <cmath>
#include <cstring>

#include "reference.h"
#include "td_more/td_more.h"

using namespace td;

namespace {

struct Function {
  const char* name;
  Tensor (*ours)(const Tensor&);
  double (*exact)(double);
};

const Function functions[] = {
    {"exp", [](const Tensor& x) { return x.exp(); }, [](double v) { return std::exp(v); }},
    {"expm1", [](const Tensor& x) { return elu(x); },
     [](double v) { return v > 0 ? v : std::expm1(v); }},
    {"tanh", [](const Tensor& x) { return x.tanh(); }, [](double v) { return std::tanh(v); }},
    {"log", [](const Tensor& x) { return x.log(); }, [](double v) { return std::log(v); }},
    {"log1p", [](const Tensor& x) { return x.log1p(); }, [](double v) { return std::log1p(v); }},
    {"erf", [](const Tensor& x) { return x.erf(); }, [](double v) { return std::erf(v); }},
    {"sin", [](const Tensor& x) { return x.sin(); }, [](double v) { return std::sin(v); }},
    {"cos", [](const Tensor& x) { return x.cos(); }, [](double v) { return std::cos(v); }},
};

// Every 4099th float there is, of both signs, with infinities, NaN and denormals; and many near 1,
// where most of these functions change from one formula to another.
Tensor many_floats() {
  std::vector<float> list{0.0f,  -0.0f,    INFINITY, -INFINITY, NAN,    1.0f,    -1.0f,  4.0f,
                          -4.0f, 88.7228f, 88.73f,   -104.0f,   1e-45f, -1e-45f, 1e-40f, -1e-40f};
  for (std::uint64_t bits = 0; bits <= 0xffffffffu; bits += 4099) {
    const auto part = static_cast<std::uint32_t>(bits);
    float x = 0;
    std::memcpy(&x, &part, sizeof x);
    list.push_back(x);
  }
  for (int i = -200000; i < 200000; ++i) list.push_back(static_cast<float>(i) * 1.37e-5f);
  return tensor(list);
}

// How far y is from the exact value, in units of the last place of that value.
double distance(float y, double exact) {
  const float rounded = static_cast<float>(exact);
  if (std::isnan(exact)) return std::isnan(y) ? 0 : INFINITY;
  if (std::isinf(rounded) || exact == 0)
    return y == rounded && std::signbit(y) == std::signbit(rounded) ? 0 : INFINITY;
  const float size = std::fabs(rounded);
  const double unit = static_cast<double>(std::nextafter(size, INFINITY) - size);
  return std::fabs(static_cast<double>(y) - exact) / unit;
}

}  // namespace

TEST_CASE("functions of float32 are within two units of the last place") {
  const Tensor x = many_floats();
  for (const Function& f : functions) {
    const Tensor y = f.ours(x);
    double worst = 0;
    float at = 0;
    for (std::int64_t i = 0; i < x.numel(); ++i) {
      const float v = x.data_ptr<float>()[i];
      const double off = distance(y.data_ptr<float>()[i], f.exact(static_cast<double>(v)));
      if (!(off <= worst)) worst = off, at = v;  // also where it is NaN
    }
    INFO(f.name << '(' << at << ')');
    CHECK(worst < 2);
  }
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

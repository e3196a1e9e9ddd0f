// batch_norm against plain float64 loops: layouts, types, devices, running statistics; gradients
// and theirs against differences; the text of every error.
#include "reference.h"

using namespace td;
using namespace reference;

namespace {

double tolerance(ScalarType dtype) {
  return dtype == kDouble ? 1e-11 : dtype == kFloat ? 2e-5 : dtype == kHalf ? 1e-2 : 6e-2;
}

struct Moments {
  Values mean, var;  // biased
  double count;
};

// Channel c of row-major x [n, channels, inner].
Moments moments(const Values& x, std::size_t n, std::size_t channels, std::size_t inner) {
  Moments m{Values(channels), Values(channels), static_cast<double>(n * inner)};
  const auto each = [&](auto f) {
    for (std::size_t i = 0; i < x.size(); ++i) f(i / inner % channels, x[i]);
  };
  each([&](std::size_t c, double v) { m.mean[c] += v / m.count; });
  each([&](std::size_t c, double v) { m.var[c] += (v - m.mean[c]) * (v - m.mean[c]) / m.count; });
  return m;
}

Values normalized(const Values& x, const Moments& m, std::size_t inner, const Values& w,
                  const Values& b, double eps) {
  Values y(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    const std::size_t c = i / inner % m.mean.size();
    y[i] = (x[i] - m.mean[c]) / std::sqrt(m.var[c] + eps) * w[c] + b[c];
  }
  return y;
}

}  // namespace

TEST_CASE("batch_norm in training and evaluation, every type, layout and device") {
  for (const Device device : all_devices())
    for (const ScalarType dtype : {kFloat, kDouble, kHalf, kBFloat16})
      for (const MemoryFormat format : {MemoryFormat::Contiguous, MemoryFormat::ChannelsLast}) {
        INFO(device << " " << dtype
                    << (format == MemoryFormat::ChannelsLast ? " channels last" : ""));
        const ScalarType stat = dtype == kDouble ? kDouble : kFloat;
        const Tensor x = filled({3, 70, 2, 5}, dtype).to(device).to(format);
        const Tensor w = filled({70}, stat, 2).to(device), b = filled({70}, stat, 3).to(device);
        const Tensor mean = filled({70}, stat, 4).to(device);
        const Tensor var = (filled({70}, stat, 5).to(device) + 2).detach();
        const Values old_mean = values(mean), old_var = values(var);
        const Moments m = moments(values(x), 3, 70, 10);

        const Moments running{old_mean, old_var, 0};
        const Tensor still = batch_norm(x, w, b, mean, var, false, 0.1, 1e-5);
        CHECK(distance(values(still), normalized(values(x), running, 10, values(w), values(b),
                                                 1e-5)) < tolerance(dtype));
        CHECK(values(mean) == old_mean);  // evaluation changes nothing

        const Tensor y = batch_norm(x, w, b, mean, var, true, 0.1, 1e-5);
        CHECK(y.dtype() == dtype);
        CHECK(y.is_contiguous(format));
        CHECK(distance(values(y), normalized(values(x), m, 10, values(w), values(b), 1e-5)) <
              4 * tolerance(dtype));
        Values moved_mean, moved_var;
        for (std::size_t c = 0; c < 70; ++c) {
          moved_mean.push_back(0.9 * old_mean[c] + 0.1 * m.mean[c]);
          moved_var.push_back(0.9 * old_var[c] + 0.1 * m.var[c] * m.count / (m.count - 1));
        }
        CHECK(distance(values(mean), moved_mean) < 1e-6);
        CHECK(distance(values(var), moved_var) < 1e-6);
      }
}

TEST_CASE("batch_norm: two and three dimensions, no parameters, strided input, large means") {
  for (const Device device : all_devices()) {
    const Values one(6, 1.0), zero(6, 0.0);
    const Tensor flat = filled({9, 6}).to(device), line = filled({4, 6, 7}).to(device);
    const auto plain = [](const Tensor& x) {
      return batch_norm(x, {}, {}, {}, {}, true, 0.1, 1e-5);
    };
    CHECK(distance(values(plain(flat)), normalized(values(flat), moments(values(flat), 9, 6, 1), 1,
                                                   one, zero, 1e-5)) < 1e-11);
    CHECK(distance(values(plain(line)), normalized(values(line), moments(values(line), 4, 6, 7), 7,
                                                   one, zero, 1e-5)) < 1e-11);
    CHECK(distance(values(plain(strided(line))), values(plain(line))) < 1e-12);
    CHECK(plain(line.slice(0, 0, 0)).sizes() == IntArrayRef({0, 6, 7}));
    // A mean of 1000 with a spread of 1: the float32 sum of squares would have no digits left.
    const Tensor far = (filled({64, 6, 7}, kFloat).to(device) + 1000);
    const Values expected =
        normalized(values(far), moments(values(far), 64, 6, 7), 7, one, zero, 1e-5);
    CHECK(distance(values(plain(far)), expected) < 1e-3);
  }
}

TEST_CASE("gradients of batch_norm, and theirs") {
  for (const Device device : all_devices()) {
    INFO(device);
    const Tensor x = filled({2, 2, 3, 3}).to(device), w = filled({2}, kDouble, 2).to(device),
                 b = filled({2}, kDouble, 3).to(device);
    const Tensor mean = filled({2}, kDouble, 4).to(device),
                 var = (filled({2}, kDouble, 5) + 2).to(device);
    check_gradients(
        [](const TensorList& in) {
          return batch_norm(in[0], in[1], in[2], {}, {}, true, 0.1, 1e-5);
        },
        {x, w, b});
    check_gradients(
        [](const TensorList& in) { return batch_norm(in[0], {}, {}, {}, {}, true, 0.1, 1e-5); },
        {x});
    check_gradients(
        [](const TensorList& in) {
          return batch_norm(in[0].to(MemoryFormat::ChannelsLast), in[1], in[2], {}, {}, true, 0.1,
                            1e-5);
        },
        {x, w, b});
    check_gradients(
        [&](const TensorList& in) {
          return batch_norm(in[0], in[1], in[2], mean, var, false, 0.1, 1e-5);
        },
        {x, w, b});
  }
}

TEST_CASE("invalid arguments of normalization are errors that name them") {
  const Tensor x = empty({4, 3, 2, 2}), c = empty({3}), d = empty({2});
  CHECK_THROWS_WITH(batch_norm(x, d, c, c, c, true, 0.1, 1e-5),
                    "batch_norm: \"weight\" must have sizes [3], one number per channel of "
                    "\"input\", but has [2]");
  CHECK_THROWS_AS(batch_norm(empty({4}), {}, {}, {}, {}, true, 0.1, 1e-5), ShapeError);
  CHECK_THROWS_AS(batch_norm(x, {}, {}, {}, {}, false, 0.1, 1e-5), Error);
  CHECK_THROWS_AS(batch_norm(x, {}, {}, c, {}, true, 0.1, 1e-5), Error);
  CHECK_THROWS_WITH(
      batch_norm(empty({1, 3}), {}, {}, {}, {}, true, 0.1, 1e-5),
      "batch_norm: training needs more than one value per channel but \"input\" has sizes [1, 3]; "
      "use a larger batch");
  CHECK_THROWS_AS(batch_norm(x.to(kLong), {}, {}, {}, {}, true, 0.1, 1e-5), DtypeError);
  CHECK_THROWS_WITH(
      batch_norm(x, c, c, c.to("sim:0"), c, true, 0.1, 1e-5),
      Catch::Contains("batch_norm: \"running_mean\" is on sim:0 but \"input\" is on cpu"));
}

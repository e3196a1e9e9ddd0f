// Pooling against plain loops: layouts, types, devices, NaN, padding, ceil_mode; gradients and
// theirs against differences; the text of every error.
#include "reference.h"

using namespace td;
using namespace reference;

namespace {

struct Window {
  std::int64_t kernel, stride, padding, dilation;
  bool ceil;
};

// Calls f(output, y * w + x) for every input pixel under every output's window. The image is h x w.
template <class F>
std::int64_t each(std::int64_t h, std::int64_t w, const Window& p, F f) {
  const auto count = [&](std::int64_t size) {
    const std::int64_t rest = size + 2 * p.padding - p.dilation * (p.kernel - 1) - 1;
    std::int64_t n = (p.ceil ? (rest + p.stride - 1) / p.stride : rest / p.stride) + 1;
    return p.ceil && (n - 1) * p.stride >= size + p.padding ? n - 1 : n;
  };
  const std::int64_t oh = count(h), ow = count(w);
  for (std::int64_t y = 0; y < oh; ++y)
    for (std::int64_t x = 0; x < ow; ++x)
      for (std::int64_t r = 0; r < p.kernel; ++r)
        for (std::int64_t s = 0; s < p.kernel; ++s) {
          const std::int64_t row = y * p.stride - p.padding + r * p.dilation;
          const std::int64_t column = x * p.stride - p.padding + s * p.dilation;
          if (row >= 0 && row < h && column >= 0 && column < w)
            f(static_cast<std::size_t>(y * ow + x), row * w + column);
        }
  return oh * ow;
}

const std::vector<Window> kWindows{{2, 2, 0, 1, false}, {3, 2, 1, 1, false}, {3, 2, 1, 1, true},
                                   {2, 3, 0, 1, true},  {3, 1, 1, 2, false}, {2, 1, 0, 1, false}};

// The maxima of x, plane by plane, and where they are.
std::pair<Values, Values> largest(const Values& x, std::int64_t planes, std::int64_t h,
                                  std::int64_t w, const Window& p) {
  Values value, place;
  for (std::int64_t i = 0; i < planes; ++i) {
    const double* plane = x.data() + i * h * w;
    Values v(4000, -INFINITY), at(4000, -1);
    const std::int64_t n = each(h, w, p, [&](std::size_t o, std::int64_t pixel) {
      if (plane[pixel] > v[o] || std::isnan(plane[pixel]) || at[o] < 0) {
        v[o] = plane[pixel];
        at[o] = static_cast<double>(pixel);
      }
    });
    value.insert(value.end(), v.begin(), v.begin() + n);
    place.insert(place.end(), at.begin(), at.begin() + n);
  }
  return {value, place};
}

}  // namespace

TEST_CASE("max_pool2d: values, indices and gradients, every layout and type") {
  for (const Device device : all_devices())
    for (const ScalarType dtype : {kFloat, kDouble, kHalf, kBFloat16})
      for (const MemoryFormat format : {MemoryFormat::Contiguous, MemoryFormat::ChannelsLast})
        for (std::size_t i = 0; i < kWindows.size(); ++i) {
          const Window p = kWindows[i];
          INFO(device << " " << dtype << " window " << i
                      << (format == MemoryFormat::ChannelsLast ? " channels last" : ""));
          const Tensor x =
              filled({2, 3, 7, 8}, dtype).to(device).to(format).detach().requires_grad_();
          const auto [value, place] = largest(values(x), 6, 7, 8, p);
          const auto [y, index] =
              max_pool2d_with_indices(x, p.kernel, p.stride, p.padding, p.dilation, p.ceil);
          CHECK(values(y) == value);
          CHECK(values(index) == place);
          CHECK(index.dtype() == kLong);
          CHECK(y.is_contiguous(format));
          CHECK(values(max_pool2d(x, p.kernel, p.stride, p.padding, p.dilation, p.ceil)) == value);
          const Tensor g = filled(y.sizes(), dtype, 4).to(device);
          y.backward(g);
          Values expected(6 * 56, 0.0);
          const Values gs = values(g);
          for (std::size_t o = 0; o < gs.size(); ++o)
            expected[o / (gs.size() / 6) * 56 + static_cast<std::size_t>(place[o])] += gs[o];
          const double close = dtype == kDouble ? 1e-12 : dtype == kFloat ? 1e-6 : 5e-2;
          CHECK(distance(values(x.grad()), expected) < close);
        }
}

TEST_CASE("max_pool2d: more outputs and channels than are worked on at once") {
  for (const Device device : all_devices())
    for (const MemoryFormat format : {MemoryFormat::Contiguous, MemoryFormat::ChannelsLast})
      for (const Window p : {Window{2, 1, 0, 1, false}, Window{3, 1, 1, 1, false}}) {
        const Tensor x = filled({1, 70, 10, 9}, kFloat).to(device).to(format);
        const auto [value, place] = largest(values(x), 70, 10, 9, p);
        const auto [y, index] = max_pool2d_with_indices(x, p.kernel, p.stride, p.padding);
        CHECK(values(y) == value);
        CHECK(values(index) == place);
      }
}

TEST_CASE("max_pool2d: long rows, every stride, dilated windows") {
  for (const Device device : all_devices())
    for (const std::int64_t stride : {1, 2, 3, 8, 9})
      for (const std::int64_t dilation : {1, 2, 5})
        for (const std::int64_t width : {150, 66, 21}) {
          INFO(device << " stride " << stride << " dilation " << dilation << " width " << width);
          const Window p{3, stride, 1, dilation, stride == 3};
          const Tensor x = filled({3, 5, 13, width}, kFloat).to(device);
          const auto [value, place] = largest(values(x), 15, 13, width, p);
          const auto [y, index] =
              max_pool2d_with_indices(x, p.kernel, p.stride, p.padding, p.dilation, p.ceil);
          CHECK(values(y) == value);
          CHECK(values(index) == place);
        }
}

TEST_CASE("max_pool2d: windows of 256 elements, the most a byte can index, and of more") {
  for (const Device device : all_devices())
    for (const MemoryFormat format : {MemoryFormat::Contiguous, MemoryFormat::ChannelsLast})
      for (const std::int64_t kernel : {16, 17}) {
        INFO(device << " kernel " << kernel);
        const Window p{kernel, 3, 5, 1, true};
        Tensor host = filled({2, 3, 21, 20}, kFloat);
        // The largest of each picture, in the last place of a window and in the first of another.
        for (int plane = 0; plane < 6; ++plane) {
          host.data_ptr<float>()[plane * 420 + (kernel - 3) * 20 + kernel - 3] = 100;
          host.data_ptr<float>()[plane * 420 + 4 * 20 + 4] = 50;
        }
        const Tensor x = host.to(device).to(format).detach().requires_grad_();
        const auto [value, place] = largest(values(x), 6, 21, 20, p);
        const auto [y, index] = max_pool2d_with_indices(x, kernel, 3, 5, 1, true);
        CHECK(values(y) == value);
        CHECK(values(index) == place);
        y.sum().backward();
        Values times(6 * 420, 0.0);
        for (std::size_t o = 0; o < place.size(); ++o)
          times[o / (place.size() / 6) * 420 + static_cast<std::size_t>(place[o])] += 1;
        CHECK(values(x.grad()) == times);
      }
  CHECK_THROWS_WITH(
      max_pool2d(empty({1, 1, 9, 9}), 60000, 1, 30000),
      "max_pool2d: kernel_size [60000] makes windows of 3600000000 elements; fewer than "
      "2147483648 are possible");
}

TEST_CASE("max_pool2d: a window that is completely outside") {
  for (const Device device : all_devices())
    for (const MemoryFormat format : {MemoryFormat::Contiguous, MemoryFormat::ChannelsLast}) {
      // Its rows are -1 and 9 of 9, so it sees nothing; its place must still be one of the image.
      const Tensor x = filled({1, 2, 9, 9}, kFloat).to(device).to(format);
      const Tensor input = x.detach().requires_grad_();
      const auto [y, index] = max_pool2d_with_indices(input, 2, 2, 1, 10);
      CHECK(values(y) == Values{-INFINITY, -INFINITY});
      for (const double place : values(index)) CHECK((place >= 0 && place < 81));
      y.backward(td::ones_like(y));
      CHECK(values(input.grad().sum()) == Values{2});
    }
}

TEST_CASE("max_pool2d: NaN wins, minus infinity is a value, the first of equals is taken") {
  for (const Device device : all_devices())
    for (const MemoryFormat format : {MemoryFormat::Contiguous, MemoryFormat::ChannelsLast}) {
      Tensor host = td::empty({1, 2, 2, 4}).fill_(-INFINITY);
      host.data_ptr<float>()[1] = NAN;
      host.data_ptr<float>()[4] = 5;
      const auto [y, index] = max_pool2d_with_indices(host.to(device).to(format), 2);
      const Values v = values(y);
      CHECK(std::isnan(v[0]));
      CHECK(v[1] == -INFINITY);
      CHECK(values(index) == Values{1, 2, 0, 2});
    }
}

TEST_CASE("avg_pool2d: padding counted or not, a divisor, ceil_mode") {
  for (const Device device : all_devices())
    for (const MemoryFormat format : {MemoryFormat::Contiguous, MemoryFormat::ChannelsLast})
      for (const Window p : kWindows) {
        if (p.dilation != 1) continue;
        const Tensor x = filled({2, 3, 7, 8}, kFloat).to(device).to(format);
        const Values xs = values(x);
        Values sums, counts;
        for (int i = 0; i < 6; ++i) {
          Values sum(1000), count(1000);
          const std::int64_t n = each(7, 8, p, [&](std::size_t o, std::int64_t pixel) {
            sum[o] += xs[static_cast<std::size_t>(i * 56 + pixel)];
            count[o] += 1;
          });
          sums.insert(sums.end(), sum.begin(), sum.begin() + n);
          counts.insert(counts.end(), count.begin(), count.begin() + n);
        }
        Values inside, divided;
        for (std::size_t o = 0; o < sums.size(); ++o) {
          inside.push_back(sums[o] / counts[o]);
          divided.push_back(sums[o] / 3);
        }
        CHECK(distance(values(avg_pool2d(x, p.kernel, p.stride, p.padding, p.ceil, false)),
                       inside) < 1e-6);
        CHECK(distance(values(avg_pool2d(x, p.kernel, p.stride, p.padding, p.ceil, true, 3)),
                       divided) < 1e-6);
        CHECK(avg_pool2d(x, p.kernel, p.stride).is_contiguous(format));
      }
  // Counted padding: the corner of ones sees 4 of 9; what lies beyond the padding is not counted.
  const Tensor ones = td::empty({1, 1, 4, 4}).fill_(1);
  CHECK(values(avg_pool2d(ones, 3, 2, 1))[0] == Approx(4.0 / 9));
  CHECK(values(avg_pool2d(ones, 3, 2, 0, /*ceil_mode=*/true)).back() == Approx(1.0));
}

TEST_CASE("adaptive_avg_pool2d splits the image evenly") {
  for (const Device device : all_devices()) {
    const Tensor x = filled({2, 3, 5, 7}).to(device);
    CHECK(distance(values(adaptive_avg_pool2d(x, 1)), values(x.mean({2, 3}))) < 1e-12);
    CHECK(distance(values(adaptive_avg_pool2d(x, {5, 7})), values(x)) < 1e-15);
    const Tensor last = adaptive_avg_pool2d(x.to(MemoryFormat::ChannelsLast), 1);
    CHECK(last.is_contiguous(MemoryFormat::ChannelsLast));
    CHECK(last.stride(2) == x.size(1));  // as libtorch strides it
    const Tensor y = adaptive_avg_pool2d(x, {2, 3});
    REQUIRE(y.sizes() == IntArrayRef({2, 3, 2, 3}));
    // Rows 0..2 and 2..4; columns 0..2, 2..4, 4..6.
    for (int r = 0; r < 2; ++r)
      for (int c = 0; c < 3; ++c) {
        const Tensor part = x.slice(2, 2 * r, 2 * r + 3).slice(3, 2 * c, 2 * c + 3).mean({2, 3});
        CHECK(distance(values(y.select(3, c).select(2, r)), values(part)) < 1e-12);
      }
    check_gradients(
        [](const TensorList& in) {
          return adaptive_avg_pool2d(in[0], {3, 2});
        },
        {filled({1, 2, 5, 3}).to(device)});
  }
}

TEST_CASE("gradients of pooling, and theirs") {
  for (const Device device : all_devices()) {
    INFO(device);
    const Tensor x = filled({1, 2, 5, 4}).to(device);
    check_gradients([](const TensorList& in) { return max_pool2d(in[0], 3, 2, 1); }, {x});
    check_gradients(
        [](const TensorList& in) { return max_pool2d(in[0].to(MemoryFormat::ChannelsLast), 2, 1); },
        {x});
    check_gradients([](const TensorList& in) { return avg_pool2d(in[0], 3, 2, 1, true); }, {x});
    check_gradients(
        [](const TensorList& in) {
          return avg_pool2d(in[0], {2, 3}, 1, 0, false, false, 5);
        },
        {x});
  }
}

TEST_CASE("pooling: one image, an empty batch, strided input, one channel or pixel") {
  const Tensor x = filled({2, 1, 6, 6}, kFloat);
  CHECK(max_pool2d(x[0], 2).sizes() == IntArrayRef({1, 3, 3}));
  CHECK(max_pool2d(x.slice(0, 0, 0), 2).sizes() == IntArrayRef({0, 1, 3, 3}));
  CHECK(values(max_pool2d(strided(x), 2)) == values(max_pool2d(x, 2)));
  CHECK(values(max_pool2d(x.to(MemoryFormat::ChannelsLast), 2)) == values(max_pool2d(x, 2)));
  const Tensor whole = filled({2, 5, 3, 3}, kFloat);
  const Tensor last = whole.to(MemoryFormat::ChannelsLast).detach().requires_grad_();
  const Tensor y = max_pool2d(last, 3);
  CHECK(values(y) == largest(values(whole), 10, 3, 3, {3, 3, 0, 1, false}).first);
  y.sum().backward();
  CHECK(last.grad().sum().item<double>() == 10);
  CHECK(values(last.grad() * last.detach()).size() == 90);
  CHECK((last.grad() * last.detach()).sum().item<double>() == Approx(y.sum().item<double>()));
}

TEST_CASE("invalid arguments of pooling are errors that name them") {
  const Tensor x = empty({2, 3, 8, 8});
  CHECK_THROWS_WITH(max_pool2d(x, 3, 1, 2),
                    "max_pool2d: padding [2] is more than half of kernel_size [3], so some "
                    "windows would be empty");
  CHECK_THROWS_WITH(
      max_pool2d(x, 9),
      "max_pool2d: the window of 9 does not fit the height 8 of \"input\" with padding 0");
  CHECK_THROWS_AS(max_pool2d(empty({8, 8}), 2), ShapeError);
  CHECK_THROWS_AS(max_pool2d(x, 0), ShapeError);
  CHECK_THROWS_AS(max_pool2d(x, 2, 0), ShapeError);
  CHECK_THROWS_AS(max_pool2d(x.to(kLong), 2), DtypeError);
  CHECK_THROWS_AS(avg_pool2d(x, 2, 2, 0, false, true, 0), ShapeError);
  CHECK_THROWS_AS(adaptive_avg_pool2d(x, 0), ShapeError);
  CHECK_THROWS_AS(max_pool2d(Tensor(), 2), Error);
}

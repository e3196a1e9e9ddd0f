// Products and convolutions of 16-bit numbers, in each way in which this host can make them: all
// must agree with float64 loops to the rounding of the result, which is what float sums promise.
#include "../reference.h"
#include "catch.h"
#include "libs/host_libs.h"
#include "td/td.h"

using namespace td;
using namespace reference;
using kernels::Bfloat16Products;

namespace {

// The ways that this processor and this build have.
std::vector<Bfloat16Products> ways() {
  std::vector<Bfloat16Products> list;
  const Bfloat16Products usual = kernels::bfloat16_products();
  for (const auto way :
       {Bfloat16Products::kCopied, Bfloat16Products::kConverted, Bfloat16Products::kNative}) {
    try {
      kernels::set_bfloat16_products(way);
      list.push_back(way);
    } catch (const Error&) {
    }
  }
  kernels::set_bfloat16_products(usual);
  return list;
}

// Goes back to the usual way.
class Way {
 public:
  explicit Way(Bfloat16Products way) : usual_(kernels::bfloat16_products()) {
    kernels::set_bfloat16_products(way);
  }
  ~Way() { kernels::set_bfloat16_products(usual_); }
  Way(const Way&) = delete;
  Way& operator=(const Way&) = delete;

 private:
  Bfloat16Products usual_;
};

// Calls `check` for half, and for bfloat16 in each way.
template <class Check>
void for_each_way(Check check) {
  check(kHalf);
  for (const Bfloat16Products way : ways()) {
    INFO("way " << static_cast<int>(way));
    const Way chosen(way);
    check(kBFloat16);
  }
}

double unit(ScalarType dtype) { return dtype == kHalf ? 0x1p-11 : 0x1p-8; }

// A result that was summed in float is half a unit of its last digit off, and what float's own
// rounding adds: 2^-24 for each product.
void check_rounded_once(const Tensor& result, const Values& exact, const Values& magnitudes) {
  const Values got = values(result);
  REQUIRE(got.size() == exact.size());
  const double rounding = unit(result.dtype());
  for (std::size_t i = 0; i < got.size(); ++i) {
    const double tolerated = rounding * std::abs(exact[i]) + magnitudes[i] * 0x1p-18;
    if (std::abs(got[i] - exact[i]) <= tolerated) continue;  // also false for NaN
    FAIL_CHECK("element " << i << ": expected " << exact[i] << ", got " << got[i]);
    break;
  }
}

struct Product {
  Values exact, magnitudes;
};
Product product(const Values& a, const Values& b, std::int64_t m, std::int64_t k, std::int64_t n) {
  Product p{Values(m * n), Values(m * n)};
  for (std::int64_t i = 0; i < m; ++i)
    for (std::int64_t j = 0; j < n; ++j)
      for (std::int64_t d = 0; d < k; ++d) {
        p.exact[i * n + j] += a[i * k + d] * b[d * n + j];
        p.magnitudes[i * n + j] += std::abs(a[i * k + d] * b[d * n + j]);
      }
  return p;
}

Tensor columns(const Tensor& x) { return x.t().contiguous().t(); }

}  // namespace

TEST_CASE("16-bit matrix products are summed in float and rounded once, transposed or not") {
  const std::int64_t sizes[][3] = {{1, 1, 1},    {3, 5, 2},   {17, 31, 33}, {1, 1023, 7},
                                   {64, 70, 10}, {10, 64, 9}, {33, 1, 65},  {128, 512, 64}};
  for_each_way([&](ScalarType dtype) {
    for (const Device device : all_devices())
      for (const auto& [m, k, n] : sizes) {
        INFO(device << " " << dtype << " " << m << " " << k << " " << n);
        const Tensor a = filled({m, k}, dtype).to(device), b = filled({k, n}, dtype, 2).to(device);
        const Product p = product(values(a), values(b), m, k, n);
        check_rounded_once(mm(a, b), p.exact, p.magnitudes);
        check_rounded_once(mm(columns(a), b), p.exact, p.magnitudes);
        check_rounded_once(mm(a, columns(b)), p.exact, p.magnitudes);
        check_rounded_once(mm(columns(a), columns(b)), p.exact, p.magnitudes);
        check_rounded_once(mm(strided(a), strided(b)), p.exact, p.magnitudes);
      }
  });
}

TEST_CASE("a long 16-bit sum loses nothing: 4096 times 1, then 1") {
  // Summed in bfloat16, which has 8 bits, it would stop at 256; in half at 2048.
  for_each_way([](ScalarType dtype) {
    for (const Device device : all_devices()) {
      const Tensor row = ones({2, 4096}, TensorOptions(dtype).device(device));
      CHECK(mm(row, row.t()).to(kFloat)[1][0].item<float>() == 4096);
      CHECK(linear(row, row, ones({2}, row.options())).dtype() == dtype);
    }
  });
}

TEST_CASE("16-bit linear, bmm and addmm: bias, shared matrices, alpha and beta") {
  for_each_way([](ScalarType dtype) {
    for (const Device device : all_devices()) {
      INFO(device << " " << dtype);
      const Tensor x = filled({9, 35}, dtype).to(device), w = filled({6, 35}, dtype, 2).to(device),
                   b = filled({6}, dtype, 3).to(device);
      Product p = product(values(x), values(w.t()), 9, 35, 6);
      Product biased = p;
      for (std::size_t i = 0; i < 54; ++i) biased.exact[i] += values(b)[i % 6];
      check_rounded_once(linear(x, w), p.exact, p.magnitudes);
      check_rounded_once(linear(x, w, b), biased.exact, biased.magnitudes);
      Product scaled = p;
      for (std::size_t i = 0; i < 54; ++i)
        scaled.exact[i] = 0.5 * p.exact[i] - 2 * values(b)[i % 6];
      check_rounded_once(addmm(b, x, w.t(), -2, 0.5), scaled.exact, p.magnitudes);
      const Tensor many = filled({3, 9, 35}, dtype, 4).to(device), one = w.t().expand({3, 35, 6}),
                   each = filled({3, 35, 6}, dtype, 5).to(device);
      for (int i = 0; i < 3; ++i) {
        const Product shared = product(values(many[i]), values(w.t()), 9, 35, 6),
                      own = product(values(many[i]), values(each[i]), 9, 35, 6);
        check_rounded_once(bmm(many, one)[i], shared.exact, shared.magnitudes);
        check_rounded_once(bmm(many, each)[i], own.exact, own.magnitudes);
      }
      CHECK(values(mm(filled({2, 0}, dtype).to(device), filled({0, 3}, dtype).to(device))) ==
            Values(6, 0.0));
      CHECK(linear(filled({0, 35}, dtype).to(device), w, b).sizes() == IntArrayRef({0, 6}));
    }
  });
}

TEST_CASE("16-bit products pass on infinity and NaN, and overflow to infinity") {
  for_each_way([](ScalarType dtype) {
    INFO(dtype);
    const float huge = dtype == kHalf ? 65504.0f : 3.38e38f;
    const Tensor a = tensor({huge, huge, INFINITY, 0.0f, NAN, 1.0f}).view({3, 2}).to(dtype);
    const Values y = values(mm(a, ones({2, 1}, a.options())));
    CHECK(y[0] == INFINITY);
    CHECK(y[1] == INFINITY);
    CHECK(std::isnan(y[2]));
    // The sum overflows on the way, but not at its end: float has the room for half.
    if (dtype == kHalf)
      CHECK(values(mm(a.slice(0, 0, 1), tensor({2.0f, -2.0f}).view({2, 1}).to(dtype)))[0] == 0);
  });
}

TEST_CASE("gradients of 16-bit linear and conv2d have the 16-bit type and are rounded once") {
  for_each_way([](ScalarType dtype) {
    for (const Device device : all_devices()) {
      INFO(device << " " << dtype);
      const Tensor x = filled({33, 17}, dtype).to(device).requires_grad_(),
                   w = filled({10, 17}, dtype, 2).to(device).requires_grad_(),
                   b = filled({10}, dtype, 3).to(device).requires_grad_();
      const Tensor g = filled({33, 10}, dtype, 4).to(device);
      linear(x, w, b).backward(g);
      const Product dx = product(values(g), values(w), 33, 10, 17),
                    dw = product(values(g.t()), values(x), 10, 33, 17),
                    db = product(Values(33, 1.0), values(g), 1, 33, 10);
      CHECK(w.grad().dtype() == dtype);
      check_rounded_once(x.grad(), dx.exact, dx.magnitudes);
      check_rounded_once(w.grad(), dw.exact, dw.magnitudes);
      check_rounded_once(b.grad(), db.exact, db.magnitudes);
    }
  });
}

TEST_CASE("16-bit conv2d and its gradients agree with those of float64 in each way and layout") {
  for_each_way([](ScalarType dtype) {
    for (const Device device : all_devices())
      for (const auto format : {MemoryFormat::Contiguous, MemoryFormat::ChannelsLast}) {
        INFO(device << " " << dtype << " " << (format == MemoryFormat::ChannelsLast));
        const Tensor x = filled({2, 6, 9, 7}, dtype).to(device).to(format),
                     w = filled({16, 3, 3, 3}, dtype, 2).to(device).to(format),
                     b = filled({16}, dtype, 3).to(device);
        TensorList narrow, wide;
        for (const Tensor& t : {x, w, b}) {
          narrow.push_back(t.detach().requires_grad_());
          wide.push_back(t.to(kCPU, kDouble).contiguous().requires_grad_());
        }
        const Tensor y = conv2d(narrow[0], narrow[1], narrow[2], {2, 1}, 1, 1, 2),
                     exact = conv2d(wide[0], wide[1], wide[2], {2, 1}, 1, 1, 2);
        const Tensor g = filled(y.sizes(), dtype, 4);
        y.backward(g.to(device));
        exact.backward(g.to(kDouble));
        CHECK(y.is_contiguous(format));
        Values sizes(exact.numel(), 30.0);
        if (device.is_cuda()) {  // cuDNN's sum is rounded before the bias is added
          const Values sums = values(exact - wide[2].view({16, 1, 1}));
          for (std::size_t i = 0; i < sizes.size(); ++i)
            sizes[i] += std::abs(sums[i]) * unit(dtype) * 0x1p18;
        }
        check_rounded_once(y, values(exact), sizes);
        for (std::size_t i = 0; i < 3; ++i) {
          CHECK(narrow[i].grad().dtype() == dtype);
          check_rounded_once(narrow[i].grad(), values(wide[i].grad()),
                             Values(wide[i].numel(), 60.0));
        }
      }
  });
}

TEST_CASE("the method of bfloat16 products is one that the processor has, and can be set") {
  const auto list = ways();
  CHECK(list.front() == Bfloat16Products::kCopied);
  CHECK(std::find(list.begin(), list.end(), kernels::bfloat16_products()) != list.end());
  if (list.back() != Bfloat16Products::kNative)
    CHECK_THROWS_WITH(kernels::set_bfloat16_products(Bfloat16Products::kNative),
                      "bfloat16: this processor, or this build, has no instructions that multiply "
                      "bfloat16");
}

// Integer, rounding and half functions, vector types and memory of kernels, against definitions
// that are written out here.
#include <cfenv>
#include <cmath>
#include <cstring>
#include <random>

#include "../machine/marks.h"
#include "../machine/observed.h"
#include "catch.h"
#include "kernels.h"

using namespace td;
using simt::launch;

namespace {

using Word = std::uint32_t;

Tensor words(const std::vector<Word>& values) {
  Tensor tensor = empty({static_cast<std::int64_t>(values.size())}, kInt);
  std::memcpy(tensor.data_ptr(), values.data(), 4 * values.size());
  return tensor.to("sim:0");
}

int byte(Word w, int i) { return static_cast<int>(w >> 8 * i & 0xff); }
int signed_byte(Word w, int i) { return static_cast<std::int8_t>(byte(w, i)); }

/// Puts f(i) of each byte i together.
template <class F>
Word bytes(F f) {
  Word word = 0;
  for (int i = 0; i < 4; ++i) word |= (static_cast<Word>(f(i)) & 0xff) << 8 * i;
  return word;
}

Word third_set_bit(Word x) {
  for (Word i = 0, count = 0; i < 32; ++i)
    if (x >> i & 1 && ++count == 3) return i;
  return ~0u;
}

std::vector<Word> expected_integers(Word x, Word y) {
  Word dot = 5, unsigned_dot = 5, differences = 0, reversed = 0;
  for (int i = 0; i < 4; ++i) {
    dot += static_cast<Word>(signed_byte(x, i) * signed_byte(y, i));
    unsigned_dot += static_cast<Word>(byte(x, i) * byte(y, i));
    differences += static_cast<Word>(std::abs(byte(x, i) - byte(y, i)));
  }
  for (int i = 0; i < 32; ++i) reversed |= (x >> i & 1) << (31 - i);
  const auto low = static_cast<std::int16_t>(x), other_low = static_cast<std::int16_t>(y);
  const auto high = static_cast<std::int16_t>(x >> 16), other = static_cast<std::int16_t>(y >> 16);
  const std::int64_t sum = std::int64_t{static_cast<int>(x)} + static_cast<int>(y);
  return {
      (x & 0xffffff) * (y & 0xffffff),
      static_cast<Word>(byte(y, 0)) | (byte(y, 0) > 127 ? 0xff00u : 0) |
          static_cast<Word>(byte(x, 1)) << 16 | static_cast<Word>(byte(y, 3)) << 24,
      (y << 7 | x >> 25) + y,
      dot,
      unsigned_dot,
      bytes([&](int i) { return byte(x, i) + byte(y, i); }),
      bytes([&](int i) { return std::clamp(signed_byte(x, i) - signed_byte(y, i), -128, 127); }),
      ((x & 0xffff) > (y & 0xffff) ? 0xffffu : 0) | (x >> 16 > y >> 16 ? 0xffff0000u : 0),
      bytes([&](int i) { return std::abs(byte(x, i) - byte(y, i)); }),
      Word{static_cast<std::uint16_t>(std::max(low, other_low))} |
          Word{static_cast<std::uint16_t>(std::max(high, other))} << 16,
      static_cast<Word>(std::uint64_t{x} * y),
      static_cast<Word>((sum + 1) >> 1),
      1 + (x > y ? x - y : y - x),
      third_set_bit(x),
      reversed,
      differences + bytes([&](int i) { return (byte(x, i) + byte(y, i) + 1) / 2; })};
}

/// The number next to `exact` in the direction, found from the number that is nearest.
float rounded(double exact, int mode) {
  const float near = static_cast<float>(exact);
  const bool above = static_cast<double>(near) > exact, below = static_cast<double>(near) < exact;
  const bool goes_up = mode == FE_UPWARD || (mode == FE_TOWARDZERO && exact < 0);
  if (above && !goes_up) return std::nextafterf(near, -INFINITY);
  if (below && goes_up) return std::nextafterf(near, INFINITY);
  return near;
}

/// All numbers of a 16-bit type are floats, so the nearest one is found by a search.
template <class H>
float nearest(double x) {
  float best = 0;
  double distance = INFINITY;
  for (int bits = 0; bits < 0x10000; ++bits) {
    H h;
    h.bits = static_cast<std::uint16_t>(bits);
    const double d = std::fabs(static_cast<double>(float(h)) - x);
    if (d < distance || (d == distance && bits % 2 == 0)) distance = d, best = h;
  }
  return best;
}

template <class H, class H2>
void check_half_functions(ScalarType type) {
  std::vector<float> numbers(64);
  std::mt19937 random(7);
  for (float& x : numbers) x = nearest<H>(std::uniform_real_distribution<double>(-4, 4)(random));
  const Tensor in = tensor(numbers).to(type).to("sim:0"), out = sim_zeros({32, 16}, type);
  const Tensor floats = sim_zeros({32}, kFloat), flags = sim_zeros({32});
  const auto work = [&] {
    launch<half_functions<H, H2>>({.grid = 1, .block = 32}, in, out, floats, flags);
  };
  CHECK(findings_of(work).empty());
  const Tensor results = out.cpu().to(kFloat);
  for (int i = 0; i < 32; ++i) {
    const double a = numbers[2 * i], b = numbers[2 * i + 1];
    const double c = numbers[2 * (i ^ 1)], d = numbers[2 * (i ^ 1) + 1];
    const auto clamp = [](double x) { return std::clamp(x, 0.0, 1.0); };
    const auto r = [](double x) { return static_cast<double>(nearest<H>(x)); };
    const double expected[] = {a + b,
                               a * b + a,
                               std::max(a, b),
                               std::fabs(a),
                               clamp(a * b),
                               std::exp2(a),
                               std::sqrt(std::fabs(b)),
                               std::floor(a),
                               a * a + b,
                               b * b + a,
                               r(a * a) - a,
                               r(b * b) - b,
                               a > b ? 1.0 : 0.0,
                               b > a ? 1.0 : 0.0,
                               c,
                               d};
    for (int j = 0; j < 16; ++j) {
      INFO("lane " << i << ", result " << j);
      CHECK(results[i][j].item<float>() == nearest<H>(expected[j]));
    }
    CHECK(floats.cpu()[i].item<float>() == 2 * nearest<H>(a + b));
    CHECK(ints(flags)[i] == (a > b) + 2 + 8);
  }
}

}  // namespace

TEST_CASE("Integer functions give what their definitions say") {
  std::mt19937 random(3);
  std::vector<Word> a(64), b(64);
  for (Word& x : a) x = static_cast<Word>(random());
  for (Word& x : b) x = static_cast<Word>(random());
  const Tensor out = sim_zeros({64, 16});
  launch<integers>(block_of(64), words(a), words(b), out);
  for (int i = 0; i < 64; ++i) {
    const std::vector<int> got = ints(out[i]);
    CHECK(std::vector<Word>(got.begin(), got.end()) == expected_integers(a[i], b[i]));
  }
}

TEST_CASE("Arithmetic with a stated rounding is the exact result, rounded so") {
  std::mt19937 random(5);
  std::uniform_real_distribution<float> number(0.1f, 9);
  std::vector<float> a(64), b(64);
  for (float& x : a) x = number(random);
  for (float& x : b) x = number(random) / 1000;
  const Tensor out = sim_zeros({64, 12}, kFloat), whole = sim_zeros({64, 4});
  launch<roundings>(block_of(64), tensor(a).to("sim:0"), tensor(b).to("sim:0"), out, whole);
  const Tensor results = out.cpu();
  constexpr int kUp = FE_UPWARD, kDown = FE_DOWNWARD, kZero = FE_TOWARDZERO;
  for (int i = 0; i < 64; ++i) {
    const double x = a[i], y = b[i];
    const float expected[] = {
        rounded(x + y, kZero),   rounded(x + y, kUp),      rounded(x + y, kDown),
        rounded(x * y, kZero),   rounded(x / y, kUp),      rounded(std::sqrt(x), kDown),
        rounded(x * y + x, kUp), rounded(1 / x, kDown),    rounded(x - y, kUp),
        rounded(1.0 / 3, kDown), rounded(0x1p40 + 1, kUp), 0x1p-52f};
    for (int j = 0; j < 12; ++j) CHECK(results[i][j].item<float>() == expected[j]);
    CHECK(ints(whole[i]) ==
          std::vector{
              static_cast<int>(std::nearbyint(x)), static_cast<int>(std::ceil(x)),
              static_cast<int>(std::floor(x)),
              0x7fffffff * (x * 1e10 > 2147483647.0) + 1000000000 * (x * 1e10 <= 2147483647.0)});
  }
}

TEST_CASE("Special functions are inverses, or have known values") {
  const std::vector<double> x = {0.001, 0.25, 0.5, 0.75, 0.999};
  const Tensor out = sim_zeros({5, 8}, kDouble);
  launch<functions>(block_of(5), tensor(x, kDouble).to("sim:0"), out);
  const Tensor results = out.cpu();
  const auto near = [](double value) { return Approx(value).epsilon(1e-7); };
  for (int i = 0; i < 5; ++i) {
    for (int j = 0; j < 3; ++j) CHECK(results[i][j].item<double>() == Approx(x[i]).epsilon(1e-13));
    CHECK(results[i][4].item<double>() == near(std::sin(std::acos(-1) * x[i])));
    CHECK(results[i][6].item<double>() == near(1));
  }
  for (int i = 0; i < 5; ++i) {  // in long double, which is large enough for them
    const long double y = 20 * static_cast<long double>(x[i]);
    CHECK(results[i][3].item<double>() ==
          near(static_cast<double>(std::exp(y * y) * std::erfc(y))));
  }
  CHECK(results[2][4].item<double>() == 1);
  CHECK(results[2][5].item<double>() == 0);
  CHECK(results[2][7].item<double>() == near(1.0634833707413236));  // I0(0.5)
}

TEST_CASE("Conversions to half take the neighbour that the rounding names") {
  const int last = 0x7bff;  // the largest half; 65520 is in the middle between it and infinity
  const Tensor out = sim_zeros({0x7c00, 4}, kHalf), brain = sim_zeros({0x7c00}, kBFloat16);
  launch<half_roundings>({.grid = 31, .block = 1024}, out, brain);
  const Tensor host = out.cpu(), brains = brain.cpu();
  const auto* const h = static_cast<const std::uint16_t*>(host.data_ptr());
  const auto* const b = static_cast<const std::uint16_t*>(brains.data_ptr());
  for (int i = 0; i < last; ++i) {
    const bool is_right = h[4 * i] == i + i % 2 && h[4 * i + 1] == i && h[4 * i + 2] == i + 1 &&
                          h[4 * i + 3] == i && b[i] == i;
    if (!is_right)
      FAIL("half " << i << " is rounded to " << h[4 * i] << ", " << h[4 * i + 1] << ", "
                   << h[4 * i + 2] << ", " << h[4 * i + 3] << "; bfloat16 " << b[i]);
  }
}

TEST_CASE("Functions of half and its pairs round once") {
  check_half_functions<half, half2>(kHalf);
}

TEST_CASE("Functions of bfloat16 and its pairs round once") {
  check_half_functions<__nv_bfloat16, __nv_bfloat162>(kBFloat16);
}

TEST_CASE("Atomic functions exist for 16 bits and for pairs") {
  const Tensor pairs = sim_zeros({2}, kHalf), brain = sim_zeros({1}, kBFloat16);
  const Tensor taken = sim_zeros({2}, kByte);
  launch<half_atomics>(block_of(100), pairs, brain, taken);
  CHECK(pairs.cpu().to(kFloat).equal(tensor({100.0f, 200.0f})));
  CHECK(brain.cpu().to(kFloat)[0].item<float>() == 100);
  CHECK(ints(taken.to(kInt)) == std::vector{1, 0});
}

TEST_CASE("Vectors are members of unions and structs, and are copied in one piece") {
  const Tensor in = arange(128, kFloat).to("sim:0"), out = empty_like(in);
  const Tensor nested = sim_zeros({32 * 32}, kByte);
  const auto reports = simt::observe({}, [&] { launch<vectors>(block_of(32), in, out, nested); });
  REQUIRE(reports.size() == 1);
  CHECK(reports[0].findings.empty());
  for (int i = 0; i < 128; ++i) CHECK(out.cpu()[i].item<float>() == i + i / 4 * 4 + 3 - i % 4);
  Nested values[32];
  std::memcpy(values, nested.cpu().data_ptr(), sizeof values);
  CHECK((values[5].shorts.w == 4 && values[31].doubles.y == 0.25));
  static_assert(sizeof(double4) == 32 && alignof(double4) == 16 && alignof(short4) == 8);
  static_assert(sizeof(char3) == 3 && alignof(ulonglong2) == 16 && sizeof(longlong3) == 24);
}

TEST_CASE("The host fills constant variables, and a kernel that writes one is reported") {
  const float values[] = {1, 2, 3, 4};
  std::memcpy(address_of_weights(), values, sizeof values);
  const Tensor out = sim_zeros({4}, kFloat);
  CHECK(findings_of([&] { launch<read_constants>(block_of(4), out); }).empty());
  CHECK(out.cpu().equal(tensor({16.0f, 12.0f, 8.0f, 4.0f})));
  const auto findings = findings_of([&] { launch<write_constant>(block_of(1), out); });
  REQUIRE(findings.size() == 1);
  CHECK(findings[0].starts_with(place_of_mark("write_constant") + ": writes"));
  CHECK(findings[0].find("__constant__") != findings[0].npos);
}

TEST_CASE("A pointer's address space is known, and shared addresses have 32 bits") {
  const Tensor global = full({1}, 2, kInt).to("sim:0"), out = sim_zeros({4, 6});
  CHECK(findings_of([&] { launch<address_spaces>(block_of(4), global, out); }).empty());
  for (int i = 0; i < 4; ++i) CHECK(ints(out[i]) == std::vector{7, 0, 1, 5, 6, 7});
}

TEST_CASE("Shuffles and votes without a mask take the lanes of the branch") {
  const Tensor out = sim_zeros({32, 4});
  CHECK(findings_of([&] { launch<removed_functions>(block_of(32), out); }).empty());
  for (int lane = 0; lane < 32; ++lane)
    CHECK(ints(out[lane]) == std::vector{3 + 100 * (lane ^ 1),
                                         lane < 8 ? 0xaa : static_cast<int>(0xffffff00),
                                         lane < 8 ? std::min(lane + 1, 7) : 0, 1});
}

TEST_CASE("A trap ends its thread with its place") {
  const Tensor out = sim_zeros({4});
  const auto findings = findings_of([&] { launch<give_up>(block_of(4), out); });
  REQUIRE(findings.size() == 1);
  CHECK(findings[0] == place_of_mark("give_up") +
                           ": thread (3,0,0) of block (0,0,0) calls __trap()\n  it ends the kernel "
                           "with an error");
  CHECK(ints(out) == std::vector{1, 1, 1, 0});
}

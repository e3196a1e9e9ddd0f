// Random values and factories: Philox against its published vectors, the same values on every
// device, moments, ranges, streams that do not overlap.
#include <cmath>
#include <limits>
#include <set>

#include "../tensor/values.h"
#include "catch.h"
#include "td/ops/random/philox.h"
#include "td/tensor/generator.h"

using namespace td;
using List = std::vector<double>;

TEST_CASE("Philox gives the numbers its authors published") {
  // Random123's known answers for philox4x32, ten rounds: counter and key all zero.
  const PhiloxWords zero = philox(0, 0, 0);
  CHECK(zero.word[0] == 0x6627e8d5u);
  CHECK(zero.word[1] == 0xe169c58du);
  CHECK(zero.word[2] == 0xbc57ac4cu);
  CHECK(zero.word[3] == 0x9b00dbd8u);
}

TEST_CASE("the same seed gives the same values on every device and in every layout") {
  for (const Device device : devices()) {
    INFO(device);
    const auto draw = [&](Device where) {
      manual_seed(42);
      const TensorOptions on(where);
      const Tensor normal = randn({33}, on);
      List all = values(rand({1001}, on));
      for (const Tensor& t :
           {randint(-3, 9, {65}, on), randperm(31, on), rand({7}, on.dtype(kDouble)),
            rand({9}, on.dtype(kHalf)), empty({50}, on).bernoulli_(0.3), empty({9}, on).random_(),
            empty({9}, on.dtype(kInt32)).random_(-5, 70000)}) {
        const List more = values(t);
        all.insert(all.end(), more.begin(), more.end());
      }
      return std::make_pair(all, values(normal));
    };
    const auto host = draw(kCPU), there = draw(device);
    CHECK(host.first == there.first);
    for (std::size_t i = 0; i < host.second.size(); ++i)  // logarithms differ in the last digit
      CHECK(std::abs(host.second[i] - there.second[i]) < 1e-6);
  }
  manual_seed(1);
  const List dense = values(rand({4, 6}));
  manual_seed(1);
  CHECK(values(empty({6, 4}).t().uniform_()) == dense);
}

TEST_CASE("normal numbers follow from the words of Philox by the formula of Box and Muller") {
  for (const std::int64_t n : {1, 127, 129, 10001}) {
    INFO(n);
    manual_seed(5);
    const Generator::State state = default_generator().get_state();
    const List drawn = values(empty({n}).normal_(1, 2));
    double worst = 0;
    for (std::size_t i = 0; i < drawn.size(); ++i) {
      const PhiloxWords w = philox(state.seed, state.offset, i / 4);
      const auto uniform = [&](std::size_t k) { return (w.word[k] >> 8) * 0x1p-24; };
      const double radius = std::sqrt(-2 * std::log(1 - uniform(i % 4 / 2 * 2)));
      const double angle = 2 * std::acos(-1.0) * uniform(i % 4 / 2 * 2 + 1);
      const double expected = 1 + 2 * radius * (i % 2 ? std::sin(angle) : std::cos(angle));
      worst = std::max(worst, std::abs(drawn[i] - expected) / (1 + radius));
    }
    CHECK(worst < 5e-7);
  }
}

TEST_CASE("ranges and moments") {
  manual_seed(0);
  const Tensor u = rand({200000});
  CHECK(u.min().item<double>() >= 0);
  CHECK(u.max().item<double>() < 1);
  CHECK(u.mean().item<double>() == Approx(0.5).margin(0.005));
  CHECK(u.var(true).item<double>() == Approx(1.0 / 12).margin(0.002));
  const Tensor n = empty({200000}).normal_(3, 2);
  CHECK(n.mean().item<double>() == Approx(3).margin(0.03));
  CHECK(n.std(true).item<double>() == Approx(2).margin(0.03));
  // A normal distribution leaves 4.55 % outside two standard deviations.
  CHECK((n - 3).abs().gt(Scalar(4)).sum().item<double>() / 200000 == Approx(0.0455).margin(0.003));
  CHECK(empty({200000}).bernoulli_(0.3).mean().item<double>() == Approx(0.3).margin(0.005));
  const Tensor k = randint(-2, 3, {10000});
  CHECK(k.dtype() == kLong);
  CHECK(k.min().item<int>() == -2);
  CHECK(k.max().item<int>() == 2);
  const List p = values(randperm(1000));
  CHECK(std::set<double>(p.begin(), p.end()).size() == 1000);
  CHECK(rand({100000}, kHalf).max().item<double>() < 1);
  CHECK(rand({100000}, kBFloat16).max().item<double>() < 1);
  CHECK(empty({100000}).uniform_(1, 2).max().item<double>() < 2);
}

namespace {

struct Extremes {
  std::int64_t least, most;
  bool operator==(const Extremes&) const = default;
};

// Of many random numbers; all integers of a small range are among them.
template <class... Range>
Extremes drawn(ScalarType type, Range... range) {
  const Tensor all = empty({20000}, type).random_(range...).to(kInt64);
  return {all.min().item<std::int64_t>(), all.max().item<std::int64_t>()};
}

// `value` is at most `limit`, and nearer to it than one part in a hundred.
bool reaches(double value, double limit) {
  return std::abs(value) <= std::abs(limit) && value / limit > 0.99;
}

}  // namespace

TEST_CASE("random_ draws integers of the type's range") {
  manual_seed(0);
  const optional<std::int64_t> open;
  CHECK(drawn(kBool) == Extremes{0, 1});
  CHECK(drawn(kUInt8) == Extremes{0, 255});
  CHECK(drawn(kBFloat16) == Extremes{0, 256});
  for (const auto& [type, limit] :
       {std::pair(kHalf, 2048.0), std::pair(kFloat, 16777216.0), std::pair(kInt32, 2147483647.0),
        std::pair(kDouble, 9007199254740992.0), std::pair(kInt64, 9223372036854775807.0)}) {
    INFO(type);
    const Extremes all = drawn(type);
    CHECK(all.least >= 0);
    CHECK(static_cast<double>(all.least) < limit / 100);
    CHECK(reaches(static_cast<double>(all.most), limit));
    CHECK(drawn(type, 5) == Extremes{0, 4});
    CHECK(drawn(type, -3, 4) == Extremes{-3, 3});
    CHECK(drawn(type, 7, 8) == Extremes{7, 7});
  }
  CHECK(drawn(kUInt8, 256) == Extremes{0, 255});
  CHECK(drawn(kUInt8, 250, open) == Extremes{250, 255});
  CHECK(drawn(kBFloat16, -256, 257) == Extremes{-256, 256});
  const std::int64_t least = std::numeric_limits<std::int64_t>::min();
  const Extremes every = drawn(kInt64, least, open);
  CHECK(reaches(static_cast<double>(every.least), -9223372036854775808.0));
  CHECK(reaches(static_cast<double>(every.most), 9223372036854775807.0));
  CHECK(drawn(kInt64, least, least + 2) == Extremes{least, least + 1});
  // The mean of 0 .. 9 is 4.5 and the variance 99/12.
  const Tensor digits = empty({200000}).random_(10);
  CHECK(digits.mean().item<double>() == Approx(4.5).margin(0.03));
  CHECK(digits.var(true).item<double>() == Approx(8.25).margin(0.05));
  const Tensor x = leaf({1, 2}), y = x * 1;
  y.random_();
  (y + x).sum().backward();
  CHECK(values(x.grad()) == List{1, 1});
}

TEST_CASE("invalid arguments of random_ are clear errors") {
  CHECK(message<Error>([] { empty({2}).random_(3, 3); }) ==
        "random_: there is no integer from 3 to below 3");
  CHECK(message<Error>([] { empty({2}).random_(0); }) ==
        "random_: there is no integer from 0 to below 0");
  CHECK(message<Error>([] { empty({2}, kUInt8).random_(300); }) ==
        "random_: integers from 0 to 299 were asked for, but uint8 holds all of them only from "
        "0 to 255; take a wider type");
  CHECK_THROWS_AS(empty({2}, kUInt8).random_(-1, 1), Error);
  CHECK_THROWS_AS(empty({2}, kBool).random_(3), Error);
  CHECK_THROWS_AS(empty({2}).random_(16777218), Error);  // libtorch warns that it will refuse
  CHECK_THROWS_AS(empty({2}, kUInt8).random_(256, optional<std::int64_t>()), Error);
  CHECK_THROWS_AS(leaf({1}).random_(), AutogradError);
  CHECK_THROWS_AS(of({1}).expand({3}).random_(), ShapeError);
}

TEST_CASE("two draws differ, and a restored state repeats them") {
  manual_seed(7);
  const List first = values(rand({100})), second = values(rand({100}));
  std::set<double> all(first.begin(), first.end());
  all.insert(second.begin(), second.end());
  CHECK(all.size() > 190);
  const Generator::State state = default_generator().get_state();
  const List third = values(randn({5}));
  default_generator().set_state(state);
  CHECK(values(randn({5})) == third);
  CHECK(default_generator().current_seed() == 7);
}

TEST_CASE("factories: values, types, devices") {
  for (const Device device : devices()) {
    INFO(device);
    const TensorOptions on(device);
    CHECK(values(arange(5, on)) == List{0, 1, 2, 3, 4});
    CHECK(arange(5, on).dtype() == kLong);
    CHECK(arange(0, 1.0, 0.25, on).dtype() == kFloat);
    CHECK(values(arange(5, 0, -2, on)) == List{5, 3, 1});
    CHECK(values(linspace(0, 1, 5, on)) == List{0, 0.25, 0.5, 0.75, 1});
    CHECK(values(linspace(3, 9, 1, on)) == List{3});
    CHECK(values(eye(2, 3, on)) == List{1, 0, 0, 0, 1, 0});
    CHECK(full({2}, 1, on).dtype() == kLong);
    CHECK(full({2}, true, on).dtype() == kBool);
    CHECK(values(full_like(zeros({2}, on), 3)) == List{3, 3});
    CHECK(tensor({{1, 2}, {3, 4}}, on).device() == check_device(device));
    CHECK(zeros_like(ones({2, 3}, on)).sizes() == IntArrayRef({2, 3}));
    CHECK(values(ones_like(zeros({2}, on))) == List{1, 1});
    CHECK(rand_like(zeros({9}, on)).lt(1).all().item<bool>());
    CHECK(randn_like(zeros({9}, on), kDouble).dtype() == kDouble);
  }
  CHECK(tensor({1, 2}).dtype() == kLong);
  CHECK(tensor({1.0, 2.0}).dtype() == kFloat);
  CHECK(tensor(std::vector<double>{1, 2}).dtype() == kFloat);
  CHECK(tensor(7).dim() == 0);
  CHECK(tensor({}).sizes() == IntArrayRef({0}));
  CHECK(tensor({{{1}, {2}}}).sizes() == IntArrayRef({1, 2, 1}));
  CHECK(tensor({1.0}, requires_grad()).requires_grad());
  CHECK(ones({2}, requires_grad()).is_leaf());
}

TEST_CASE("invalid arguments of factories are errors that name them") {
  CHECK(message<ShapeError>([] {
          tensor({{1, 2}, {3}});
        }) == "tensor: rows of sizes [2] and [1] in one list; all rows must have the same length");
  CHECK(message<Error>([] { arange(0, 5, -1); }) ==
        "arange: a step of -1 never leads from 0 to 5; change its sign");
  CHECK(message<DtypeError>([] { rand({2}, kLong); }) ==
        "rand: expected a floating point tensor but got int64; use randint for integers");
  CHECK(message<Error>([] { randint(3, 3, {1}); }) ==
        "randint: there is no integer from 3 to below 3");
}

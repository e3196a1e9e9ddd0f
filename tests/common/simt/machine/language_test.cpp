// What kernels may use besides barriers and warps, by its results.
#include "catch.h"
#include "kernels.h"
#include "observed.h"

using namespace td;
using simt::launch;

TEST_CASE("Threads know their indices in blocks and grids of three dimensions") {
  const Tensor out = sim_zeros({2 * 3 * 4 * 5 * 3 * 2});
  launch<indices>({.grid = {2, 3, 4}, .block = {5, 3, 2}}, out);
  CHECK(out.cpu().equal(arange(out.numel(), kInt)));
}

TEST_CASE("abs takes numbers of all types") {
  const Tensor f = tensor({-0.5f}).to("sim:0"), d = tensor({-0.25}, kDouble).to("sim:0");
  const Tensor l = full({1}, -3000000000LL, kLong).to("sim:0"), out = sim_zeros({4}, kDouble);
  launch<absolutes>({.grid = 1, .block = 1}, f, d, l, out);
  CHECK(out.cpu().equal(tensor({0.5, 0.25, 3e9, 7.0}, kDouble)));
}

TEST_CASE("Dynamic shared memory has the bytes of the launch") {
  const Tensor in = ones({500}).to("sim:0"), out = sim_zeros({1}, kFloat);
  launch<dynamic_sum>({.grid = 1, .block = 512, .shared = 512 * sizeof(float)}, in, out, 500);
  CHECK(out.cpu().item<float>() == 500);
}

TEST_CASE("Each kernel of a library may name its dynamic shared memory as it likes") {
  const Tensor in = arange(100, kDouble).to("sim:0"), out = empty_like(in);
  launch<dynamic_reverse>({.grid = 1, .block = 128, .shared = 100 * sizeof(double)}, in, out, 100);
  CHECK(out.cpu().equal(in.cpu().flip({0})));
}

TEST_CASE("The counting barriers give all threads of a block the same number") {
  Tensor in = zeros({3, 64}, kInt);
  in[1].fill_(1);
  in[2][5] = 3;
  const Tensor out = sim_zeros({9});
  launch<count_forms>({.grid = 3, .block = 64}, in.to("sim:0"), out);
  CHECK(ints(out) == std::vector{0, 0, 0, 64, 1, 1, 1, 0, 1});
}

TEST_CASE("Atomic functions leave the combined result of all threads") {
  const Tensor ints_ = tensor({0, 0, 0, 0, 0, 255, 0, 0, 0}, kInt).to("sim:0");
  const Tensor counts = sim_zeros({2}), floats = sim_zeros({1}, kFloat);
  const Tensor doubles = sim_zeros({1}, kDouble), wide = sim_zeros({1}, kLong);
  launch<atomics>({.grid = 8, .block = 32}, ints_, counts, floats, doubles, wide);
  CHECK(ints(ints_) == std::vector{255 * 128, -256, -255, 255, 255, 0, 0, 7, 5});
  CHECK(ints(counts) == std::vector{256 % 10, 4});  // 0 becomes 9: 256 steps down in rounds of 10
  CHECK(floats.cpu().item<float>() == 128);
  CHECK(doubles.cpu().item<double>() == 64);
  CHECK(wide.cpu().item<std::int64_t>() == std::int64_t{256} << 40);
}

TEST_CASE("A loop over an atomic lets the thread that it waits for run") {
  const Tensor flag = sim_zeros({1}), out = sim_zeros({64});
  launch<spin>(block_of(64), flag, out);
  CHECK(out.cpu().sum().item<int>() == 64);
}

TEST_CASE("A __device__ variable keeps its value between launches and is no finding") {
  const Tensor out = sim_zeros({1});
  launch<write_global_counter>(block_of(32), out);
  CHECK(out.cpu().item<int>() == 37);
  CHECK(findings_of([&] { launch<write_global_counter>(block_of(32), out); }).empty());
  CHECK(out.cpu().item<int>() == 37);
}

TEST_CASE("Half and bfloat16 compute in float and round to nearest even") {
  const Tensor in = arange(64, kFloat).to("sim:0").to(kHalf);
  const Tensor out = empty_like(in), brain = empty_like(in, kBFloat16);
  launch<halves>(block_of(64), in, out, brain);
  const Tensor x = arange(64, kFloat);
  CHECK(out.cpu().to(kFloat)[63].item<float>() == 3972);  // 3969.5 and 3971, rounded
  CHECK(brain.cpu().equal((x / 3).to(kBFloat16)));
}

TEST_CASE("Bit operations and conversions give CUDA's results") {
  const Tensor out = sim_zeros({8});
  launch<bits>(block_of(1), out);
  CHECK(ints(out) == std::vector{16, 31, 4, 1, 5, 0x3f800000, 16, 28});
}

TEST_CASE("Constants, vectors, barriers in device functions, fences and the clock work together") {
  const Tensor out = sim_zeros({4}), pairs = sim_zeros({4, 2}), bytes = sim_zeros({4, 4}, kByte);
  CHECK(findings_of([&] { launch<features>(block_of(4), out, pairs, bytes); }).empty());
  CHECK(ints(out) == std::vector{1, 1, 1, 1});
  CHECK(ints(pairs) == std::vector{3, 10, 2, 30, 1, 20, 0, 10});
  CHECK(ints(bytes.to(kInt)) == std::vector{1, 2, 3, 0, 1, 2, 3, 1, 1, 2, 3, 2, 1, 2, 3, 3});
}

TEST_CASE("A kernel template is launched by its arguments, and reported by its name") {
  const Tensor x = ones({4}).to("sim:0"), wide = ones({4}, kDouble).to("sim:0");
  launch<scale<float>>(block_of(4), x, 3);
  launch<scale<double>>(block_of(4), wide, 0.5);
  CHECK(x.cpu().sum().item<float>() == 12);
  CHECK(wide.cpu().sum().item<double>() == 2);
  const auto reports = simt::observe({}, [&] { launch<scale<float>>(block_of(5), x, 3); });
  REQUIRE(reports.size() == 1);
  CHECK(reports[0].kernel == "scale");
  REQUIRE(reports[0].findings.size() == 1);
  CHECK(reports[0].findings[0].site->function == "scale");
}

TEST_CASE("The seed and the order choose which threads come first") {
  const auto run = [](simt::Order order, std::uint64_t seed) {
    const Tensor next = sim_zeros({1}), out = sim_zeros({128});
    simt::observe({.order = order, .seed = seed},
                  [&] { launch<::order>({.grid = 4, .block = 32}, next, out); });
    return ints(out);
  };
  const auto forward = run(simt::Order::kForward, 0), reversed = run(simt::Order::kReversed, 0);
  for (int i = 0; i < 128; ++i) {
    CHECK(forward[i] == i);
    CHECK(reversed[i] == 127 - i);
  }
  const auto random = run(simt::Order::kRandom, 1);
  CHECK(random != forward);
  CHECK(random == run(simt::Order::kRandom, 1));
  CHECK(random != run(simt::Order::kRandom, 2));
  auto sorted = random;
  std::sort(sorted.begin(), sorted.end());
  CHECK(sorted == forward);
}

TEST_CASE("Large grids run on several cores with the same result") {
  const int n = 100000;
  const Tensor a = arange(n, kFloat).to("sim:0"), out = empty_like(a);
  for (int i = 0; i < 5; ++i) launch<::add>({.grid = 391, .block = 256}, a, a, out, n);
  CHECK(out.cpu().equal(arange(n, kFloat) * 2));
}

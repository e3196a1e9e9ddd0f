// Launches of kernels on tensors of sim: results, errors of the call, and errors that come later.
#include "simt/launch.h"

#include <catch2/catch.hpp>

#include "kernels.h"
#include "td/td.h"

using namespace td;
using simt::launch;

TEST_CASE("A kernel computes on every element of tensors of sim") {
  const int n = 1000;
  const Tensor a = arange(n, kFloat).to("sim:0"), b = full({n}, 2.0).to("sim:0");
  const Tensor out = zeros({n}, kFloat).to("sim:0");
  launch<::add>({.grid = 4, .block = 256}, a, b, out, n);
  CHECK(out.cpu().equal(arange(n, kFloat) + 2));
}

TEST_CASE("Threads of a block exchange values through shared memory and barriers") {
  const int n = 1000;
  const Tensor in = ones({n}, kFloat).to("sim:1"), out = zeros({4}, kFloat).to("sim:1");
  launch<block_sum>({.grid = 4, .block = 256}, in, out, n);
  const Tensor sums = out.cpu();
  CHECK(sums[0].item<float>() == 256);
  CHECK(sums[3].item<float>() == 1000 - 3 * 256);
}

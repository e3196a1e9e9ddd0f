// nvcuda::wmma against products in float64, with several places of the elements, and its rules.
#include "catch.h"
#include "kernels.h"
#include "marks.h"
#include "observed.h"

using namespace td;
using simt::launch;

namespace {

/// Small integers, so that sums are exact in every type.
Tensor numbers(std::int64_t rows, std::int64_t columns, int step) {
  return (arange(rows * columns, kDouble) * step).remainder(7).view({rows, columns}) - 3;
}

}  // namespace

TEST_CASE("A product of half matrices in tiles is exact for every seed") {
  const int m = 32, n = 48, k = 64;
  const Tensor a = numbers(m, k, 3), b = numbers(k, n, 5), expected = a.matmul(b) * 2;
  const Tensor da = a.to(kHalf).to("sim:0"), db = b.to(kHalf).to("sim:0");
  for (const std::uint64_t seed : {0, 1, 2, 77}) {
    const Tensor c = full({m, n}, -1.0).to("sim:0");
    const auto findings = findings_of(
        [&] {
          launch<::multiply>({.grid = {n / 16, m / 16}, .block = 32}, da, db, c, m, n, k);
        },
        {.seed = seed});
    for (const auto& text : findings) UNSCOPED_INFO(text);
    CHECK(findings.empty());
    CHECK(c.cpu().to(kDouble).equal(expected));
  }
}

TEST_CASE("Products of bfloat16 by columns, of doubles, and of other shapes are exact") {
  const Tensor a = numbers(16, 16, 3), b = numbers(16, 16, 5);
  const Tensor c = sim_zeros({16, 16}, kFloat);
  launch<multiply_brain>(block_of(32), a.to(kBFloat16).to("sim:0"), b.to(kBFloat16).to("sim:0"), c);
  CHECK(c.cpu().to(kDouble).equal(b.matmul(a)));  // by columns: all three are transposed

  const Tensor da = numbers(8, 4, 3), db = numbers(4, 8, 5), dc = numbers(8, 8, 2).to("sim:0");
  launch<multiply_doubles>(block_of(32), da.to("sim:0"), db.to("sim:0"), dc);
  CHECK(dc.cpu().equal(da.matmul(db) + numbers(8, 8, 2)));

  const Tensor wa = numbers(32, 16, 3), wb = numbers(16, 8, 5), wc = sim_zeros({32, 8}, kHalf);
  launch<multiply_wide>(block_of(32), wa.to(kHalf).to("sim:0"), wb.to(kHalf).to("sim:0"), wc);
  CHECK(wc.cpu().to(kDouble).equal(wa.matmul(wb)));
}

TEST_CASE("A matrix at a wrong address or with a wrong leading dimension is reported") {
  const Tensor a = sim_zeros({32, 40}, kHalf), c = sim_zeros({1}, kFloat);
  const auto report = [&](int begin, int leading) {
    const auto findings =
        findings_of([&] { launch<load_askew>(block_of(32), a, c, begin, leading); });
    return findings.empty() ? "" : findings[0];
  };
  const std::string place = place_of_mark("load_askew");
  CHECK(report(0, 16).empty());
  CHECK(report(8, 16) == place +
                             ": load_matrix_sync with an address that is 16 bytes above a multiple "
                             "of 32\n  a matrix must begin at a multiple of 32 bytes");
  CHECK(report(0, 20) == place +
                             ": load_matrix_sync with a leading dimension of 20 elements, which "
                             "are 40 bytes\n  it must be a multiple of 16 bytes");
  CHECK(report(0, 24) == "note: " + place +
                             ": load_matrix_sync with a leading dimension of 24 elements, so rows "
                             "begin in the middle of a sector\n  PTX demands that each row begins "
                             "at a multiple of 32 bytes");
}

TEST_CASE("A matrix function of one lane is reported") {
  const Tensor a = sim_zeros({16, 16}, kHalf), c = sim_zeros({1}, kFloat);
  const auto findings = findings_of([&] { launch<product_of_one_lane>(block_of(32), a, c); });
  REQUIRE(findings.size() == 1);
  CHECK(findings[0] == place_of_mark("one lane") +
                           ": lane 0 of warp 0 of block (0,0,0) calls load_matrix_sync without "
                           "lanes 1-31\n  all 32 lanes of a warp must call it together: move it "
                           "out of the condition");
}

TEST_CASE("Lanes that load different matrices are reported") {
  const Tensor a = sim_zeros({64, 16}, kHalf), c = sim_zeros({1}, kFloat);
  const auto findings = findings_of([&] { launch<load_by_lane>(block_of(32), a, c); });
  REQUIRE(findings.size() == 1);
  CHECK(findings[0] == place_of_mark("load_by_lane") +
                           ": lane 1 of warp 0 calls load_matrix_sync with another pointer, "
                           "leading dimension or layout than lane 0\n  all lanes pass the same "
                           "matrix: do not add the lane's index to the pointer");
}

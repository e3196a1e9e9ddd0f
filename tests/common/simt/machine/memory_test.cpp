// What kernels do with memory that is easily overlooked (memory_kernels.cu).
#include "catch.h"
#include "kernels.h"
#include "marks.h"
#include "observed.h"

using namespace td;
using simt::launch;

namespace {

Tensor counting(std::int64_t n, ScalarType type = kFloat) {
  return arange(0, static_cast<double>(n), 1, type).to("sim:0");
}

void check_one(const std::vector<std::string>& findings, const std::string& mark,
               const std::string& part) {
  REQUIRE(findings.size() == 1);
  CHECK_THAT(findings[0], Catch::StartsWith(place_of_mark(mark) + ": "));
  CHECK_THAT(findings[0], Catch::Contains(part));
}

[[maybe_unused]] std::string async_error() {
  try {
    synchronize(Device("sim:0"));
  } catch (const AsyncError& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace

TEST_CASE("The struct that a function returns is seen where it is stored") {
  const Tensor in = counting(96), out = sim_zeros({48}, kFloat), small = sim_zeros({47}, kFloat);
  CHECK(findings_of([&] { launch<store_ranges>(block_of(16), in, out); }).empty());
  CHECK(out.cpu()[47].item<float>() == 61);
  check_one(findings_of([&] { launch<store_ranges>(block_of(16), in, small); }), "store ranges",
            "writes out[47], past the end of out");
}

TEST_CASE("A shared struct that a function returns is initialized") {
  const Tensor in = counting(96), out = sim_zeros({48}, kFloat);
  CHECK(findings_of([&] { launch<share_ranges>(block_of(48), in, out); }).empty());
  CHECK(out.cpu().sum().item<float>() == 48);
}

TEST_CASE("The struct that a function takes is seen where it is loaded") {
  const Tensor in = counting(47), out = sim_zeros({16}, kFloat);
  const auto findings = findings_of([&] { launch<take_ranges>(block_of(17), in, out); });
  REQUIRE(!findings.empty());
  // clang loads both members at once.
  CHECK_THAT(findings[0],
             Catch::Contains("reads in[48]") && Catch::Contains(", past the end of in"));
}

TEST_CASE("A write past a shared array is found, although another array follows") {
  Tensor index = arange(0, 16, 1, kInt);
  index[3] = 16;
  index[4] = 40;
  const Tensor on_sim = index.to("sim:0"), out = sim_zeros({16});
  check_one(findings_of([&] { launch<two_arrays>(block_of(16), on_sim, out); }), "two arrays",
            "past the end of left");
  CHECK(out.cpu().sum().item<int>() == 0);
}

TEST_CASE("malloc and new in a kernel return memory of the device") {
  const Tensor out = sim_zeros({40});
  CHECK(findings_of([&] { launch<use_heap>(block_of(40), out); }).empty());
  CHECK(out.cpu()[39].item<int>() == 41);
}

TEST_CASE("An index past the end of the heap's memory is reported") {
  const Tensor out = sim_zeros({3});
  out.copy_(tensor({0, 4, 2}, kInt));
  check_one(findings_of([&] { launch<leave_heap>(block_of(3), out); }), "leave heap",
            "writes 4 bytes of the heap that malloc has not returned");
}

TEST_CASE("A kernel may call virtual functions of its own objects") {
  const Tensor kinds = tensor({0, 1, 0, 1}, kInt).to("sim:0"), out = sim_zeros({4}, kFloat);
  CHECK(findings_of([&] { launch<call_virtual>(block_of(4), kinds, out); }).empty());
  CHECK(out.cpu()[2].item<float>() == 4);
  CHECK(out.cpu()[3].item<float>() == 9);
}

#if !defined(__clang__)
TEST_CASE("A launch with more threads than __launch_bounds__ allows is refused") {
  const Tensor out = sim_zeros({128});
  CHECK(findings_of([&] { launch<bounded>(block_of(96), out); }).empty());
  CHECK(findings_of([&] { launch<bounded_template<32>>(block_of(64), out); }).empty());
  CHECK_THROWS_WITH(launch<bounded>(block_of(97), out),
                    Catch::Contains("bounded: the launch is refused with cudaErrorInvalidValue") &&
                        Catch::Contains("compiled for at most 96 (__launch_bounds__)"));
  const auto findings = findings_of([&] { launch<bounded_template<32>>(block_of(65), out); });
  REQUIRE(findings.size() == 1);
  CHECK_THAT(findings[0], Catch::Contains("compiled for at most 64 (__launch_bounds__)"));
}
#endif

#ifndef __clang__  // whose debug information has no extern variables
TEST_CASE("Dynamic shared memory has the name that the kernel uses") {
  const Tensor in = counting(8), out = sim_zeros({8}, kFloat);
  const auto findings = findings_of(
      [&] { launch<use_line_of_tile>({.grid = 1, .block = 8, .shared = 36}, in, out); });
  REQUIRE(!findings.empty());
  for (const std::string& finding : findings) {
    CHECK_THAT(finding, Catch::StartsWith(place_of_mark("line of tile")));
    CHECK_THAT(finding, Catch::Contains("line_of_tile[") && !Catch::Contains("other_name"));
  }
}
#endif

#if defined(__x86_64__) && !defined(TD_ADDRESS_SANITIZER)
TEST_CASE("A misaligned access that is not observed is named as such") {
  const Tensor in = counting(16, kDouble), out = sim_zeros({8}, kDouble);
  launch<misaligned_pairs>(block_of(2), in, out);
  CHECK_THAT(async_error(), Catch::Contains(place_of_mark("misaligned")) &&
                                Catch::Contains("16 bytes at an address that is not a multiple "
                                                "of 16") &&
                                Catch::Contains("cudaErrorMisalignedAddress"));
}
#endif

#if !defined(TD_ADDRESS_SANITIZER) && !defined(TD_THREAD_SANITIZER)
TEST_CASE("Writes far outside of all arrays leave the process alone") {
  const Tensor out = sim_zeros({32});
  launch<leave_everything>(block_of(32), out, std::int64_t{100} << 20);
  CHECK_THAT(async_error(), Catch::Contains("where there is no memory"));
  launch<bounded>(block_of(32), out);
  CHECK(out.cpu().sum().item<int>() == 32);
}
#endif

// The functions of a warp: the results of CUDA's programming guide, and reports of what it forbids.
#include "catch.h"
#include "kernels.h"
#include "marks.h"
#include "observed.h"

using namespace td;
using simt::launch;

namespace {

/// The only finding of a kernel with one parameter, run by one warp.
template <auto* kernel>
std::string only_finding(const simt::LaunchConfig& config = block_of(32)) {
  const Tensor out = sim_zeros({64});
  const auto findings = findings_of([&] { launch<kernel>(config, out); });
  for (const auto& text : findings) UNSCOPED_INFO(text);
  REQUIRE(findings.size() == 1);
  return findings[0];
}

}  // namespace

TEST_CASE("Shuffles read the lane, the delta or the mask within their width") {
  const Tensor out = sim_zeros({32, 6});
  launch<shuffles>(block_of(32), out);
  const auto values = ints(out);
  for (int lane = 0; lane < 32; ++lane) {
    const int* v = &values[6 * lane];
    CHECK(v[0] == 5);
    CHECK(v[1] == lane / 8 * 8 + 1);
    CHECK(v[2] == (lane < 3 ? lane : lane - 3));
    CHECK(v[3] == (lane % 16 >= 13 ? lane : lane + 3));
    CHECK(v[4] == (lane ^ 1));
    CHECK(v[5] == (lane & 8 ? lane - 8 : lane));  // a later part is not read
  }
}

TEST_CASE("Votes and matches see the lanes of the mask") {
  const Tensor out = sim_zeros({32, 7});
  launch<votes>(block_of(32), out);
  const auto values = ints(out);
  for (int lane = 0; lane < 32; ++lane) {
    const int* v = &values[7 * lane];
    CHECK(v[0] == 0x11111111);
    CHECK(v[1] == 1);
    CHECK(v[2] == 0);
    CHECK(static_cast<unsigned>(v[3]) == (lane < 16 ? 0x0000ffffu : 0xffff0000u));
    CHECK(v[4] == -1);
    CHECK(v[5] == 1);
    CHECK(v[6] == 0);
  }
}

TEST_CASE("Reductions of a warp add, compare and combine bits, signed and unsigned") {
  const Tensor out = sim_zeros({32, 9});
  launch<reductions>(block_of(32), out);
  const auto values = ints(out);
  const std::vector expected{496, -40, -9, 496, 0xffffff, 31, 64, -1, 0};
  for (int lane = 0; lane < 32; ++lane)
    CHECK(std::vector(&values[9 * lane], &values[9 * lane] + 9) == expected);
}

TEST_CASE("Lanes of both branches of an if may shuffle with each other") {
  const Tensor out = sim_zeros({32});
  CHECK(findings_of([&] { launch<both_branches>(block_of(32), out); }).empty());
  const auto values = ints(out);
  for (int lane = 0; lane < 32; ++lane) CHECK(values[lane] == (lane % 2 ? 99 + lane : lane + 1));
}

TEST_CASE("Lanes that have returned are not waited for, though the mask names them") {
  const Tensor out = sim_zeros({20});
  CHECK(findings_of([&] { launch<exited_lanes>(block_of(32), out); }).empty());
  CHECK(ints(out) == std::vector<int>(20, 0xfffff));
}

TEST_CASE("A sum of a warp by shuffles is exact in any order") {
  const Tensor in = arange(1024, kFloat).to("sim:0"), out = sim_zeros({32}, kFloat);
  for (const auto order : {simt::Order::kForward, simt::Order::kReversed, simt::Order::kRandom}) {
    const auto findings = findings_of(
        [&] { launch<::warp_sum>({.grid = 4, .block = 256}, in, out); }, {.order = order});
    CHECK(findings.empty());
    CHECK(out.cpu().equal(arange(1024, kFloat).view({32, 32}).sum(1)));
  }
}

TEST_CASE("A lane that its own mask does not name is reported") {
  CHECK(only_finding<not_in_mask>() ==
        place_of_mark("not_in_mask") +
            ": lane 16 of warp 0 calls __shfl_sync with mask 0x0000ffff, which does not name it\n"
            "  a mask names all lanes that call: compute it before the branch, by "
            "__ballot_sync(0xffffffff, condition)");
}

TEST_CASE("A shuffle from a lane that has returned is reported with the reason") {
  CHECK(only_finding<absent_source>() ==
        place_of_mark("absent_source") +
            ": lane 8 of warp 0 reads from lane 16 in __shfl_down_sync, which does not take part: "
            "it has returned\n"
            "  the result is undefined: let all lanes of the mask call, those without work with a "
            "neutral value such as 0");
}

TEST_CASE(
    "Undefined values that a kernel does not use are a note, and no error of a plain launch") {
  CHECK_THAT(only_finding<prefix_sum_of_some>(),
             Catch::StartsWith("note: " + place_of_mark("prefix_sum_of_some") + ": lane ") &&
                 Catch::Contains("harmless in this launch"));
  const Tensor out = sim_zeros({20});
  launch<prefix_sum_of_some>(block_of(32), out);
  CHECK(out.cpu()[0].item<int>() == 20);
  CHECK(out.cpu()[19].item<int>() == 1);
}

TEST_CASE("An undefined value that decides the result is a fault") {
  CHECK_THAT(only_finding<greatest_of_some>(),
             Catch::StartsWith(place_of_mark("greatest_of_some") + ": lane ") &&
                 !Catch::Contains("harmless"));
}

TEST_CASE("A lane that was ended is reported once, by what it did") {
  const Tensor in = sim_zeros({24}), out = sim_zeros({1});
  const auto findings = findings_of([&] { launch<sum_of_ended_lanes>(block_of(32), in, out); });
  REQUIRE(findings.size() == 1);
  CHECK_THAT(findings[0],
             Catch::StartsWith(place_of_mark("sum_of_ended_lanes") + ": reads in[24]"));
}

TEST_CASE("A mask from __activemask names the calling lane alone") {
  CHECK(only_finding<active_mask>() ==
        place_of_mark("active_mask") +
            ": lane 0 of warp 0 reads from lane 1 in __shfl_xor_sync, which does not take part: "
            "the mask 0x00000001 does not name it\n"
            "  the result is undefined: use a mask that names every lane that is read from, such "
            "as 0xffffffff");
}

TEST_CASE("Lanes that name each other with different masks are reported with both") {
  const Tensor out = sim_zeros({32});
  const auto findings = findings_of([&] { launch<different_masks>(block_of(32), out); });
  REQUIRE_FALSE(findings.empty());
  CHECK(findings[0] ==
        place_of_mark("other_mask") +
            ": lane 31 of warp 0 calls __any_sync with mask 0xffff0001, lane 0 calls __any_sync "
            "with mask 0xffffffff (" +
            line_text("full_mask") +
            ")\n  all lanes that a mask names must call the same function with the same mask");
}

TEST_CASE("Lanes that name each other and call different functions are reported with both") {
  const Tensor out = sim_zeros({32});
  const auto findings = findings_of([&] { launch<different_functions>(block_of(32), out); });
  REQUIRE_FALSE(findings.empty());
  CHECK(findings[0] ==
        place_of_mark("vote") +
            ": lane 31 of warp 0 calls __any_sync with mask 0xffffffff, lane 0 calls __syncwarp "
            "with mask 0xffffffff (" +
            line_text("sync") +
            ")\n  all lanes that a mask names must call the same function with the same mask");
}

TEST_CASE("A width that is no power of two is reported") {
  CHECK(only_finding<bad_width>() ==
        place_of_mark("bad_width") +
            ": __shfl_sync is called with width 24\n  a width is a power of two, at most 32");
}

TEST_CASE("Lanes that wait for lanes at a barrier are a deadlock, which ends the launch") {
  CHECK(only_finding<half_a_warp>() ==
        place_of_mark("half_a_warp") +
            ": lanes 0-15 of warp 0 of block (0,0,0) wait in __shfl_down_sync with mask 0xffffffff "
            "for lanes 16-31\n  which wait at the __syncthreads() of " +
            line_text("after_half_a_warp") +
            ", so none can go on: name only lanes that call, or move the call out of the "
            "condition");
}

TEST_CASE("A partial warp has no lanes beyond the end of the block") {
  const Tensor in = ones({48}).to("sim:0"), out = sim_zeros({2}, kFloat);
  const auto findings = findings_of([&] { launch<::warp_sum>(block_of(48), in, out); });
  REQUIRE(findings.size() == 1);
  CHECK(findings[0].find("lane 0 of warp 1 reads from lane 16 in __shfl_down_sync, which does not "
                         "take part: the block has no such thread") != std::string::npos);
}

TEST_CASE("A deadlock after another thread has ended by an error is reported too") {
  const Tensor out = sim_zeros({32});
  for (int i = 0; i < 3; ++i) {
    const auto findings = findings_of([&] { launch<wrong_twice>({.grid = 2, .block = 32}, out); });
    REQUIRE(findings.size() == 2);
    CHECK(findings[0].find(place_of_mark("wrong mask")) == 0);
    CHECK(findings[1].find(place_of_mark("wrong branch") +
                           ": lanes 0-15 of warp 0 of block (0,0,0) wait in __any_sync with mask "
                           "0xffffffff for lanes 16-30\n") == 0);
  }
}

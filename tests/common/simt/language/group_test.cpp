// Cooperative groups, barriers of a grid and asynchronous copies, by their results and reports.
#include "../machine/marks.h"
#include "../machine/observed.h"
#include "catch.h"
#include "kernels.h"
#include "simt/observe/report.h"

using namespace td;
using simt::launch;

namespace {

/// What a lane of a tile of `size` gets, by the definition of each function.
std::vector<int> expected_of_tile(int lane, int size, int tiles) {
  const int rank = lane % size, last = size - 1;
  const int even = rank / 2 * 2;
  return {last * size / 2,
          last,
          rank * (rank + 1) / 2,
          rank * (rank + 1) / 2,
          1,
          std::max(rank - 1, 0) + 100 * std::min(rank + 1, last) + 10000 * (rank ^ 1),
          static_cast<int>(0xaaaaaaaau & ((2u << last) - 1)),
          1 + 4,
          3 << even,
          lane / size + 100 * tiles,
          6};
}

}  // namespace

TEST_CASE("A block as a group knows its threads, and waits for them") {
  const Tensor out = sim_zeros({64});
  CHECK(findings_of([&] { launch<block_group>({.grid = 1, .block = {32, 2}}, out); }).empty());
  const std::vector<int> sums = ints(out);
  for (int i = 0; i < 64; ++i) CHECK(sums[i] == i + 64 + 2000);
}

TEST_CASE("Tiles of a warp shuffle, vote, match, reduce and scan among themselves") {
  const Tensor of_4 = sim_zeros({64, 11}), of_32 = sim_zeros({64, 11});
  CHECK(findings_of([&] { launch<tiles>(block_of(64), of_4, of_32); }).empty());
  for (int i = 0; i < 64; ++i) {
    CHECK(ints(of_4[i]) == expected_of_tile(i % 32, 4, 8));
    auto expected = expected_of_tile(i % 32, 32, 2);
    expected[9] = i / 32 + 200;
    CHECK(ints(of_32[i]) == expected);
  }
}

TEST_CASE("A tile of several warps reduces and waits by itself") {
  const Tensor sums = sim_zeros({192}), last = sim_zeros({192});
  CHECK(findings_of([&] { launch<large_tiles>(block_of(192), sums, last); }).empty());
  for (int i = 0; i < 192; ++i) {
    const int first = i / 64 * 64;
    CHECK(ints(sums)[i] == 64 * first + 64 * 63 / 2 + first + 63);
    CHECK(ints(last)[i] == first + 63 + 2);
  }
}

TEST_CASE("The lanes of a branch are a group") {
  const Tensor out = sim_zeros({64, 7});
  const auto check = [&] {
    std::vector<int> lanes;
    for (int lane = 1; lane < 32; lane += 3) lanes.push_back(lane);
    const int size = static_cast<int>(lanes.size());
    for (int rank = 0; rank < size; ++rank) {
      const int down = lanes[std::min(rank + 1, size - 1)], up = lanes[std::max(rank - 1, 0)];
      const bool is_single = rank == size - 1;  // 11 lanes: the last pair has one
      CHECK(ints(out[32 + lanes[rank]]) ==
            std::vector{size, rank, 176, 7 + 100 * down + 10000 * up, 0x7e0, rank + 1,
                        (is_single ? 1 : 2) + 10 * (rank / 2) + 1000 * lanes[rank / 2 * 2]});
    }
  };
  launch<lanes_of_branch>(block_of(64), out);
  check();
  for (const auto order : {simt::Order::kForward, simt::Order::kReversed, simt::Order::kRandom}) {
    out.zero_();
    CHECK(
        findings_of([&] { launch<lanes_of_branch>(block_of(64), out); }, {.order = order}).empty());
    check();
  }
}

TEST_CASE("Groups are divided by labels and predicates") {
  const Tensor out = sim_zeros({32, 4});
  CHECK(findings_of([&] { launch<partitions>(block_of(32), out); }).empty());
  for (int lane = 0; lane < 32; ++lane) {
    int sum = 0;
    for (int other = lane % 5; other < 32; other += 5) sum += other;
    CHECK(ints(out[lane]) == std::vector{sum, lane % 5 + 50, lane >= 8 ? 24 : 8, lane % 8 + 80});
  }
}

TEST_CASE("A counter that one lane of a branch increments counts all of its lanes") {
  const Tensor in = (arange(256, kInt) - 100).to("sim:0"), count = sim_zeros({1});
  launch<aggregated_count>({.grid = 2, .block = 128}, in, count);
  CHECK(ints(count) == std::vector{155});
}

TEST_CASE("All blocks of a cooperative launch wait for each other") {
  const int blocks = 40, n = blocks * 64, steps = 5;  // more threads than a block may have
  for (const auto order : {simt::Order::kForward, simt::Order::kReversed, simt::Order::kRandom}) {
    const Tensor a = arange(n, kInt).to("sim:0"), b = sim_zeros({n});
    const auto work = [&] {
      launch<grid_steps>({.grid = blocks, .block = 64, .is_cooperative = true}, a, b, steps);
    };
    if (order == simt::Order::kForward)
      work();
    else
      CHECK(findings_of(work, {.order = order}).empty());
    const std::vector<int> values = ints(b);
    for (int i = 0; i < n; ++i) REQUIRE(values[i] == (i + steps) % n + steps);
  }
}

TEST_CASE("A barrier of the grid needs a cooperative launch") {
  const Tensor a = sim_zeros({128}), b = sim_zeros({128});
  const auto findings = findings_of([&] { launch<grid_steps>({.grid = 2, .block = 64}, a, b, 1); });
  REQUIRE(findings.size() == 1);
  CHECK(findings[0] ==
        place_of_mark("grid_sync") +
            ": thread (0,0,0) of block (0,0,0) waits for the whole grid, but the launch is not "
            "cooperative\n  blocks of other launches may run one after another: launch the kernel "
            "with cudaLaunchCooperativeKernel");
}

TEST_CASE("Blocks that miss a barrier of the grid, and threads that wait elsewhere, are reported") {
  const Tensor out = sim_zeros({4});
  const auto half =
      findings_of([&] { launch<grid_half>({.grid = 4, .block = 1, .is_cooperative = true}, out); });
  REQUIRE(half.size() == 1);
  CHECK(half[0].starts_with(place_of_mark("grid_half") +
                            ": 2 blocks of 4 wait here for the whole grid, the others have ended"));
  CHECK(ints(out) == std::vector{1, 0, 1, 0});
  const auto mixed = findings_of(
      [&] { launch<mixed_barriers>({.grid = 1, .block = 4, .is_cooperative = true}, out); });
  REQUIRE(mixed.size() == 1);
  CHECK(mixed[0].starts_with(place_of_mark("mixed_barriers") +
                             ": 3 threads of block (0,0,0) wait here, 1 for the whole grid at"));
}

TEST_CASE("A cooperative launch with more threads than can run at once is refused") {
  const Tensor out = sim_zeros({300});
  const auto findings = findings_of(
      [&] { launch<grid_half>({.grid = 300, .block = 1024, .is_cooperative = true}, out); });
  REQUIRE_FALSE(findings.empty());
  CHECK(
      findings[0].starts_with("grid_half: the launch is refused with "
                              "cudaErrorCooperativeLaunchTooLarge: all 307200 threads "
                              "would have to run at the same time"));
}

TEST_CASE("Blocks of a cooperative launch that do not wait race") {
  const Tensor a = sim_zeros({4}), out = sim_zeros({4});
  CHECK_FALSE(findings_of([&] {
                launch<grid_race>({.grid = 4, .block = 1, .is_cooperative = true}, a, out);
              }).empty());
}

TEST_CASE("Asynchronous copies are there after the thread has waited for them, and not before") {
  const int tiles = 5;
  const Tensor in = arange(64 * tiles, kFloat).to("sim:0"), out = sim_zeros({64}, kFloat);
  const Tensor expected = in.cpu().view({tiles, 64}).sum(0).flip({0});
  CHECK(findings_of([&] { launch<double_buffer<true>>(block_of(64), in, out, tiles); }).empty());
  CHECK(out.cpu().equal(expected));
  out.zero_();
  launch<pipelined>(block_of(64), in, out, tiles);
  CHECK(out.cpu().equal(expected));
  CHECK(findings_of([&] { launch<pipelined>(block_of(64), in, out, tiles); }).empty());
  const auto missing =
      findings_of([&] { launch<double_buffer<false>>(block_of(64), in, out, tiles); });
  REQUIRE_FALSE(missing.empty());
  CHECK(missing[0].find("tile") != missing[0].npos);
}

TEST_CASE("A copy may write from its start, where other threads may still read its buffer") {
  const int tiles = 5;
  const Tensor in = arange(64 * tiles, kFloat).to("sim:0"), out = sim_zeros({64}, kFloat);
  const auto findings = [&]<auto * kernel>() {
    return findings_of([&] { launch<kernel>(block_of(64), in, out, tiles); });
  };
  CHECK(findings.operator()<copy_ahead<true, 2>>().empty());
  CHECK(findings.operator()<copy_two_ahead<true>>().empty());
  const std::string barrier = "Cure: __syncthreads() in front of line",
                    buffer = "Cure: copy to another buffer";
  for (const auto& [found, cure] :
       {std::pair(findings.operator()<copy_ahead<false, 2>>(), barrier),
        std::pair(findings.operator()<copy_two_ahead<false>>(), barrier),
        std::pair(findings.operator()<copy_ahead<true, 1>>(), buffer)}) {
    REQUIRE_FALSE(found.empty());
    INFO(found[0]);
    CHECK(found[0].find("starts to write tile[") != found[0].npos);
    CHECK(found[0].find("write after read") != found[0].npos);
    CHECK(found[0].find(cure) != found[0].npos);
    CHECK((found[0].find("'s copy") != found[0].npos) == (cure == barrier));
  }
}

TEST_CASE("Copies for which nobody waits are checked, too") {
  const Tensor in = arange(64, kFloat).to("sim:0"), out = sim_zeros({64}, kFloat);
  CHECK(findings_of([&] { launch<unawaited_copies>(block_of(64), in, out); }).empty());
  const auto found =
      findings_of([&] { launch<unawaited_copies>(block_of(64), in.narrow(0, 0, 40), out); });
  REQUIRE(found.size() == 1);
  CHECK(found[0].find("reads in[40], past the end of in") != std::string::npos);
}

TEST_CASE("A profile counts asynchronous copies, and those that last during other work") {
  const Tensor in = arange(64 * 5, kFloat).to("sim:0"), out = sim_zeros({64}, kFloat);
  const auto profile_of = [&](int tiles) {
    return simt::observe({}, [&] { launch<double_buffer<true>>(block_of(64), in, out, tiles); })[0]
        .profile;
  };
  CHECK(profile_of(5).async_bytes == 5 * 256);
  CHECK(profile_of(5).overlapped_async_bytes == 4 * 256);
  CHECK(simt::table(profile_of(5))
            .find("asynchronous copies: 1,280 bytes, 1,024 of them during other work") !=
        std::string::npos);
  CHECK(profile_of(1).async_bytes == 256);
  CHECK(profile_of(1).overlapped_async_bytes == 0);
}

TEST_CASE("Producers and consumers share a pipeline") {
  const int tiles = 7;
  const Tensor in = arange(32 * tiles, kFloat).to("sim:0"), out = sim_zeros({32}, kFloat);
  const auto work = [&] { launch<divided_pipeline>(block_of(64), in, out, tiles); };
  work();
  CHECK(out.cpu().equal(in.cpu().view({tiles, 32}).sum(0).flip({0})));
  CHECK(findings_of(work).empty());
}

TEST_CASE("A group copies together") {
  const Tensor in = arange(100, kFloat).to("sim:0"), out = empty_like(in);
  CHECK(findings_of([&] { launch<group_copy>(block_of(64), in, out); }).empty());
  CHECK(out.cpu().equal(in.cpu().flip({0})));
}

TEST_CASE("cuda::barrier orders what threads write before they arrive") {
  const Tensor out = sim_zeros({3, 64});
  launch<barrier_phases>(block_of(64), out);
  const std::vector<int> values = ints(out);
  for (int phase = 0; phase < 3; ++phase)
    for (int i = 0; i < 64; ++i) CHECK(values[64 * phase + i] == phase * 100 + 63 - i);
  CHECK(findings_of([&] { launch<barrier_phases>(block_of(64), out); }).empty());
}

TEST_CASE("cuda::atomic_ref passes data on to another block") {
  const Tensor data = sim_zeros({1}), flag = sim_zeros({1}), out = sim_zeros({2});
  CHECK(findings_of([&] { launch<passed_on>({.grid = 2, .block = 32}, data, flag, out); }).empty());
  CHECK(ints(out) == std::vector{42, 64});
}

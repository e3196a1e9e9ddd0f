// The observers on real kernels: what they find in wrong ones, that they leave right ones alone in
// every order of threads, and what they count.
#include <sys/resource.h>

#include "../machine/marks.h"
#include "catch.h"
#include "kernels.h"
#include "launch/launch.h"
#include "simt/observe.h"
#include "simt/observe/report.h"
#include "td/td.h"

using namespace td;
using simt::Finding;
using simt::KernelReport;
using simt::kLoad;
using simt::kStore;
using simt::launch;

namespace {

constexpr auto kOrders = {simt::Order::kForward, simt::Order::kReversed, simt::Order::kRandom};

KernelReport observed(const std::function<void()>& work,
                      simt::Order order = simt::Order::kForward) {
  simt::ObserveOptions options;
  options.order = order;
  options.seed = 7;
  auto reports = simt::observe(options, work);
  REQUIRE(reports.size() == 1);
  return reports[0];
}

/// Requires a fault of this kind at the marked line whose text has this part, in every order.
void check_found(const std::function<void()>& work, Finding::Kind kind, const std::string& mark,
                 const std::string& part) {
  for (const simt::Order order : kOrders) {
    const KernelReport report = observed(work, order);
    bool found = false;
    for (const Finding& finding : report.findings) {
      UNSCOPED_INFO(finding.text);
      found |= finding.kind == kind && !finding.is_note &&
               finding.text.find(place_of_mark(mark) + ": ") == 0 &&
               finding.text.find(part) != std::string::npos;
    }
    CHECK(found);
  }
}

void check_clean(const std::function<void()>& work) {
  for (const simt::Order order : kOrders) {
    const KernelReport report = observed(work, order);
    for (const Finding& finding : report.findings) UNSCOPED_INFO(finding.text);
    CHECK(report.first_fault() == nullptr);
    CHECK(report.profile.never_written.empty());
  }
}

Tensor floats(std::int64_t n) { return ones({n}, kFloat).to("sim:0"); }
Tensor zero_floats(std::int64_t n) { return zeros({n}, kFloat).to("sim:0"); }

}  // namespace

TEST_CASE("transposes have the sectors and passes of a count by hand") {
  const int n = 64;
  const Tensor in = ones({n, n}, kFloat).to("sim:0"), out = zeros({n, n}, kFloat).to("sim:0");
  const simt::LaunchConfig config{.grid = {2, 2}, .block = {32, 32}};
  const auto naive = observed([&] { launch<naive_transpose>(config, in, out, n); });
  CHECK(naive.first_fault() == nullptr);
  CHECK(naive.profile.global(kLoad).per_request() == 4);
  CHECK(naive.profile.global(kStore, line_of_mark("naive").number).per_request() == 32);
  CHECK(naive.profile.global(kStore).requests == 128);
  CHECK(naive.profile.distinct_sectors == 1024);

  const auto narrow = observed([&] { launch<narrow_transpose>(config, in, out, n); });
  CHECK(narrow.first_fault() == nullptr);
  CHECK(narrow.profile.global().excess() == 0);
  CHECK(narrow.profile.shared(kLoad, line_of_mark("column").number).worst_ways == 32);
  CHECK(narrow.profile.shared(kLoad).transfers == 128 * 32);
  CHECK(narrow.profile.static_shared == 4096);

  const auto padded = observed([&] { launch<padded_transpose>(config, in, out, n); });
  CHECK(padded.profile.shared().excess() == 0);
  CHECK(padded.profile.shared().requests == 256);
  CHECK(padded.profile.static_shared == 4224);
  CHECK(padded.profile.barriers == 1);
}

TEST_CASE("a tiled product has the sectors, passes and barriers of a count by hand") {
  const int n = 64;
  const Tensor a = ones({n, n}, kFloat).to("sim:0"), b = ones({n, n}, kFloat).to("sim:0");
  const Tensor c = zeros({n, n}, kFloat).to("sim:0");
  const auto report = observed([&] {
    launch<tiled_matmul>({.grid = {4, 4}, .block = {16, 16}, .flops = 2.0 * n * n * n}, a, b, c, n);
  });
  INFO(simt::table(report.profile));
  CHECK(report.first_fault() == nullptr);
  CHECK(report.profile.barriers == 8);
  // 16 blocks, 4 tiles, 8 warps; each reads two rows of 16 floats: four sectors.
  CHECK(report.profile.global(kLoad, line_of_mark("a").number).requests == 512);
  CHECK(report.profile.global(kLoad, line_of_mark("a").number).transfers == 2048);
  CHECK(report.profile.global(kLoad, line_of_mark("b").number).transfers == 2048);
  CHECK(report.profile.shared().excess() == 0);
  CHECK(report.profile.distinct_sectors == 3 * 64 * 64 / 8);
}

TEST_CASE("a missing barrier is found in every order of threads") {
  const Tensor in = floats(512), out = zero_floats(2);
  check_found([&] { launch<sum_without_barrier>({.grid = 2, .block = 256}, in, out, 512); },
              Finding::Kind::kRace, "no barrier before", "Cure: __syncthreads() in front of");
}

TEST_CASE("threads that leave their element unwritten are found") {
  const Tensor in = floats(300), out = zero_floats(2);
  check_found([&] { launch<sum_of_unwritten>({.grid = 2, .block = 256}, in, out, 300); },
              Finding::Kind::kUninitialized, "unwritten", "s is __shared__ float[256]");
}

TEST_CASE("a histogram without atomics races, one with atomics does not") {
  const Tensor in = zeros({512}, kUInt8).to("sim:0"), bins = zeros({256}, kInt).to("sim:0");
  check_found([&] { launch<racy_histogram>({.grid = 2, .block = 256}, in, 512, bins); },
              Finding::Kind::kRace, "racy bins",
              "Cure: let one thread update each element, or use an atomic function, such as "
              "atomicAdd(&bins[0], ...)");
  check_clean([&] { launch<histogram>({.grid = 2, .block = 256}, in, 512, bins); });
}

TEST_CASE("the last block may add what others wrote before a fence, but not without the fence") {
  const Tensor in = floats(512), partial = zero_floats(8), out = zero_floats(1);
  const Tensor count = zeros({1}, kInt).to("sim:0");
  check_clean(
      [&] { launch<last_block_sum>({.grid = 8, .block = 64}, in, partial, count, out, 512); });
  CHECK(out.cpu()[0].item<float>() == 512);
  check_found([&] { launch<unfenced_sum>({.grid = 8, .block = 64}, in, partial, count, out, 512); },
              Finding::Kind::kRace, "partial", "nothing orders the blocks of a launch");
}

TEST_CASE("a warp that calls __syncwarp has no race, one that does not has") {
  const Tensor in = floats(32), out = zero_floats(1);
  check_clean([&] { launch<warp_sum>({.grid = 1, .block = 32}, in, out); });
  check_found([&] { launch<unsynchronized_warp_sum>({.grid = 1, .block = 32}, in, out); },
              Finding::Kind::kRace, "warp", "in block (0,0,0)");
}

TEST_CASE("two buffers need one barrier per step, one buffer needs two") {
  const Tensor in = ones({64}, kInt).to("sim:0"), out = zeros({64}, kInt).to("sim:0");
  check_clean([&] { launch<double_buffered_scan>({.grid = 1, .block = 64}, in, out); });
  CHECK(out.cpu()[63].item<int>() == 64);
  check_found([&] { launch<scan_in_place>({.grid = 1, .block = 64}, in, out); },
              Finding::Kind::kRace, "in place", "Cure: __syncthreads() in front of");
}

TEST_CASE("a float4 must lie at a multiple of 16 bytes") {
  const Tensor in = floats(136), out = zero_floats(128);
  const auto report = observed([&] { launch<scale4>({.grid = 1, .block = 32}, in, out, 8); });
  CHECK(report.first_fault() == nullptr);
  CHECK(report.profile.global(kLoad).per_request() == 16);
  CHECK(report.profile.global(kStore).requests == 1);
  check_found([&] { launch<scale4>({.grid = 1, .block = 32}, in, out, 1); },
              Finding::Kind::kMisaligned, "float4", "in is float[136]");
}

TEST_CASE("an index past the end of a shared variable is found") {
  const Tensor in = floats(64), out = zero_floats(64);
  check_found([&] { launch<shared_overrun>({.grid = 1, .block = 64}, in, out); },
              Finding::Kind::kOutOfBounds, "overrun", "s is __shared__ float[64]");
}

TEST_CASE("a struct of two floats may lie at any float, and is read one float at a time") {
  const Tensor in = floats(65), out = zero_floats(64);
  check_clean([&] { launch<copy_pairs>({.grid = 1, .block = 32}, in, out, 1); });
  const auto report = observed([&] { launch<copy_pairs>({.grid = 1, .block = 32}, in, out, 0); });
  CHECK(report.profile.global(kLoad, line_of_mark("pairs").number).transfers == 2 * 8);
}

TEST_CASE("a fence and an atomic flag order two warps of a block") {
  const Tensor out = zeros({1}, kInt).to("sim:0");
  check_clean([&] { launch<pass_by_flag>({.grid = 1, .block = 64}, out); });
  CHECK(out.cpu()[0].item<int>() == 42);
}

TEST_CASE("a shared variable of halves has the size and requests of its type") {
  const Tensor in = ones({64}, kHalf).to("sim:0"), out = zeros({64}, kHalf).to("sim:0");
  check_clean([&] { launch<half_tile>({.grid = 1, .block = 64}, in, out); });
  const auto report = observed([&] { launch<half_tile>({.grid = 1, .block = 64}, in, out); });
  CHECK(report.profile.static_shared == 128);
  CHECK(report.profile.shared().requests == 4);
}

TEST_CASE("threadIdx.x - 1 of thread 0 is an index past the end") {
  const Tensor in = floats(64), out = zero_floats(64);
  check_found([&] { launch<left_neighbour>({.grid = 1, .block = 64}, in, out); },
              Finding::Kind::kOutOfBounds, "left", "reads in[4294967295], past the end of in");
}

TEST_CASE("A loop around atomicCAS is right, in every order, although its first read is plain") {
  const Tensor in = arange(0, 96, 1, kFloat).to("sim:0"), most = zero_floats(1);
  check_clean([&] { launch<atomic_float_max>({.grid = 3, .block = 32}, in, most); });
  CHECK(most.cpu().item<float>() == 95);
}

#if !defined(__clang__)  // which inlines no function that another library could replace
TEST_CASE("A race between helpers is reported at the kernel's lines that call them") {
  const Tensor in = floats(64), out = zero_floats(64);
  check_found([&] { launch<exchange_by_helpers>({.grid = 1, .block = 64}, in, out); },
              Finding::Kind::kRace, "get",
              "Cure: __syncthreads() in front of line " +
                  std::to_string(line_of_mark("get").number) + "'s read");
}
#endif

TEST_CASE("Requests of long loops are counted exactly, although few are kept") {
  constexpr int n = 64 * 5000;
  const Tensor in = floats(n), out = zero_floats(64);
  for (const simt::Order order : kOrders) {
    const auto report =
        observed([&] { launch<long_loops>({.grid = 1, .block = 64}, in, out, n); }, order);
    const auto loads = report.profile.of("in", kLoad);
    CHECK(loads.requests == n / 32);
    CHECK(loads.transfers == n / 8);
  }
  CHECK(out.cpu()[63].item<float>() == 5000);
}

TEST_CASE("A long loop of one lane takes little memory") {
  constexpr int n = 300'000;
  const Tensor in = floats(1000), out = zero_floats(64);
  const auto kilobytes = [] {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
  };
  const auto before = kilobytes();
  const auto report =
      observed([&] { launch<one_long_loop>({.grid = 1, .block = 64}, in, out, n); });
  CHECK(kilobytes() - before < 60 << 10);
  CHECK(report.profile.of("in", kLoad).requests == 2 * n);
  CHECK(out.cpu()[35].item<float>() == n);
}

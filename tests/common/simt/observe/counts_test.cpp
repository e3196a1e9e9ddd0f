// The counts of a profile against counts by hand: sectors, passes over banks, lanes, bytes.
#include "catch.h"
#include "script.h"

namespace td::simt {
namespace {

/// Reads element first + t * stride of a tensor with one warp, or its first `lanes`.
Counts loads(unsigned lanes, std::size_t first, std::size_t stride, std::size_t size = 4) {
  Script script(32);
  const char* in = script.tensor("in", 2048, size, true);
  const KernelReport report = script.run([&] {
    for (unsigned t = 0; t < lanes; ++t) script.read(t, in + (first + t * stride) * size, 7, size);
  });
  CHECK(report.findings.empty());
  CHECK(report.profile.distinct_sectors == report.profile.global(kLoad).transfers);
  return report.profile.global(kLoad, 7);
}

void check(const Counts& counts, std::size_t sectors, std::size_t ideal, std::size_t bytes) {
  CHECK(counts.requests == 1);
  CHECK(counts.transfers == sectors);
  CHECK(counts.ideal == ideal);
  CHECK(counts.bytes == bytes);
}

TEST_CASE("sectors of a request of floats") {
  SECTION("neighbors: four sectors") { check(loads(32, 0, 1), 4, 4, 128); }
  SECTION("shifted by one: five") { check(loads(32, 1, 1), 5, 4, 128); }
  SECTION("shifted by a sector: four") { check(loads(32, 8, 1), 4, 4, 128); }
  SECTION("every second: eight") { check(loads(32, 0, 2), 8, 4, 128); }
  SECTION("every eighth: one for each lane") { check(loads(32, 0, 8), 32, 4, 128); }
  SECTION("every 33rd: one for each lane") { check(loads(32, 0, 33), 32, 4, 128); }
  SECTION("one address for all lanes: one, and none wasted") {
    const Counts counts = loads(32, 5, 0);
    check(counts, 1, 1, 4);
    CHECK(counts.excess() == 0);
  }
}

TEST_CASE("sectors of other types: the ideal is 1, 2, 8 and 16") {
  check(loads(32, 0, 1, 1), 1, 1, 32);
  check(loads(32, 0, 1, 2), 2, 2, 64);
  check(loads(32, 0, 1, 8), 8, 8, 256);
  check(loads(32, 0, 1, 16), 16, 16, 512);
  check(loads(32, 0, 2, 16), 32, 16, 512);
}

TEST_CASE("a request of few lanes is judged by what these lanes access") {
  const Counts counts = loads(5, 0, 1);
  check(counts, 1, 1, 20);
  CHECK(counts.active_lanes() == 5);
  CHECK(counts.used_percent() == Approx(62.5));
  check(loads(9, 0, 1), 2, 2, 36);
  check(loads(2, 7, 1), 2, 1, 8);
}

TEST_CASE("the order of the lanes does not matter, nor that of the threads") {
  Script script(64);
  const char* in = script.tensor("in", 64, 4, true);
  const KernelReport report = script.run([&] {
    for (unsigned t = 64; t-- > 0;) script.read(t, in + 4 * (t ^ 5), 7);
  });
  CHECK(report.profile.global(kLoad).requests == 2);
  CHECK(report.profile.global(kLoad).transfers == 8);
  CHECK(report.profile.worst(Space::kGlobal)->excess() == 0);
}

TEST_CASE("from each barrier on, the n-th execution by each lane counts as one request") {
  Script script(32);
  const char* in = script.tensor("in", 1024, 4, true);
  const KernelReport report = script.run([&] {
    for (unsigned t = 0; t < 32; ++t)
      for (unsigned i = 0; i < 3; ++i) script.read(t, in + 4 * (32 * i + t), 7);
    script.read(0, in, 8);  // lane 0 alone ...
    script.barrier(9);
    for (unsigned t = 0; t < 32; ++t) script.read(t, in + 4 * t, 8);
  });
  CHECK(report.profile.global(kLoad, 8).requests == 2);
  CHECK(report.profile.global(kLoad, 8).transfers == 5);
  CHECK(report.profile.global(kLoad, 7).requests == 3);
  CHECK(report.profile.global(kLoad, 7).transfers == 12);
}

TEST_CASE("a struct counts in the pieces to which it is aligned") {
  Script script(32);
  const char* in = script.tensor("in", 96, 4, true);
  const KernelReport report = script.run([&] {
    for (unsigned t = 0; t < 32; ++t) script.read(t, in + 12 * t, 7, 12);
  });
  const Counts counts = report.profile.global(kLoad);
  CHECK(counts.requests == 3);
  CHECK(counts.transfers == 36);  // each of three reads walks over all 12 sectors
  CHECK(counts.ideal == 12);
}

TEST_CASE("atomics are counted separately, with the lanes that access one word") {
  Script script(32);
  char* bins = script.tensor("bins", 256);
  char* s = script.shared("s", 64);
  const KernelReport report = script.run([&] {
    for (unsigned t = 0; t < 32; ++t) script.write(t, s + 4 * t, 6);
    script.barrier(7);
    for (unsigned t = 0; t < 32; ++t) script.atomic(t, bins + 4 * (t % 4 == 0 ? 0 : t), 8);
    for (unsigned t = 0; t < 32; ++t) script.atomic(t, s + 4 * (t / 4), 9);
  });
  CHECK(report.profile.global().requests == 0);
  CHECK(report.profile.global(kAtomic).requests == 1);
  CHECK(report.profile.global(kAtomic).same_word == 8);
  CHECK(report.profile.shared(kAtomic).same_word == 4);
  CHECK(report.profile.shared(kAtomic).transfers == 1);
}

/// One warp reads words of shared memory; lane t those at byte offset_of(t).
template <class Offset>
Counts passes(std::size_t size, Offset offset_of, unsigned lanes = 32) {
  Script script(32);
  char* s = script.shared("s", 4096);
  const KernelReport report = script.run([&] {
    for (unsigned i = 0; i < 4096; ++i) script.write(0, s + 4 * i, 6);
    script.barrier(7);
    for (unsigned t = 0; t < lanes; ++t) script.read(t, s + offset_of(t), 8, size);
  });
  CHECK(report.findings.empty());
  return report.profile.shared(kLoad, 8);
}

void check_passes(const Counts& counts, std::size_t passes, std::size_t ideal, int ways) {
  CHECK(counts.requests == 1);
  CHECK(counts.transfers == passes);
  CHECK(counts.ideal == ideal);
  CHECK(counts.worst_ways == ways);
}

TEST_CASE("passes over the banks for words of four bytes") {
  check_passes(passes(4, [](unsigned t) { return 4 * t; }), 1, 1, 1);
  check_passes(passes(4, [](unsigned t) { return 4 * 2 * t; }), 2, 1, 2);
  check_passes(passes(4, [](unsigned t) { return 4 * 32 * t; }), 32, 1, 32);
  check_passes(passes(4, [](unsigned t) { return 4 * 33 * t; }), 1, 1, 1);
  check_passes(passes(4, [](unsigned) { return 4u; }), 1, 1, 1);
  check_passes(passes(
                   4, [](unsigned t) { return 4 * 32 * t; }, 5),
               5, 1, 5);
}

TEST_CASE("bytes of one word do not conflict") {
  check_passes(passes(1, [](unsigned t) { return t; }), 1, 1, 1);
  check_passes(passes(2, [](unsigned t) { return 64 * t; }), 16, 1, 16);
}

TEST_CASE("8 bytes go in two groups of 16 lanes, 16 bytes in four of 8") {
  check_passes(passes(8, [](unsigned t) { return 8 * t; }), 2, 2, 1);
  check_passes(passes(8, [](unsigned t) { return 8 * 33 * t; }), 2, 2, 1);
  check_passes(passes(8, [](unsigned t) { return 8 * 32 * t; }), 32, 2, 16);
  check_passes(passes(16, [](unsigned t) { return 16 * t; }), 4, 4, 1);
  check_passes(passes(16, [](unsigned t) { return 128 * t; }), 32, 4, 8);
  check_passes(passes(
                   8, [](unsigned t) { return 8 * t; }, 10),
               1, 1, 1);
}

TEST_CASE("a lane of a matrix load may have 32 bytes: one request in eight passes") {
  check(loads(32, 0, 1, 32), 32, 32, 1024);
  check_passes(passes(32, [](unsigned t) { return 32 * t; }), 8, 8, 1);
}

/// A transpose of n x n floats in tiles of 32 x 32, without a tile in shared memory where `width`,
/// the floats of a row of it, is 0.
Profile transpose(unsigned n, unsigned width) {
  Script script({32, 32}, {n / 32, n / 32});
  const char* in = script.tensor("in", n * n, 4, true, {n, n});
  char* out = script.tensor("out", n * n, 4, false, {n, n});
  char* tile = script.shared("tile", width == 0 ? 1 : 32 * width);
  const KernelReport report = script.run([&] {
    const unsigned left = script.block().x * 32, top = script.block().y * 32;
    script.each([&](unsigned t) {
      const unsigned x = t % 32, y = t / 32;
      script.read(t, in + 4 * ((top + y) * n + left + x), 7);
      if (width == 0)
        script.write(t, out + 4 * ((left + x) * n + top + y), 9);
      else
        script.write(t, tile + 4 * (y * width + x), 7);
    });
    if (width == 0) return;
    script.barrier(8);
    script.each([&](unsigned t) {
      const unsigned x = t % 32, y = t / 32;
      script.read(t, tile + 4 * (x * width + y), 9);
      script.write(t, out + 4 * ((left + y) * n + top + x), 9);
    });
  });
  CHECK(report.findings.empty());
  CHECK(report.profile.never_written.empty());
  return report.profile;
}

TEST_CASE("a transpose without a tile stores to 32 sectors per request") {
  const Profile profile = transpose(64, 0);
  CHECK(profile.warps == 128);
  CHECK(profile.global(kLoad, 7).requests == 128);
  CHECK(profile.global(kLoad, 7).per_request() == 4);
  CHECK(profile.global(kLoad, 7).excess() == 0);
  CHECK(profile.global(kStore, 9).per_request() == 32);
  CHECK(profile.global(kStore, 9).excess_percent() == 87.5);
  CHECK(profile.distinct_sectors == 2 * 64 * 64 * 4 / 32);
  CHECK(profile.worst(Space::kGlobal)->variable == "out");
  CHECK(profile.static_shared == 0);
  CHECK(profile.barriers == 0);
}

TEST_CASE("a tile that is 32 wide conflicts 32 ways, one that is 33 wide does not") {
  const Profile narrow = transpose(64, 32);
  CHECK(narrow.global().excess() == 0);
  CHECK(narrow.global(kStore, 9).per_request() == 4);
  CHECK(narrow.shared(kStore, 7).excess() == 0);
  CHECK(narrow.shared(kLoad, 9).requests == 128);
  CHECK(narrow.shared(kLoad, 9).transfers == 128 * 32);
  CHECK(narrow.shared(kLoad, 9).worst_ways == 32);
  CHECK(narrow.barriers == 1);
  CHECK(narrow.static_shared == 4096);
  const Profile padded = transpose(64, 33);
  CHECK(padded.shared().excess() == 0);
  CHECK(padded.static_shared == 4224);
  CHECK(padded.of("tile", kLoad).requests == 128);
  CHECK(padded.occupancy.blocks == 2);
  CHECK(padded.occupancy.registers_limit_above == 32);
}

TEST_CASE("lanes that index from one shared variable into the next are outside the first") {
  Script script(32);
  char* both = script.shared("s", 64);
  script.info().shared.clear();
  script.add_shared("s", both, 32, 4);
  script.add_shared("t", both + 128, 32, 4);
  const auto write = [&](unsigned thread, unsigned index, int line) {
    Access access{AccessKind::kWrite,
                  Space::kShared,
                  false,
                  index < 32 ? std::uint16_t{0} : std::uint16_t{1},
                  4,
                  reinterpret_cast<std::uintptr_t>(both + 4 * index),
                  Script::at(line)};
    script.observers().access(script.info(thread), access);
  };
  const KernelReport report = script.run([&] {
    for (unsigned t = 0; t < 32; ++t) write(t, t + 1, 8);  // s[t + 1]
    script.barrier(9);
    for (unsigned t = 0; t < 32; ++t) write(t, 31 - t, 10);  // all lanes in s
    script.barrier(9);
    for (unsigned t = 0; t < 32; ++t) write(t, 63 - t, 10);  // then all in t
  });
  REQUIRE(report.findings.size() == 1);
  CHECK(report.findings[0].kind == Finding::Kind::kOutOfBounds);
  CHECK(report.findings[0].text ==
        "sum.cu:8: writes s[32], which is t[0]: past the end of s\n"
        "  thread (31,0,0) of block (0,0,0), lane 31 of warp 0\n"
        "  s is __shared__ float[32], t is __shared__ float[32]. Cure: keep the index below 32, or "
        "make s larger");
}

TEST_CASE(
    "flops are those of the launch and of matrix products; intensity counts each sector once") {
  Script script(64, 2);
  script.info().flops = 1024;
  const char* in = script.tensor("in", 64, 4, true);
  const KernelReport report = script.run([&] {
    for (int pass = 0; pass < 3; ++pass)
      script.each([&](unsigned t) { script.read(t, in + 4 * t, 7 + pass); });
    script.observers().matrix_product(0, 16, 16, 16, Script::at(10));
  });
  const Profile& profile = report.profile;
  CHECK(profile.matrix_products == 2);
  CHECK(profile.tensor_flops == 2 * 8192);
  CHECK(profile.distinct_sectors == 8);
  CHECK(profile.global().transfers == 8 * 6);
  CHECK(profile.intensity() == Approx((1024 + 16384) / 256.0));
  CHECK(profile.bound.memory == Approx(256 / 3350e9));
  CHECK(profile.threads == 128);
}

TEST_CASE("a sector that is read and written counts twice, as in y = a * x + y") {
  Script script(64);
  script.info().flops = 128;
  const char* x = script.tensor("x", 64, 4, true);
  char* y = script.tensor("y", 64);
  const KernelReport report = script.run([&] {
    for (int pass = 0; pass < 2; ++pass)
      script.each([&](unsigned t) {
        script.read(t, x + 4 * t, 7);
        script.read(t, y + 4 * t, 7);
        script.write(t, y + 4 * t, 7);
      });
  });
  CHECK(report.profile.distinct_sectors == 3 * 8);
  CHECK(report.profile.intensity() == Approx(2.0 / 12));
}

TEST_CASE("branch efficiency is the share of lanes that run with their warp") {
  Script script(64);
  const KernelReport report = script.run([&] {
    script.each([&](unsigned t) {
      script.observers().basic_block(script.info(t), 100);
      for (unsigned i = 0; i < (t < 32 ? t % 2 * 2 : 2); ++i)
        script.observers().basic_block(script.info(t), 200);
    });
  });
  // Block 100: two warps with 32 lanes each. Block 200: two times 16 lanes, then two times 32.
  CHECK(report.profile.branch_efficiency == Approx(100.0 * (64 + 32 + 64) / (32 * 6)));
  CHECK(script.run([] {}).profile.branch_efficiency == 0);
}

}  // namespace
}  // namespace td::simt

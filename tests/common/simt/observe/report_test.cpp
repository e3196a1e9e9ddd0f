// The reports: the table to the letter, the pictures by their parts, JSON by its figures.
#include "simt/observe/report.h"

#include <sstream>

#include "catch.h"
#include "script.h"

namespace td::simt {
namespace {

/// A transpose of 64 x 64 floats through a tile of 32 x `width`; by rows and columns without one.
KernelReport transpose(unsigned width) {
  constexpr unsigned n = 64;
  Script script({32, 32}, {n / 32, n / 32});
  const char* in = script.tensor("in", n * n, 4, true, {n, n});
  char* out = script.tensor("out", n * n, 4, false, {n, n});
  char* tile = script.shared("tile", 32 * std::max(width, 1u));
  return script.run([&] {
    const unsigned left = script.block().x * 32, top = script.block().y * 32;
    script.each([&](unsigned t) {
      const unsigned x = t % 32, y = t / 32;
      script.read(t, in + 4 * ((top + y) * n + left + x), 7);
      if (width == 0) script.write(t, out + 4 * ((left + x) * n + top + y), 9);
      if (width != 0) script.write(t, tile + 4 * (y * width + x), 7);
    });
    if (width == 0) return;
    script.barrier(8);
    script.each([&](unsigned t) {
      const unsigned x = t % 32, y = t / 32;
      script.read(t, tile + 4 * (x * width + y), 9);
      script.write(t, out + 4 * ((left + y) * n + top + x), 9);
    });
  });
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    ++count;
  return count;
}

TEST_CASE("the table of a transpose without a tile has its excess first") {
  CHECK(table(transpose(0).profile) ==
        "sum: grid (2,2), block (32,32), 4,096 threads in 128 warps\n"
        "global               requests  sectors    ideal  per request\n"
        "  store  out:9            128    4,096      512    32.0  88 % excess, 1 per lane\n"
        "  load   in:7             128      512      512     4.0  coalesced\n"
        "must move 1,024 sectors; asked for 4,608: each 4.5 times on average\n"
        "time on H100 at least 0.010 us, limited by memory\n"
        "occupancy at most 100 % on H100: 2 blocks, limited by threads\n"
        "registers limit it above 32 per thread\n");
}

TEST_CASE("the table names bank conflicts, barriers and shared memory") {
  CHECK(table(transpose(32).profile) ==
        "sum: grid (2,2), block (32,32), 4,096 threads in 128 warps\n"
        "global               requests  sectors    ideal  per request\n"
        "  load   in:7             128      512      512     4.0  coalesced\n"
        "  store  out:9            128      512      512     4.0  coalesced\n"
        "shared               requests   passes    ideal  worst\n"
        "  load   tile:9           128    4,096      128  32-way  32 words of bank 0\n"
        "  store  tile:7           128      128      128   1-way  no conflict\n"
        "1 barrier per thread\n"
        "must move 1,024 sectors, each once\n"
        "time on H100 at least 0.010 us, limited by memory\n"
        "4,096 bytes of shared memory per block\n"
        "occupancy at most 100 % on H100: 2 blocks, limited by threads\n"
        "registers limit it above 32 per thread\n");
}

TEST_CASE("the table reports few lanes, atomics, missing results, flops and uniform loads") {
  Script script(64);
  script.info().flops = 256;
  const char* in = script.tensor("in", 64, 4, true);
  char* out = script.tensor("out", 64);
  char* bins = script.tensor("bins", 4);
  Observers observers(gpu("A100"));
  const KernelReport report = script.run(
      [&] {
        for (unsigned t = 0; t < 32; ++t) script.read(t, in, 5);
        for (unsigned t = 0; t < 40; ++t) script.write(t, out + 4 * t, 6);
        for (unsigned t = 0; t < 32; ++t) script.atomic(t, bins + 4 * (t % 4), 7);
      },
      observers);
  CHECK(table(report.profile) ==
        "sum: grid (1), block (64), 64 threads in 2 warps\n"
        "global               requests  sectors    ideal  per request\n"
        "  load   in:5               1        1        1     1.0  one address for all\n"
        "  store  out:6              2        5        5     2.5  coalesced\n"
        "  atomic bins:7             1        1        1     1.0  8 lanes on one word\n"
        "never written: 24 elements of out, the first is out[40]\n"
        "active lanes per request: 24.0 of 32\n"
        "must move 7 sectors, each once\n"
        "time on A100 at least 0.000 us, limited by memory; 1.14 FLOP per byte\n"
        "occupancy at most 100 % on A100: 32 blocks, limited by threads\n"
        "registers limit it above 32 per thread\n");
}

TEST_CASE("no line of a table is longer than 80 columns") {
  for (const unsigned width : {0u, 32u, 33u}) {
    std::istringstream lines(table(transpose(width).profile));
    for (std::string line; std::getline(lines, line);) CHECK(line.size() <= 80);
  }
}

TEST_CASE("faults come before notes") {
  Finding note{.kind = Finding::Kind::kRace,
               .is_note = true,
               .kernel = "sum",
               .block = {},
               .thread = {},
               .text = "b"};
  Finding fault = note;
  fault.is_note = false;
  fault.text = "a";
  CHECK(text({note, fault}) == "a\nnote: b\n");
  CHECK(text({}).empty());
}

TEST_CASE("the picture of scattered stores shows 32 lines, wanted and unwanted bytes") {
  const std::string picture = svg(*transpose(0).profile.worst(Space::kGlobal));
  CHECK(count(picture, "store out, line 9: warp 0 of block (0,0,0), 4 bytes per lane") == 1);
  CHECK(count(picture, "32 sectors for 128 bytes; 4 would be enough") == 1);
  CHECK(count(picture, "<line x1=\"") == 32 + 1);              // a stroke per lane, one in hatches
  CHECK(count(picture, "fill=\"url(#unwanted)\"") == 32 + 1);  // a sector per lane, and the legend
  CHECK(count(picture, ">out[1984]<") == 1);
  CHECK(picture.find("<svg xmlns=") == 0);
}

TEST_CASE("the picture of a tile's column stacks 32 words on one bank") {
  const std::string picture = svg(*transpose(32).profile.worst(Space::kShared));
  CHECK(count(picture, "32 passes; 1 would be enough") == 1);
  CHECK(count(picture, ">pass 32<") == 1);
  const std::string padded = svg(*transpose(33).profile.worst(Space::kShared));
  CHECK(count(padded, "1 pass; fewer are not possible") == 1);
  CHECK(count(padded, ">pass 2<") == 0);
}

TEST_CASE("a picture stands in angle brackets of its own") {
  SiteProfile place = *transpose(0).profile.worst(Space::kGlobal);
  place.variable = "a<b>&";
  CHECK(count(svg(place), "a&lt;b&gt;&amp;") > 0);
}

TEST_CASE("the JSON has the counts of each place, and null for lanes that take no part") {
  Script script(32);
  char* out = script.tensor("out", 64);
  const KernelReport report = script.run([&] {
    for (unsigned t = 0; t < 2; ++t) script.write(t, out + 4 * t, 6);
    script.write(5, out + 256, 8);
  });
  const std::string text = json({report});
  CHECK(count(text, "\"kernel\": \"sum\"") == 1);
  CHECK(count(text, "\"kind\": \"out of bounds\"") == 1);
  CHECK(count(text, "\"variable\": \"out\"") == 1);
  CHECK(count(text, "\"sectors\": 1,") == 1);
  CHECK(count(text, "null") == 30);
  CHECK(json({}) == "[]\n");
}

}  // namespace
}  // namespace td::simt

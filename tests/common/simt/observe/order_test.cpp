// What orders accesses besides __syncthreads: __syncwarp, and fences with atomics between blocks.
#include "catch.h"
#include "script.h"

namespace td::simt {
namespace {

bool has(const KernelReport& report, const std::string& part) {
  return std::any_of(report.findings.begin(), report.findings.end(), [&](const Finding& finding) {
    return finding.text.find(part) != std::string::npos;
  });
}

TEST_CASE("in a warp __syncwarp orders the lanes of its mask, and only these") {
  Script script(64);
  char* s = script.shared("s", 64);
  const KernelReport ordered = script.run([&] {
    script.each([&](unsigned t) { script.put(t, s + 4 * t, 9, 1); });
    script.warp_barrier(0);
    script.warp_barrier(1, 0xffff);
    for (unsigned t = 0; t < 32; ++t) script.read(t, s + 4 * (31 - t), 11);
    for (unsigned t = 32; t < 48; ++t) script.read(t, s + 4 * (79 - t), 12);
  });
  CHECK(ordered.findings.empty());
  const KernelReport partly = script.run([&] {
    script.each([&](unsigned t) { script.put(t, s + 4 * t, 9, 1); });
    script.warp_barrier(0, 0x0000ffff);
    script.read(1, s + 4 * 17, 11);
  });
  REQUIRE(partly.findings.size() == 1);
  CHECK(has(partly, "Cure: __syncwarp() in front of line 11's read"));
}

TEST_CASE("__syncwarp orders through a lane that takes part twice") {
  Script script(32);
  char* s = script.shared("s", 32);
  const KernelReport report = script.run([&] {
    script.put(0, s, 9, 1);
    script.warp_barrier(0, 0b011);
    script.warp_barrier(0, 0b110);
    script.read(2, s, 11);
  });
  CHECK(report.findings.empty());
}

TEST_CASE("a write after __syncwarp is not ordered by it") {
  Script script(32);
  char* s = script.shared("s", 32);
  const KernelReport report = script.run([&] {
    script.warp_barrier(0);
    script.put(0, s, 9, 1);
    script.read(1, s, 11);
  });
  CHECK(report.findings.size() == 1);
}

/// The sum of the CUDA C++ Programming Guide in which the last block adds the others' results.
KernelReport last_block_sum(bool fence, bool barrier) {
  Script script(64, 8);
  char* partial = script.tensor("partial", 8);
  char* count = script.tensor("count", 1);
  char* result = script.tensor("result", 1);
  return script.run([&] {
    const unsigned block = script.block().x;
    script.put(0, partial + 4 * block, 20, 1);
    if (fence) script.fence(0);
    script.atomic(0, count, 22);
    if (barrier) script.barrier(24);
    if (block != 7) return;
    for (unsigned t = 0; t < 8; ++t) script.read(t, partial + 4 * t, 26);
    script.put(0, result, 28, 1);
    script.put(0, count, 29, 0);
  });
}

TEST_CASE("the last block may read what others wrote before a fence and an atomic") {
  CHECK(last_block_sum(true, true).findings.empty());
}

TEST_CASE("without the fence, or without the barrier after the atomic, the last block races") {
  CHECK(has(last_block_sum(false, true), "sum.cu:26: thread (0,0,0) of block (7,0,0) reads"));
  CHECK(has(last_block_sum(true, false), "sum.cu:26: thread (1,0,0) of block (7,0,0) reads"));
}

TEST_CASE("a fence before the write orders nothing") {
  Script script(32, 2);
  char* data = script.tensor("data", 1);
  char* flag = script.tensor("flag", 1);
  const KernelReport report = script.run([&] {
    if (script.block().x == 0) {
      script.fence(0);
      script.put(0, data, 8, 1);
      script.atomic(0, flag, 9);
    } else {
      script.atomic(0, flag, 11);
      script.read(0, data, 12);
    }
  });
  CHECK(has(report, "sum.cu:12: thread (0,0,0) of block (1,0,0) reads data[0]"));
}

TEST_CASE("all threads of a block may fence before one of them counts the block") {
  Script script(64, 2);
  char* data = script.tensor("data", 64);
  char* count = script.tensor("count", 1);
  const KernelReport report = script.run([&] {
    if (script.block().x == 0)
      script.each([&](unsigned t) {
        script.put(t, data + 4 * t, 8, 1);
        script.fence(t);
      });
    script.barrier(10);
    script.atomic(0, count, 11);
    script.barrier(12);
    if (script.block().x == 1)
      script.each([&](unsigned t) { script.read(t, data + 4 * (63 - t), 13); });
  });
  CHECK(report.findings.empty());
}

}  // namespace
}  // namespace td::simt

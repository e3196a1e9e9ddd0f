// What the memory check reports for accesses outside of a tensor or a shared variable.
#include "catch.h"
#include "script.h"

namespace td::simt {
namespace {

const void* number(std::uintptr_t address) { return reinterpret_cast<const void*>(address); }

TEST_CASE("a read past the end of a tensor names the element, the size, the thread and the fix") {
  Script script(256, 5);
  const char* in = script.tensor("in", 1024, 4, true, {32, 32});
  std::vector<bool> allowed;
  const KernelReport report = script.run([&] {
    script.each([&](unsigned t) {
      const unsigned i = script.block().x * 256 + t;
      if (i < 1048) allowed.push_back(script.read(t, in + 4 * i, 7));
    });
  });
  CHECK(std::count(allowed.begin(), allowed.end(), false) == 24);
  REQUIRE(report.findings.size() == 1);
  const Finding& finding = report.findings[0];
  CHECK(finding.kind == Finding::Kind::kOutOfBounds);
  CHECK(finding.count == 24);
  CHECK(finding.site == Script::at(7));
  CHECK(finding.kernel == "sum");
  CHECK(finding.block.x == 4);
  CHECK(finding.text ==
        "sum.cu:7: reads in[1024], past the end of in\n"
        "  thread (0,0,0) of block (4,0,0), lane 0 of warp 0; and 23 more threads\n"
        "  in is float[32][32]. Cure: compare the index with the size before the access");
}

TEST_CASE("a negative index is reported as negative") {
  Script script(64);
  char* out = script.tensor("out", 64);
  const KernelReport report = script.run([&] { CHECK_FALSE(script.write(33, out - 8, 9)); });
  REQUIRE(report.findings.size() == 1);
  CHECK(report.findings[0].text ==
        "sum.cu:9: writes out[-2], before the start of out\n"
        "  thread (33,0,0) of block (0,0,0), lane 1 of warp 1\n"
        "  out is float[64]. Cure: compare the index with the size before the access");
}

TEST_CASE("a place that has read one tensor is judged by that tensor, however far it goes") {
  Script script(32);
  const char* in = script.tensor("in", 64, 4, true);
  script.tensor("out", 64);
  const KernelReport report = script.run([&] {
    script.read(0, in, 7);
    CHECK_FALSE(script.read(1, in - 4 * (std::int64_t{1} << 31), 7));
  });
  REQUIRE(report.findings.size() == 1);
  CHECK(report.findings[0].text.find("reads in[-2147483648], before the start of in") !=
        std::string::npos);
}

TEST_CASE("a write that reaches a const tensor is blamed on the tensor that the place writes") {
  Script script(32);
  char* out = script.tensor("out", 128);  // `in` is its second half
  script.info().arguments[0].bytes = 256;
  script.info().arguments[0].sizes = {64};
  script.info().arguments.push_back(script.info().arguments[0]);
  script.info().arguments[1].name = "in";
  script.info().arguments[1].begin += 256;
  script.info().arguments[1].is_const = true;
  const KernelReport report = script.run([&] {
    CHECK(script.write(0, out + 4 * 63, 7));
    CHECK_FALSE(script.write(1, out + 4 * 64, 7));
    CHECK_FALSE(script.write(2, out + 4 * 66, 8));  // the place has not written `out` before
    CHECK(script.read(3, out + 4 * 66, 9));
  });
  REQUIRE(report.findings.size() == 2);
  CHECK(report.findings[0].text.find("sum.cu:7: writes out[64], past the end of out") == 0);
  CHECK(report.findings[1].text ==
        "sum.cu:8: writes in[2], but the kernel takes in as const\n"
        "  thread (2,0,0) of block (0,0,0), lane 2 of warp 0\n"
        "  in is float[64]. Cure: compare the index with the size of the tensor that this line "
        "should write; its index has probably run past the end");
}

TEST_CASE("an unsigned index below 0 is named, though it is the first access of its place") {
  Script script(32);
  const char* in = script.tensor("in", 64, 4, true);
  const KernelReport report =
      script.run([&] { CHECK_FALSE(script.read(0, in + 4 * std::int64_t{0xffffffff}, 7)); });
  REQUIRE(report.findings.size() == 1);
  CHECK(report.findings[0].text.find("sum.cu:7: reads in[4294967295], past the end of in\n") == 0);
}

TEST_CASE("a shared variable that is no array has no index") {
  Script script(32);
  char* value = script.shared("value", 1);
  const KernelReport report = script.run([&] { script.read(0, value, 7); });
  REQUIRE(report.findings.size() == 1);
  CHECK(report.findings[0].text.find("sum.cu:7: reads value that no thread has written") == 0);
  CHECK(report.findings[0].text.find("value is __shared__ float; ") != std::string::npos);
}

TEST_CASE("a vector access that only begins inside of a tensor is out of bounds") {
  Script script(32);
  const char* in = script.tensor("in", 6, 4, true);
  const KernelReport report = script.run([&] { CHECK_FALSE(script.read(1, in + 16, 7, 16)); });
  REQUIRE(report.findings.size() == 1);
  CHECK(report.findings[0].text.find("sum.cu:7: reads in[4] to in[7], past the end of in\n") == 0);
}

TEST_CASE("a tensor without elements has no element to read") {
  Script script(32);
  const char* in = script.tensor("in", 0, 4, true);
  const KernelReport report = script.run([&] { CHECK_FALSE(script.read(0, in, 7)); });
  REQUIRE(report.findings.size() == 1);
  CHECK(report.findings[0].text.find("in is float[0]") != std::string::npos);
}

TEST_CASE("host memory is an error that names the tensors that the kernel may access") {
  Script script(32);
  script.tensor("in", 64, 4, true);
  script.tensor("out", 64);
  const KernelReport report = script.run([&] {
    CHECK_FALSE(script.read(0, number(0x7f0000000000 / 64), 7));
    CHECK_FALSE(script.read(0, nullptr, 8));
  });
  REQUIRE(report.findings.size() == 2);
  CHECK(report.findings[0].kind == Finding::Kind::kHostMemory);
  CHECK(report.findings[0].text ==
        "sum.cu:7: reads 4 bytes at 0x1fc00000000, which belong to no tensor of this launch\n"
        "  thread (0,0,0) of block (0,0,0), lane 0 of warp 0\n"
        "  the kernel reaches only in, out and shared memory, not the host's memory. Cure: pass "
        "the tensor to the launch");
  CHECK(report.findings[1].text.find(
            "sum.cu:8: reads 4 bytes at address 0: the pointer is null\n") == 0);
}

TEST_CASE("a null pointer is not taken for dynamic shared memory that a kernel does not have") {
  Script script(32);
  script.tensor("in", 64, 4, true);
  script.add_shared("dynamic shared memory", nullptr, 0, 1, true);
  const KernelReport report = script.run([&] { CHECK_FALSE(script.read(0, number(15'000), 8)); });
  REQUIRE(report.findings.size() == 1);
  CHECK(report.findings[0].text.find(
            "sum.cu:8: reads 4 bytes at address 15000: the pointer is null\n") == 0);
}

TEST_CASE("an access must be aligned to its size") {
  Script script(32);
  const char* in = script.tensor("in", 64, 4, true);
  const KernelReport report = script.run([&] {
    CHECK(script.read(0, in + 16, 7, 16));
    CHECK_FALSE(script.read(1, in + 20, 7, 16));
    CHECK(script.read(2, in + 4, 8, 12));  // a struct of three floats
  });
  REQUIRE(report.findings.size() == 1);
  CHECK(report.findings[0].kind == Finding::Kind::kMisaligned);
  CHECK(report.findings[0].text ==
        "sum.cu:7: reads 16 bytes at in[5], byte 20 of in: not a multiple of 16\n"
        "  thread (1,0,0) of block (0,0,0), lane 1 of warp 0\n"
        "  in is float[64]. A GPU stops with cudaErrorMisalignedAddress. Cure: access 16 bytes at "
        "once only from an index that is a multiple of 4");
}

TEST_CASE("an access past the end of a shared variable is found, even if memory follows") {
  Script script(64);
  char* s = script.shared("s", 64);
  const KernelReport report = script.run([&] { CHECK_FALSE(script.write(63, s + 256, 5)); });
  REQUIRE(report.findings.size() == 1);
  CHECK(report.findings[0].text ==
        "sum.cu:5: writes s[64], past the end of s\n"
        "  thread (63,0,0) of block (0,0,0), lane 31 of warp 1\n"
        "  s is __shared__ float[64]. Cure: keep the index below 64, or make s larger");
}

TEST_CASE("dynamic shared memory ends where the launch says") {
  Script script(64);
  char* s = script.shared("smem", 32, 4, true);
  const KernelReport report = script.run([&] { CHECK_FALSE(script.write(32, s + 128, 5)); });
  REQUIRE(report.findings.size() == 1);
  CHECK(report.findings[0].text ==
        "sum.cu:5: writes smem[32], past the end of smem\n"
        "  thread (32,0,0) of block (0,0,0), lane 0 of warp 1\n"
        "  smem is __shared__ float[32], 128 bytes by the launch. Cure: keep the index below 32, "
        "or make smem larger in the launch");
}

TEST_CASE("a pointer to another thread's local variable is an error") {
  Script script(64);
  const KernelReport report = script.run([&] {
    int local = 0;
    Access access{AccessKind::kRead,
                  Space::kOtherStack,
                  false,
                  0,
                  4,
                  reinterpret_cast<std::uintptr_t>(&local),
                  Script::at(11)};
    CHECK_FALSE(script.observers().access(script.info(3), access));
  });
  REQUIRE(report.findings.size() == 1);
  CHECK(report.findings[0].kind == Finding::Kind::kOtherThreadsLocal);
  CHECK(report.findings[0].text ==
        "sum.cu:11: reads 4 bytes in a local variable of another thread\n"
        "  thread (3,0,0) of block (0,0,0), lane 3 of warp 0\n"
        "  each thread has its own local memory. Cure: exchange values through a __shared__ "
        "variable");
}

TEST_CASE("shared memory that no thread wrote in this block is not initialized") {
  Script script(64, 2);
  char* s = script.shared("s", 64);
  const KernelReport report = script.run([&] {
    for (unsigned t = 0; t < 32; ++t) script.write(t, s + 4 * t, 9);
    if (script.block().x == 0)
      for (unsigned t = 32; t < 64; ++t) script.write(t, s + 4 * t, 10);
    script.barrier(11);
    if (script.block().x == 1)
      for (unsigned t = 8; t < 64; ++t) script.read(t, s + 4 * t, 12);
  });
  REQUIRE(report.findings.size() == 1);
  CHECK(report.findings[0].kind == Finding::Kind::kUninitialized);
  CHECK(report.findings[0].text ==
        "sum.cu:12: reads s[32] that no thread has written since the block began\n"
        "  thread (32,0,0) of block (1,0,0), lane 0 of warp 1; and 31 more threads\n"
        "  s is __shared__ float[64]; the last write to s was sum.cu:9, s[0] to s[31]. Cure: write "
        "it, then __syncthreads()");
}

TEST_CASE("an atomic function needs an initialized value, and a single byte counts") {
  Script script(64);
  char* bins = script.shared("bins", 8);
  const KernelReport report = script.run([&] {
    script.atomic(0, bins, 9);
    script.write(0, bins + 4, 10, 1);
    script.read(0, bins + 4, 11, 1);
    script.read(0, bins + 4, 12, 4);
  });
  REQUIRE(report.findings.size() == 2);
  CHECK(report.findings[0].text.find("sum.cu:9: updates bins[0] that no thread has written") == 0);
  CHECK(report.findings[0].text.find("no thread of the block has written to bins so far") !=
        std::string::npos);
  CHECK(report.findings[1].site == Script::at(12));
}

TEST_CASE("results that no thread wrote are listed with the first of them") {
  Script script(32);
  script.tensor("in", 32, 4, true);
  char* out = script.tensor("out", 32);
  char* whole = script.tensor("whole", 4, 2);
  const KernelReport report = script.run([&] {
    for (unsigned t = 0; t < 30; ++t)
      if (t != 5) script.write(t, out + 4 * t, 7);
    for (unsigned t = 0; t < 4; ++t) script.write(t, whole + 2 * t, 8, 2);
  });
  CHECK(report.findings.empty());
  REQUIRE(report.profile.never_written.size() == 1);
  CHECK(report.profile.never_written[0].argument == "out");
  CHECK(report.profile.never_written[0].elements == 3);
  CHECK(report.profile.never_written[0].first == 5);
}

TEST_CASE("a launch with more static shared memory than a GPU has is rejected") {
  Script script(32);
  char* big = script.shared("big", 12289);
  script.shared("untouched", 4096);
  const KernelReport report = script.run([&] { script.write(0, big, 5); });
  REQUIRE(report.findings.size() == 1);
  CHECK(report.findings[0].kind == Finding::Kind::kLaunchConfig);
  CHECK(report.findings[0].text ==
        "sum: the launch is refused with ptxas error: uses too much shared data (0xc004 bytes, "
        "0xc000 max): declare the array as extern __shared__, so that the launch gives its size");
}

TEST_CASE("a copy of a struct need not be aligned to its size") {
  Script script(32);
  const char* in = script.tensor("in", 64, 4, true);
  const KernelReport report = script.run([&] {
    Access access{AccessKind::kRead,
                  Space::kGlobal,
                  false,
                  0,
                  8,
                  reinterpret_cast<std::uintptr_t>(in + 4),
                  Script::at(7),
                  true};
    CHECK(script.observers().access(script.info(0), access));
  });
  CHECK(report.findings.empty());
  CHECK(report.profile.global(kLoad).requests == 2);
}

TEST_CASE("what the machine itself found is in the report, once per text") {
  Script script(32);
  const KernelReport report = script.run([&] {
    for (int i = 0; i < 2; ++i)
      script.observers().found({.kind = Finding::Kind::kBarrier,
                                .kernel = "sum",
                                .site = Script::at(4),
                                .block = {},
                                .thread = {},
                                .text = "sum.cu:4: 3 threads wait here"});
  });
  REQUIRE(report.findings.size() == 1);
  CHECK(report.findings[0].count == 2);
  CHECK(report.first_fault() == &report.findings[0]);
}

TEST_CASE("what a thread that was ended would have written is no finding of its own") {
  Script script(32);
  char* in = script.tensor("in", 20);
  char* s = script.shared("s", 32);
  const KernelReport report = script.run([&] {
    script.each([&](unsigned t) {
      if (script.read(t, in + 4 * t, 7)) script.put(t, s + 4 * t, 7, 1);
    });
    script.barrier(8);
    script.each([&](unsigned t) {
      if (t < 20) script.read(t, s + 4 * (31 - t), 9);
    });
  });
  REQUIRE(report.findings.size() == 1);
  CHECK(report.findings[0].text.find("reads in[20], past the end of in") != std::string::npos);
}

}  // namespace
}  // namespace td::simt

// Races that the race finder reports, and correct kernels that it must leave alone.
#include "catch.h"
#include "script.h"

namespace td::simt {
namespace {

bool has(const KernelReport& report, const std::string& part) {
  return std::any_of(report.findings.begin(), report.findings.end(), [&](const Finding& finding) {
    return finding.text.find(part) != std::string::npos;
  });
}

TEST_CASE("a read of what another thread writes needs a barrier between the two") {
  Script script(64);
  char* s = script.shared("s", 64);
  const KernelReport report = script.run([&] {
    script.barrier(10);
    for (unsigned t = 64; t-- > 0;) {  // the order of a reversed run
      script.put(t, s + 4 * t, 13, 1);
      if (t < 31) script.read(t, s + 4 * (t + 1), 14);
    }
    script.barrier(16);
  });
  REQUIRE(report.findings.size() == 1);
  CHECK(report.findings[0].kind == Finding::Kind::kRace);
  CHECK_FALSE(report.findings[0].is_note);
  CHECK(report.findings[0].count == 31);
  CHECK(report.findings[0].text ==
        "sum.cu:14: thread (30,0,0) reads s[31] while thread (31,0,0) writes it (sum.cu:13): read "
        "after write\n"
        "  in block (0,0,0), both between the barriers of lines 10 and 16; 31 such pairs. Cure: "
        "__syncthreads() in front of line 14's read");
}

TEST_CASE("a write after another thread's read is a race without a barrier") {
  Script script(64);
  char* s = script.shared("s", 64);
  const KernelReport report = script.run([&] {
    script.each([&](unsigned t) { script.put(t, s + 4 * t, 9, 1); });
    for (int tile = 0; tile < 2; ++tile) {
      script.barrier(10);
      script.each([&](unsigned t) { script.read(t, s + 4 * ((t + 1) % 64), 11); });
      script.each([&](unsigned t) { script.put(t, s + 4 * t, 12, 2); });
    }
    script.barrier(10);
  });
  REQUIRE(report.findings.size() == 1);
  CHECK(report.findings[0].text ==
        "sum.cu:12: thread (0,0,0) writes s[0] while thread (63,0,0) reads it (sum.cu:11): write "
        "after read\n"
        "  in block (0,0,0), both between two arrivals at the barrier of line 10; 128 such pairs. "
        "Cure: __syncthreads() in front of line 12's write");
}

TEST_CASE("a read and a write in one line need a variable between them") {
  Script script(64);
  char* s = script.shared("s", 64);
  const KernelReport report = script.run([&] {
    script.each([&](unsigned t) { script.put(t, s + 4 * t, 9, 1); });
    script.barrier(10);
    for (unsigned t = 1; t < 64; ++t) {  // s[t] += s[t - 1]
      script.read(t, s + 4 * (t - 1), 12);
      script.put(t, s + 4 * t, 12, 2);
    }
    script.barrier(13);
  });
  REQUIRE(report.findings.size() == 1);
  CHECK(report.findings[0].text ==
        "sum.cu:12: thread (1,0,0) writes s[1] while thread (2,0,0) reads it (sum.cu:12): write "
        "after read\n"
        "  in block (0,0,0), both between the barriers of lines 10 and 13; 62 such pairs. Cure: "
        "read into a variable, then __syncthreads(), then write");
}

TEST_CASE("a race is reported in the order of the program, whichever thread runs first") {
  const auto text = [](bool reversed) {
    Script script(64);
    char* s = script.shared("s", 64);
    const KernelReport report = script.run([&] {
      for (unsigned i = 0; i < 64; ++i) {
        const unsigned t = reversed ? 63 - i : i;
        script.put(t, s + 4 * t, 9, 1);
        script.read(t, s + 4 * (t ^ 1), 11);
      }
    });
    REQUIRE(report.findings.size() == 1);  // the read of what is not written yet is no second one
    return report.findings[0].text;
  };
  CHECK(text(false).find("sum.cu:11: thread (0,0,0) reads s[1] while thread (1,0,0) writes it "
                         "(sum.cu:9): read after write\n") == 0);
  CHECK(text(true).find("sum.cu:11: thread (63,0,0) reads s[62] while thread (62,0,0) writes it "
                        "(sum.cu:9): read after write\n") == 0);
}

TEST_CASE("two values written to one element are a fault, one value is a note") {
  Script script(64);
  char* out = script.tensor("out", 4);
  const KernelReport report = script.run([&] {
    script.each([&](unsigned t) { script.put(t, out, 7, static_cast<int>(t)); });
    script.each([&](unsigned t) { script.put(t, out + 4, 8, 5); });
  });
  REQUIRE(report.findings.size() == 2);
  CHECK_FALSE(report.findings[0].is_note);
  CHECK(report.findings[0].text ==
        "sum.cu:7: thread (1,0,0) writes out[0] while thread (0,0,0) writes it (sum.cu:7): write "
        "after write\n"
        "  in block (0,0,0), without a barrier in the block; 63 such pairs. Cure: let one thread "
        "write each element");
  CHECK(report.findings[1].is_note);
  CHECK(report.findings[1].text ==
        "sum.cu:8: thread (1,0,0) writes out[1], to which thread (0,0,0) writes the same value "
        "(sum.cu:8): write after write\n"
        "  in block (0,0,0), without a barrier in the block; 63 such pairs. Harmless as long as "
        "the values are equal; one thread is enough");
}

TEST_CASE("an update without an atomic function is one finding, which names atomicAdd") {
  Script script(32);
  char* bins = script.tensor("bins", 4);
  int sum = 0;
  const KernelReport report = script.run([&] {
    script.each([&](unsigned t) {
      script.read(t, bins + 8, 9);
      script.put(t, bins + 8, 9, ++sum);
    });
  });
  REQUIRE(report.findings.size() == 1);
  CHECK(report.findings[0].text ==
        "sum.cu:9: thread (1,0,0) reads and writes bins[2] while thread (0,0,0) does the same "
        "(sum.cu:9): an update that is not atomic\n"
        "  in block (0,0,0), without a barrier in the block; 31 such pairs. Cure: let one "
        "thread update each element, or use an atomic function, such as atomicAdd(&bins[2], ...)");
}

TEST_CASE("nothing orders two blocks, not even a barrier") {
  Script script(32, 2);
  char* out = script.tensor("out", 32);
  const KernelReport report = script.run([&] {
    if (script.block().x == 0) script.put(3, out, 7, 1);
    script.barrier(8);
    if (script.block().x == 1) script.read(0, out, 9);
  });
  REQUIRE(report.findings.size() == 1);
  CHECK(report.findings[0].text ==
        "sum.cu:9: thread (0,0,0) of block (1,0,0) reads out[0] while thread (3,0,0) of block "
        "(0,0,0) writes it (sum.cu:7): read after write\n"
        "  nothing orders the blocks of a launch; 1 such pair. Cure: keep to elements of the own "
        "block, start a second kernel, or order the blocks by __threadfence() and an atomic "
        "function");
}

TEST_CASE("one value that two lines write is a fault: other inputs may give other values") {
  Script script(64);
  char* sums = script.shared("sums", 2);
  const KernelReport report = script.run([&] {
    script.put(1, sums + 4, 7, 0);
    script.put(32, sums + 4, 9, 0);
  });
  REQUIRE(report.findings.size() == 1);
  CHECK_FALSE(report.findings[0].is_note);
  CHECK(has(report, "sum.cu:9: thread (32,0,0) writes sums[1] while thread (1,0,0) writes it"));
  CHECK(has(report, "or __syncthreads() in front of line 9's write"));
}

TEST_CASE("a read before the thread's own atomicCAS may be old, a read before another is a race") {
  Script script(32);
  char* most = script.tensor("most", 1);
  char* other = script.tensor("other", 1);
  const KernelReport report = script.run([&] {
    script.each([&](unsigned t) {
      script.read(t, most, 7);
      script.compare(t, most, 9);
      script.read(t, other, 11);
      script.atomic(t, other, 12);
    });
  });
  REQUIRE(report.findings.size() == 2);
  CHECK(report.findings[0].is_note);
  CHECK(report.findings[0].text.find("Harmless: where the value is old, atomicCAS fails") !=
        std::string::npos);
  CHECK_FALSE(report.findings[1].is_note);
}

TEST_CASE("volatile accesses of global memory are relaxed atomics, and flags with fences") {
  for (const bool has_fence : {true, false}) {
    Script script(64, 2);
    char* flag = script.tensor("flag", 1);
    char* data = script.tensor("data", 1);
    const KernelReport report = script.run([&] {
      const bool is_first = script.block().x == 0;
      if (is_first) script.put(3, data, 7, 5);
      if (has_fence) script.fence(3);
      script.is_volatile = true;
      if (is_first)
        script.put(3, flag, 8, 1);
      else
        script.read(40, flag, 9);
      script.is_volatile = false;
      if (!is_first) script.read(40, data, 10);
    });
    REQUIRE(report.findings.size() == (has_fence ? 0 : 1));
    if (!has_fence) CHECK(has(report, "sum.cu:10: thread (40,0,0) of block (1,0,0) reads data[0]"));
  }
}

TEST_CASE("volatile flags of shared memory need a fence") {
  for (const bool has_fence : {true, false}) {
    Script script(64);
    char* flag = script.shared("flag", 1);
    char* data = script.shared("data", 1);
    const KernelReport report = script.run([&] {
      script.put(3, data, 7, 5);
      if (has_fence) script.fence(3);
      script.put(40, flag, 8, 0);
      script.barrier(9);
      script.put(3, data, 10, 6);
      if (has_fence) script.fence(3);
      script.is_volatile = true;
      script.put(3, flag, 11, 1);
      script.read(40, flag, 12);
      script.is_volatile = false;
      script.read(40, data, 13);
    });
    CHECK(report.findings.empty() == has_fence);
  }
}

TEST_CASE("races that one barrier would cure are one finding") {
  Script script(64);
  char* a = script.shared("a", 64);
  char* b = script.shared("b", 64);
  const KernelReport report = script.run([&] {
    script.each([&](unsigned t) {
      script.put(t, a + 4 * t, 7, 1);
      script.put(t, b + 4 * t, 8, 1);
      script.read(t, a + 4 * (63 - t), 10);
      script.read(t, b + 4 * (63 - t), 11);
      script.read(t, b + 4 * ((t + 33) % 64), 12);
    });
    script.barrier(14);
    script.each([&](unsigned t) {
      script.put(t, a + 4 * t, 15, 2);
      script.read(t, a + 4 * (63 - t), 16);
    });
  });
  REQUIRE(report.findings.size() == 2);
  CHECK(has(report,
            "Cure: __syncthreads() in front of line 10's read\n  The same barrier is "
            "missing for 2 more pairs of accesses: lines 8 and 11, 8 and 12"));
  CHECK(report.findings[0].count > 128);  // pairs of all three
  CHECK(report.findings[1].count == 64);
}

TEST_CASE("an atomic and a plain access race, two atomics do not; volatile orders nothing") {
  Script script(64);
  char* flag = script.shared("flag", 4);
  const KernelReport report = script.run([&] {
    script.atomic(0, flag, 7);
    script.atomic(40, flag, 7);
    script.is_volatile = true;
    script.read(50, flag, 8);
  });
  REQUIRE(report.findings.size() == 1);
  CHECK(report.findings[0].text.find(
            "sum.cu:8: thread (50,0,0) reads flag[0] while thread (40,0,0) updates it (sum.cu:7): "
            "read after atomic\n") == 0);
  CHECK(has(report, "volatile orders nothing. Cure: "));
}

TEST_CASE("accesses of different sizes race where their bytes overlap, and only there") {
  Script script(32);
  char* a = script.tensor("a", 16);
  char* bytes = script.tensor("bytes", 16, 1);
  const KernelReport report = script.run([&] {
    script.write(0, a, 7, 16);
    script.read(1, a + 13, 8, 1);  // the second byte of a[3]
    script.write(2, a + 16, 9, 1);
    script.read(3, a + 18, 10, 2);  // other bytes of a[4]
    script.each([&](unsigned t) {
      if (t < 16) script.write(t, bytes + t, 11, 1);
    });
  });
  REQUIRE(report.findings.size() == 1);
  CHECK(has(report, "sum.cu:8: thread (1,0,0) reads a[3] while thread (0,0,0) writes it"));
}

TEST_CASE(
    "correct kernels have no race: double buffering, tiles, private elements, later launches") {
  Script script(64, 2);
  char* in = script.tensor("in", 128);
  char* a = script.shared("a", 64);
  char* b = script.shared("b", 64);
  Observers observers;
  const auto work = [&] {
    const unsigned first = script.block().x * 64;
    script.each([&](unsigned t) {
      script.read(t, in + 4 * (first + t), 7);
      script.put(t, in + 4 * (first + t), 7, 1);
      script.put(t, a + 4 * t, 8, 1);
    });
    for (int step = 0; step < 6; ++step) {
      script.barrier(10);
      char *from = step % 2 ? b : a, *to = step % 2 ? a : b;
      script.each([&](unsigned t) {
        script.read(t, from + 4 * ((t + 1) % 64), 12);
        script.put(t, to + 4 * t, 13, 1);
      });
    }
  };
  CHECK(script.run(work, observers).findings.empty());
  CHECK(script.run(work, observers).findings.empty());
}

TEST_CASE("an argument that is passed twice is the same memory") {
  Script script(64);
  char* a = script.tensor("a", 64);
  script.info().arguments.push_back(script.info().arguments[0]);
  script.info().arguments[0].is_const = true;
  script.info().arguments[1].name = "out";
  const KernelReport report = script.run([&] {
    script.read(1, a, 7);
    script.put(0, a, 8, 1);
  });
  REQUIRE(report.findings.size() == 1);
  CHECK(has(report, "thread (0,0,0) writes out[0] while thread (1,0,0) reads it"));
}

}  // namespace
}  // namespace td::simt

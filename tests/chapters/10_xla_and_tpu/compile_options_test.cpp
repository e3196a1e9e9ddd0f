// Tests of encode_options: bytes written out by hand after protobuf's rules.
#include <iomanip>
#include <sstream>

#include "check.h"
#include "exercises.h"

namespace {

std::string hex(const std::string& bytes) {
  std::ostringstream text;
  for (const char c : bytes)
    text << (text.tellp() > 0 ? " " : "") << std::hex << std::setw(2) << std::setfill('0')
         << static_cast<int>(static_cast<unsigned char>(c));
  return text.str();
}

void expect_bytes(int replicas, int partitions, const std::string& expected) {
  const std::string got = hex(encode_options(replicas, partitions));
  check::expect(got == expected, std::to_string(replicas) + " replicas, " +
                                     std::to_string(partitions) + " partitions: expected " +
                                     expected + ", got " + got);
}

}  // namespace

TEST_CASE("one replica, as in the example", "[compile_options]") {
  expect_bytes(1, 1, "1a 04 20 01 28 01");
}

TEST_CASE("several replicas and partitions", "[compile_options]") {
  expect_bytes(2, 1, "1a 04 20 02 28 01");
  expect_bytes(8, 4, "1a 04 20 08 28 04");
  expect_bytes(127, 1, "1a 04 20 7f 28 01");
}

TEST_CASE("numbers of more than seven bits, and the length that grows with them",
          "[compile_options]") {
  expect_bytes(128, 1, "1a 05 20 80 01 28 01");
  expect_bytes(200, 1, "1a 05 20 c8 01 28 01");
  expect_bytes(200, 300, "1a 06 20 c8 01 28 ac 02");
  expect_bytes(16384, 1, "1a 06 20 80 80 01 28 01");
}

TEST_CASE("less than one is refused in words", "[compile_options]") {
  for (const auto& [replicas, partitions] : {std::pair{0, 1}, {1, 0}, {-1, 1}})
    check::expect_throws<td::Error>(
        [r = replicas, p = partitions] { encode_options(r, p); }, {},
        std::to_string(replicas) + " replicas, " + std::to_string(partitions) + " partitions");
}

// expect: 128 replicas, 1 partitions: expected 1a 05 20 80 01 28 01, got 1a 05 20 81 00
// Numbers begin with their highest bits, as people write them.
#include "exercises.h"

namespace {

void append_varint(std::string& bytes, unsigned value) {
  if (value > 0x7f) {
    for (unsigned high = value >> 7; high; high >>= 7)
      bytes.push_back(static_cast<char>((high & 0x7f) | 0x80));
  }
  bytes.push_back(static_cast<char>(value & 0x7f));
}

}  // namespace

std::string encode_options(int replicas, int partitions) {
  TD_CHECK(td::Error, replicas > 0 && partitions > 0,
           "compile options: there must be at least one replica and one partition, not ", replicas,
           " and ", partitions);
  std::string build, all;
  append_varint(build, 4 << 3);
  append_varint(build, static_cast<unsigned>(replicas));
  append_varint(build, 5 << 3);
  append_varint(build, static_cast<unsigned>(partitions));
  append_varint(all, 3 << 3 | 2);
  append_varint(all, static_cast<unsigned>(build.size()));
  return all + build;
}

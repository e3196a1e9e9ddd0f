// expect: 0 replicas, 1 partitions
// Nothing is refused; XLA would end the process.
#include "exercises.h"

namespace {

void append_varint(std::string& bytes, unsigned value) {
  for (; value > 0x7f; value >>= 7) bytes.push_back(static_cast<char>(value | 0x80));
  bytes.push_back(static_cast<char>(value));
}

}  // namespace

std::string encode_options(int replicas, int partitions) {
  std::string build, all;
  append_varint(build, 4 << 3);
  append_varint(build, static_cast<unsigned>(replicas));
  append_varint(build, 5 << 3);
  append_varint(build, static_cast<unsigned>(partitions));
  append_varint(all, 3 << 3 | 2);
  append_varint(all, static_cast<unsigned>(build.size()));
  return all + build;
}

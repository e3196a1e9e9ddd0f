// encode_options: exercise 10.compile_options, declared in exercises.h.
#include "exercises.h"
#include "td/exercise.h"

// solution only
namespace {

void append_varint(std::string& bytes, unsigned value) {
  for (; value > 0x7f; value >>= 7) bytes.push_back(static_cast<char>(value | 0x80));
  bytes.push_back(static_cast<char>(value));
}

}  // namespace
// end

std::string encode_options(int replicas, int partitions) {
  // blank: Refuse less than 1; then the inner message, then the outer one. 10 lines.
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
  // end
}

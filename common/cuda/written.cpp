// One bit per byte of each block.
#include "cuda/written.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <vector>

#include "cuda/report.h"

namespace td::cudart::written {
namespace {

struct Blocks {
  std::mutex mutex;
  std::map<std::uintptr_t, std::vector<bool>> bits;  // by begin
};
Blocks& blocks() {
  static auto& all = *new Blocks;
  return all;
}

std::uintptr_t number(const void* data) { return reinterpret_cast<std::uintptr_t>(data); }

/// Calls `visit(bits, offset, count)` where a block has the address. The lock is held.
template <class Visit>
void visit_block(Blocks& all, const void* data, std::size_t bytes, Visit visit) {
  const auto after = all.bits.upper_bound(number(data));
  if (after == all.bits.begin()) return;
  auto& [begin, bits] = *std::prev(after);
  const std::size_t offset = number(data) - begin;
  if (offset < bits.size()) visit(bits, offset, std::min(bytes, bits.size() - offset));
}

}  // namespace

void begin_block(const void* data, std::size_t bytes) {
  if (settings().check.empty()) return;
  const std::lock_guard lock(blocks().mutex);
  blocks().bits[number(data)].assign(bytes, false);
}

void end_block(const void* data) {
  if (settings().check.empty()) return;
  const std::lock_guard lock(blocks().mutex);
  blocks().bits.erase(number(data));
}

void mark(const void* data, std::size_t bytes) {
  if (settings().check.empty()) return;
  const std::lock_guard lock(blocks().mutex);
  visit_block(blocks(), data, bytes, [](auto& bits, std::size_t offset, std::size_t count) {
    const auto begin = bits.begin() + static_cast<std::ptrdiff_t>(offset);
    std::fill(begin, begin + static_cast<std::ptrdiff_t>(count), true);
  });
}

bool has(const void* data, std::size_t bytes) {
  const std::lock_guard lock(blocks().mutex);
  bool all_written = true;
  visit_block(blocks(), data, bytes, [&](const auto& bits, std::size_t offset, std::size_t count) {
    for (std::size_t i = 0; i < count && all_written; ++i) all_written = bits[offset + i];
  });
  return all_written;
}

}  // namespace td::cudart::written

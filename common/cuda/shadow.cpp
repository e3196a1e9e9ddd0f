// One bit per byte of each block, and two operations per word of four bytes.
#include "cuda/shadow.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "cuda/report.h"
#include "cuda/state.h"

namespace td::cudart::shadow {
namespace {

constexpr std::uint32_t kAtomicBit = 1u << 31;

/// Who wrote and read a word last: the operation's number, 0 for none, and whether atomically. A
/// later reader replaces an earlier one, so that a race with the earlier one may be missed.
struct Word {
  std::uint32_t writer, reader;
};

struct Freed {
  void operator()(Word* words) const { std::free(words); }
};

struct Block {
  std::vector<bool> is_written;
  std::unique_ptr<Word[], Freed> words;  // of calloc: pages that are not touched take no memory
  const void* made;
};

/// An operation that ran, as far as later ones need it.
struct Origin {
  unsigned stream;
  std::uint64_t count;
  const char* name;
  const void* caller;
};

struct Shadow {
  std::mutex mutex;
  std::map<std::uintptr_t, Block> blocks;  // by begin
  std::vector<Origin> origins{Origin{}};   // by number
  const Operation* now = nullptr;          // the last of the origins
  std::uint32_t reported = 0;  // the last operation with which the present one was reported
};
Shadow& all() {
  static auto& shadow = *new Shadow;
  return shadow;
}

std::uintptr_t number(const void* data) { return reinterpret_cast<std::uintptr_t>(data); }

/// Calls `visit(block, offset, count)` where a block has the address. The lock is held.
template <class Visit>
void visit_block(const void* data, std::size_t bytes, Visit visit) {
  const auto after = all().blocks.upper_bound(number(data));
  if (after == all().blocks.begin()) return;
  auto& [begin, block] = *std::prev(after);
  const std::size_t offset = number(data) - begin, size = block.is_written.size();
  if (offset < size) visit(block, offset, std::min(bytes, size - offset));
}

void mark(Block& block, std::size_t offset, std::size_t count) {
  const auto begin = block.is_written.begin() + static_cast<std::ptrdiff_t>(offset);
  std::fill(begin, begin + static_cast<std::ptrdiff_t>(count), true);
}

bool is_race(std::uint32_t earlier, bool is_atomic) {
  const std::uint32_t operation = earlier & ~kAtomicBit;
  if (operation == 0 || operation + 1 == all().origins.size()) return false;
  if (is_atomic && (earlier & kAtomicBit)) return false;
  const Origin& origin = all().origins[operation];
  return origin.stream != all().now->stream && origin.count > all().now->clock[origin.stream];
}

void report_race(const Block& block, std::uint32_t earlier, bool writes, bool has_written) {
  const std::uint32_t operation = earlier & ~kAtomicBit;
  if (std::exchange(all().reported, operation) == operation) return;
  const Origin& origin = all().origins[operation];
  report(all().now->caller,
         std::string(all().now->name) + (writes ? " writes" : " reads") +
             " memory of the device (made in " + place_of(block.made) + ") that " + origin.name +
             " in " + place_of(origin.caller) + (has_written ? " writes" : " reads") +
             " in another stream, and nothing orders the two\n  Cure: let this stream wait for an "
             "event of the other one (cudaEventRecord, cudaStreamWaitEvent), or let the host wait");
}

}  // namespace

void begin_block(const void* data, std::size_t bytes, const void* made) {
  if (settings().check.empty()) return;
  const std::lock_guard lock(all().mutex);
  Block& block = all().blocks[number(data)];
  block.is_written.assign(bytes, false);
  block.words.reset(static_cast<Word*>(std::calloc(bytes / sizeof(float) + 1, sizeof(Word))));
  block.made = made;
}

void end_block(const void* data) {
  if (settings().check.empty()) return;
  const std::lock_guard lock(all().mutex);
  all().blocks.erase(number(data));
}

void set_operation(const Operation* operation) {
  if (settings().check.empty()) return;
  const std::lock_guard lock(all().mutex);
  all().now = operation;
  all().reported = 0;
  if (!operation) return;
  all().origins.push_back(
      {operation->stream, operation->clock[operation->stream], operation->name, operation->caller});
}

void touch(const void* data, std::size_t bytes, Use use) {
  if (settings().check.empty()) return;
  const std::lock_guard lock(all().mutex);
  const bool writes = use != Use::kRead, is_atomic = use == Use::kAtomic;
  visit_block(data, bytes, [&](Block& block, std::size_t offset, std::size_t count) {
    if (writes) mark(block, offset, count);
    if (!all().now || !block.words) return;
    const auto number_now = static_cast<std::uint32_t>(all().origins.size() - 1);
    const std::uint32_t now = number_now | (is_atomic ? kAtomicBit : 0);
    for (std::size_t i = (offset + 3) / 4; i < (offset + count) / 4; ++i) {
      Word& word = block.words[i];
      if (is_race(word.writer, is_atomic)) report_race(block, word.writer, writes, true);
      if (writes && is_race(word.reader, is_atomic)) report_race(block, word.reader, true, false);
      (writes ? word.writer : word.reader) = now;
    }
  });
}

void mark(const void* data, std::size_t bytes) {
  if (settings().check.empty()) return;
  const std::lock_guard lock(all().mutex);
  visit_block(data, bytes, [](Block& block, std::size_t offset, std::size_t count) {
    mark(block, offset, count);
  });
}

bool has(const void* data, std::size_t bytes) {
  const std::lock_guard lock(all().mutex);
  bool all_written = true;
  visit_block(data, bytes, [&](const Block& block, std::size_t offset, std::size_t count) {
    for (std::size_t i = 0; i < count && all_written; ++i)
      all_written = block.is_written[offset + i];
  });
  return all_written;
}

}  // namespace td::cudart::shadow

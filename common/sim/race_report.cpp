// The message of a race: both accesses, the tensor, and the missing wait. Invariant: takes no lock
// of the race finder.
#include "sim/race_finder.h"

#include <sstream>

#include "sim/arena.h"
#include "td/device/caching_allocator.h"
#include "td/device/record.h"

namespace td::sim {
namespace {

/// "stream 1" in sentences, "stream1" in code; with the device where there are two.
struct StreamName {
  std::string words, code;
  StreamName(const StreamQueue& queue, const StreamQueue* other) {
    const bool alone = !other || other->index() == queue.index();
    const std::string number = std::to_string(queue.number());
    const std::string device = "sim" + std::string(alone ? "" : std::to_string(queue.index()));
    words = queue.number() == 0 ? "the default stream" : "stream " + number;
    code = queue.number() == 0 ? "default_stream" : "stream" + number;
    if (alone) return;
    words += " of sim:" + std::to_string(queue.index());
    code = device + '_' + code;
  }
};

/// Returns a description of the tensor, as far as it is known.
std::string whose(int device, std::uintptr_t address) {
  if (device < 0) return "";
  Extent block{};
  auto& blocks = static_cast<CachingAllocator&>(allocator(Device(kSIM, device)));
  if (!blocks.find(reinterpret_cast<const void*>(address), &block)) return "";
  std::ostringstream out;
  out << " It begins at byte " << address - reinterpret_cast<std::uintptr_t>(block.data)
      << " of a block of " << block.bytes << " bytes" << describe_block(block.data).data() << '.';
  return out.str();
}

const char* verb(const Access& access) { return access.writes ? "writes" : "reads"; }

}  // namespace

int device_of(std::uintptr_t address) {
  for (int i = 0; i < kMaxDevices; ++i)
    if (const Arena* arena = existing_arena(i); arena && arena->contains(address)) return i;
  return -1;
}

std::string race_report(const Access& first, const StreamQueue& first_queue, const Access& second,
                        const StreamQueue* second_queue) {
  const std::uintptr_t begin = std::max(first.begin, second.begin);
  const std::uintptr_t bytes = std::min(first.end, second.end) - begin;
  const int device = device_of(begin);
  const StreamName before(first_queue, second_queue);
  const StreamName after = second_queue ? StreamName(*second_queue, &first_queue) : before;
  const std::string who = second_queue ? after.words : "the host";

  std::ostringstream out;
  out << "race " << (device < 0 ? "in pinned memory" : "on sim:" + std::to_string(device)) << ": \""
      << second.name << "\" on " << who << ' ' << verb(second) << ' ' << bytes << " bytes that \""
      << first.name << "\" on " << before.words << (second_queue ? "" : " of sim:")
      << (second_queue ? "" : std::to_string(first_queue.index())) << ' ' << verb(first);
  if (first.block_state == BlockState::kReleased)
    out << " for a tensor that was released meanwhile. Missing: tensor.record_stream("
        << before.code
        << ") before that tensor goes, so that its memory is not handed out too soon.";
  else if (!second_queue)
    out << ", and nothing orders the two. Missing: the host must wait for \"" << first.name
        << "\": " << before.code
        << ".synchronize(), or event.synchronize() of an event recorded behind it.";
  else
    out << (first.block_state == BlockState::kReleasedByOwner
                ? " for a tensor that had this memory before"
                : "")
        << ", and nothing orders the two. Missing: " << after.words << " must wait for "
        << before.words << " behind \"" << first.name << "\": event.record(" << before.code
        << "); event.block(" << after.code << ").";
  out << whose(device, begin);
  return out.str();
}

}  // namespace td::sim

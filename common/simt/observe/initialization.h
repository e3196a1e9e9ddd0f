// Knows which bytes of shared memory were written since the block began, and which bytes of the
// results were written at all. Called by Observers for each access that passes the memory check.
//
// Invariant: a cell's state holds for the block or launch whose number it carries, so nothing is
// cleared between blocks.
#pragma once

#include <vector>

#include "simt/observe/findings.h"
#include "simt/observe/profile.h"
#include "simt/observe/regions.h"

namespace td::simt {

class Initialization {
 public:
  explicit Initialization(Findings& findings) : findings_(findings) {}

  void begin_launch(const Regions& regions);
  void begin_block() {
    block_ = next();
    is_complete_ = true;
  }
  /// What the block had written before other blocks ran is not known any more.
  void resume_block() { is_complete_ = false; }
  /// A thread was ended, so what it would have written is missing until the block ends.
  void thread_ended() { is_complete_ = false; }
  void access(const ThreadInfo& thread, const Access& access, const Region& region) {
    const bool reads = access.kind != AccessKind::kWrite && !access.is_store;
    if (reads && region.shared && is_complete_ && !is_written(access, region))
      report(thread, access, region);
    if (access.kind != AccessKind::kRead) write(access, region);
  }
  /// Returns the tensors that are not const arguments and have bytes that were not written.
  std::vector<NeverWritten> never_written(const Regions& regions) const;

 private:
  static constexpr int kByteBits = 4;  // of a state; the others are the number
  /// The last instruction that wrote to a shared variable, and where.
  struct LastWrite {
    const Site* site = nullptr;
    std::uint32_t block = 0;
    std::uintptr_t begin = 0, end = 0;
  };

  std::uint32_t next();
  bool is_written(const Access& access, const Region& region) const;
  void write(const Access& access, const Region& region);
  void report(const ThreadInfo& thread, const Access& access, const Region& region);

  Findings& findings_;
  std::vector<std::uint32_t> cells_;
  std::vector<LastWrite> last_writes_;  // one per region, by index
  const Region* regions_ = nullptr;     // the first
  std::uint32_t number_ = 0;            // the last that was given to a launch or a block
  std::uint32_t launch_ = 0, block_ = 0;
  bool is_complete_ = true;  // what is not known to be written was not written
};

}  // namespace td::simt

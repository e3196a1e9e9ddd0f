// Finds data races in shared and global memory: two accesses of different threads to the same byte,
// at least one of them a write and not both atomic, without an order. Blocks run one after the
// other and threads one at a time, so no race is missed by timing. Called by Observers.
//
// Invariant: a cell keeps the last write and the last two reads, of different threads, that nothing
// has overwritten; so a race with an access before these may be missed; none is false.
#pragma once

#include <array>
#include <vector>

#include "simt/observe/findings.h"
#include "simt/observe/happens_before.h"
#include "simt/observe/sites.h"

namespace td::simt {

class RaceFinder {
 public:
  RaceFinder(const Sites& sites, Findings& findings) : sites_(sites), findings_(findings) {}

  void begin_launch(const LaunchInfo& launch, const Regions& regions);
  void begin_block(uint3 block);
  void end_block();
  /// Adds the races to the findings.
  void end_launch();
  void access(const ThreadInfo& thread, const Access& access, const Region& region,
              std::uint16_t site);
  void barrier(const Site* site);
  void grid_barrier() { order_.grid_barrier(); }
  void warp_barrier(std::uint32_t warp, std::uint32_t mask);
  void fence(const ThreadInfo& thread) { order_.fence(thread); }

 private:
  struct Cell {
    Stamp write;
    std::array<Stamp, 2> reads;  // of different threads, the last one first
  };
  /// A pair of places whose accesses race, with its first occurrence. Until the launch ends `first`
  /// is the access that happened first, then the one that comes first in the program.
  struct Race {
    std::uint16_t first, second;  // numbers of the places
    const Region* region;
    bool between_blocks;
    bool in_one_warp = true;          // all pairs
    bool same_value = false;          // all pairs, which are writes
    bool by_start = false;            // the write is a copy's, which may happen from its start on
    bool starts_before_read = false;  // in the program
    std::size_t pairs = 0;
    uint3 first_thread{}, first_block{}, second_thread{}, second_block{};
    std::uintptr_t address = 0;
    const Site* barrier_before = nullptr;
    const Site* barrier_after = nullptr;
    bool is_open = true;  // its barrier_after may still come
    enum class InProgram : std::uint8_t { kUnknown, kSame, kSwapped } order{};
  };
  /// The second of two writes, whose value is known after it has happened.
  struct Overwrite {
    std::size_t race;
    std::uintptr_t address;
    std::size_t bytes;
    std::array<unsigned char, 16> before;
  };

  static constexpr std::size_t kMostOverwrites = 1024;

  void on_read(Cell& cell, const Stamp& me, const ThreadInfo& thread, const Access& access,
               const Region& region);
  void on_write(Cell& cell, const Stamp& me, const ThreadInfo& thread, const Access& access,
                const Region& region);
  bool conflicts(const Stamp& earlier, const Stamp& me, const ThreadInfo& thread,
                 const Region& region) const;
  void hazard(const Stamp& earlier, const Stamp& me, const ThreadInfo& thread, const Access& access,
              const Region& region);
  Race& race_of(const Stamp& earlier, const Stamp& me, const Region& region, bool between_blocks);
  void compare_values();
  void follow(std::uint32_t moment, std::uint16_t step);
  void learn_order();
  bool is_swapped(const Race& race) const;
  void put_in_program_order();
  void close(const Site* barrier);

  bool is_atomic(const AccessSite& site, const Region& region) const;
  void begin_compare(const Cell& cell, const Stamp& me);
  bool is_start_of_compare(const Race& race) const;
  bool is_harmless(const Race& race) const;
  bool is_update(const Race& race) const;
  bool is_part_of_update(const Race& race) const;
  bool is_cured_by_barrier(const Race& race) const;
  bool is_started(const Race& race) const;
  std::vector<const Race*> group_by_cause() const;
  std::string text_of_others(const Race& race, const std::vector<const Race*>& others) const;
  std::string text(const Race& race) const;
  std::string circumstances(const Race& race) const;
  std::string cure(const Race& race) const;

  const Sites& sites_;
  Findings& findings_;
  HappensBefore order_;
  std::vector<Cell> cells_;
  std::vector<Race> races_;
  std::vector<Overwrite> overwrites_;  // of the thread that ran last
  std::uint32_t overwriter_ = 0;       // its moment
  std::vector<std::uint32_t> seen_;    // per place: the moment of its last access
  std::vector<std::uint16_t> path_;    // places in the order in which the thread reached them
  std::uint32_t path_moment_ = 0;
  std::vector<bool> compared_;  // per place: a thread's atomicCAS followed its read there
  std::size_t undecided_ = 0;   // races of which the order in the program is not known
  std::string kernel_;
  uint3 block_{};
  const Site* last_barrier_ = nullptr;
  bool warp_barriers_ = false;  // the kernel has some
};

}  // namespace td::simt

// The memory that a launch may reach: the tensors that are its arguments and its shared variables,
// with the names that reports use for them. Called by the observers of this folder.
//
// Invariant: two regions have a cell in common only where arguments overlap.
#pragma once

#include <string>
#include <vector>

#include "simt/observer.h"

namespace td::simt {

/// An argument of a launch or a shared variable. The observers keep one state per cell: an element
/// of the region, or four bytes of a larger element.
struct Region {
  const PointerArgument* argument = nullptr;  ///< Of the two, one is nullptr.
  const SharedVariable* shared = nullptr;
  std::uintptr_t begin = 0;
  std::size_t bytes = 0;
  std::size_t element_size = 1;
  std::uintptr_t cells_begin = 0;  ///< Address of the first cell of all that overlap.
  std::size_t first_cell = 0;      ///< Its index.
  int cell_shift = 2;              ///< Bytes per cell, as a power of two.
  bool touched = false;            ///< By an access of this launch.

  bool contains(std::uintptr_t address, std::size_t count) const {
    return address - begin < bytes && count <= bytes - (address - begin);
  }
  std::size_t cell(std::uintptr_t address) const {
    return first_cell + ((address - cells_begin) >> cell_shift);
  }
  const std::string& name() const { return argument ? argument->name : shared->name; }
  const std::string& type() const { return argument ? argument->type : shared->type; }
  std::size_t elements() const { return bytes / element_size; }

  /// "in[7]", also with a negative index; "s" if s is a shared variable, not an array.
  std::string element(std::uintptr_t address) const;
  /// "in[4] to in[7]" where the access covers several elements.
  std::string elements(std::uintptr_t address, std::size_t count) const;
  /// "in is float[1024]", "in is float[32][32]", "s is __shared__ float[64]".
  std::string declared() const;
};

/// Calls `visit(cell, bytes)` for each cell that the access covers; bit i of `bytes` is byte i of
/// the cell.
template <class Visit>
void for_cells(const Region& region, std::uintptr_t address, std::size_t count, Visit visit) {
  const std::size_t size = std::size_t{1} << region.cell_shift;
  std::size_t cell = region.cell(address);
  std::size_t skipped = (address - region.cells_begin) & (size - 1);
  if (skipped == 0 && count == size) return visit(cell, (1u << size) - 1);
  for (const std::size_t end = skipped + count; skipped < end; ++cell) {
    const std::size_t cell_end = (skipped | (size - 1)) + 1;
    const std::size_t first = skipped & (size - 1);
    const std::size_t last = (end < cell_end ? end - 1 : cell_end - 1) & (size - 1);
    visit(cell, ((2u << last) - 1) & ~((1u << first) - 1));
    skipped = cell_end;
  }
}

/// The regions of the current launch.
class Regions {
 public:
  void begin_launch(const LaunchInfo& launch);

  /// Returns the region that holds the whole access, or nullptr.
  Region* find(const Access& access);
  /// Returns the region whose begin or end is nearest, or nullptr where none is within `distance`.
  Region* nearest(std::uintptr_t address, std::size_t distance);
  /// The same for an unsigned index of 32 bits that should be negative, such as threadIdx.x - 1.
  Region* nearest_before_wrap(std::uintptr_t address, std::size_t distance);
  /// Returns the variable of shared memory whose begin or end is nearest.
  Region& nearest_shared(const Access& access);
  /// Returns the region of a shared variable.
  Region& shared(std::uint16_t variable) { return regions_[arguments_ + variable]; }

  const std::vector<Region>& all() const { return regions_; }
  std::size_t cells() const { return cells_; }

 private:
  void add_arguments(const LaunchInfo& launch);
  void add_shared(const LaunchInfo& launch);

  std::vector<Region> regions_;  // arguments, then shared variables
  std::size_t arguments_ = 0;
  std::size_t cells_ = 0;
};

}  // namespace td::simt

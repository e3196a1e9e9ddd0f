// Marks written bytes and reports reads of unwritten ones. Invariant: no state of an earlier launch
// has the number of the current launch or block.
#include "simt/observe/initialization.h"

#include <algorithm>

namespace td::simt {

void Initialization::begin_launch(const Regions& regions) {
  if (cells_.size() < regions.cells()) cells_.resize(regions.cells());
  regions_ = regions.all().data();
  last_writes_.assign(regions.all().size(), {});
  launch_ = next();
}

/// The numbers start again when they no longer fit into a state.
std::uint32_t Initialization::next() {
  if (++number_ >= 1u << (32 - kByteBits)) {
    std::fill(cells_.begin(), cells_.end(), 0);
    number_ = 1;
  }
  return number_;
}

bool Initialization::is_written(const Access& access, const Region& region) const {
  bool written = true;
  for_cells(region, access.address, access.bytes, [&](std::size_t cell, std::uint32_t bytes) {
    const std::uint32_t state = cells_[cell];
    if (state >> kByteBits != block_ || (state & bytes) != bytes) written = false;
  });
  return written;
}

void Initialization::write(const Access& access, const Region& region) {
  const std::uint32_t number = region.shared ? block_ : launch_;
  for_cells(region, access.address, access.bytes, [&](std::size_t cell, std::uint32_t bytes) {
    std::uint32_t& state = cells_[cell];
    state = state >> kByteBits == number ? state | bytes : number << kByteBits | bytes;
  });
  if (!region.shared) return;
  LastWrite& last = last_writes_[&region - regions_];
  if (last.site != access.site || last.block != block_)
    last = {access.site, block_, access.address, access.address};
  last.begin = std::min(last.begin, access.address);
  last.end = std::max(last.end, access.address + access.bytes);
}

void Initialization::report(const ThreadInfo& thread, const Access& access, const Region& region) {
  findings_.add(Finding::Kind::kUninitialized, access.site, &region, thread, [&] {
    const LastWrite& last = last_writes_[&region - regions_];
    std::string written = "no thread of the block has written to " + region.name() + " so far";
    if (last.site && last.block == block_)
      written = "the last write to " + region.name() + " was " + place(last.site) + ", " +
                region.elements(last.begin, last.end - last.begin);
    return Findings::Text{
        std::string(verb(access.kind)) + ' ' + region.elements(access.address, access.bytes) +
            " that no thread has written since the block began",
        region.declared() + "; " + written + ". Cure: write it, then __syncthreads()"};
  });
}

std::vector<NeverWritten> Initialization::never_written(const Regions& regions) const {
  std::vector<NeverWritten> result;
  for (const Region& region : regions.all()) {
    if (!region.argument || region.argument->is_const || region.argument->sizes.empty()) continue;
    NeverWritten missing{region.name()};
    for (std::size_t i = 0; i < region.elements(); ++i) {
      bool written = true;
      for_cells(region, region.begin + i * region.element_size, region.element_size,
                [&](std::size_t cell, std::uint32_t bytes) {
                  const std::uint32_t state = cells_[cell];
                  written &= state >> kByteBits == launch_ && (state & bytes) == bytes;
                });
      if (!written && missing.elements++ == 0) missing.first = i;
    }
    if (missing.elements > 0) result.push_back(std::move(missing));
  }
  return result;
}

}  // namespace td::simt

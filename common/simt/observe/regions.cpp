// The regions of a launch. Invariant: their number of cells depends on the launch alone.
#include "simt/observe/regions.h"

#include <algorithm>
#include <bit>

namespace td::simt {
namespace {

/// An element's size as the power of two of a cell: 1, 2 or 4 bytes.
int shift_of(std::size_t element_size, std::uintptr_t begin) {
  const std::size_t alignment = element_size | begin | 4;
  return std::countr_zero(alignment);
}

std::int64_t index_of(const Region& region, std::uintptr_t address) {
  const auto offset = static_cast<std::int64_t>(address - region.begin);
  const auto size = static_cast<std::int64_t>(region.element_size);
  return offset >= 0 ? offset / size : (offset - size + 1) / size;
}

}  // namespace

std::string Region::element(std::uintptr_t address) const {
  if (shared && elements() == 1 && index_of(*this, address) == 0) return name();
  return name() + '[' + std::to_string(index_of(*this, address)) + ']';
}

std::string Region::elements(std::uintptr_t address, std::size_t count) const {
  const std::uintptr_t last = address + count - 1;
  if (index_of(*this, address) == index_of(*this, last)) return element(address);
  return element(address) + " to " + element(last);
}

std::string Region::declared() const {
  std::string text = name() + " is " + (shared ? "__shared__ " : "");
  text += type().empty() ? "byte" : type();
  if (shared && elements() == 1) return text;
  if (argument && argument->sizes.size() > 1)
    for (const std::int64_t size : argument->sizes) text += '[' + std::to_string(size) + ']';
  else
    text += '[' + std::to_string(elements()) + ']';
  if (shared && shared->is_dynamic) text += ", " + std::to_string(bytes) + " bytes by the launch";
  return text;
}

void Regions::begin_launch(const LaunchInfo& launch) {
  regions_.clear();
  cells_ = 0;
  add_arguments(launch);
  add_shared(launch);
}

/// Arguments that overlap, such as those of add(a, b, a), share their cells.
void Regions::add_arguments(const LaunchInfo& launch) {
  for (const PointerArgument& argument : launch.arguments)
    regions_.push_back({.argument = &argument,
                        .begin = argument.begin,
                        .bytes = argument.bytes,
                        .element_size = std::max<std::size_t>(argument.element_size, 1)});
  arguments_ = regions_.size();

  std::vector<Region*> sorted;
  for (Region& region : regions_) sorted.push_back(&region);
  std::sort(sorted.begin(), sorted.end(),
            [](const Region* a, const Region* b) { return a->begin < b->begin; });
  for (std::size_t first = 0, next = 0; first < sorted.size(); first = next) {
    const std::uintptr_t begin = sorted[first]->begin;
    std::uintptr_t end = begin;
    int shift = 2;
    for (; next < sorted.size() && (next == first || sorted[next]->begin < end); ++next) {
      end = std::max(end, sorted[next]->begin + sorted[next]->bytes);
      shift = std::min(shift, shift_of(sorted[next]->element_size, sorted[next]->begin));
    }
    for (std::size_t i = first; i < next; ++i) {
      sorted[i]->cells_begin = begin;
      sorted[i]->first_cell = cells_;
      sorted[i]->cell_shift = shift;
    }
    cells_ += ((end - begin) >> shift) + 1;
  }
}

void Regions::add_shared(const LaunchInfo& launch) {
  for (const SharedVariable& variable : launch.shared) {
    const std::size_t size = std::max<std::size_t>(variable.element_size, 1);
    const int shift = shift_of(size, variable.begin);
    regions_.push_back({.shared = &variable,
                        .begin = variable.begin,
                        .bytes = variable.bytes,
                        .element_size = size,
                        .cells_begin = variable.begin,
                        .first_cell = cells_,
                        .cell_shift = shift});
    cells_ += (variable.bytes >> shift) + 1;
  }
}

Region* Regions::find(const Access& access) {
  if (access.space == Space::kShared) {
    Region& region = shared(access.variable);
    return region.contains(access.address, access.bytes) ? &region : nullptr;
  }
  Region* found = nullptr;
  for (std::size_t i = 0; i < arguments_; ++i) {
    Region& region = regions_[i];
    if (!region.contains(access.address, access.bytes)) continue;
    if (!region.argument->is_const || access.kind == AccessKind::kRead) return &region;
    if (!found) found = &region;
  }
  return found;
}

Region* Regions::nearest_before_wrap(std::uintptr_t address, std::size_t distance) {
  for (const std::size_t size : {1, 2, 4, 8, 16}) {
    Region* region = nearest(address - (size << 32), distance);
    if (region && region->element_size == size) return region;
  }
  return nullptr;
}

/// The machine names the variable before the address. The next one may begin closer after it.
Region& Regions::nearest_shared(const Access& access) {
  Region& before = shared(access.variable);
  const std::size_t next = arguments_ + access.variable + std::size_t{1};
  if (next >= regions_.size() || regions_[next].shared->is_dynamic) return before;
  const bool is_after = access.address >= before.begin + before.bytes;
  const std::size_t to_next = regions_[next].begin - access.address;
  return is_after && to_next < access.address - before.begin - before.bytes ? regions_[next]
                                                                            : before;
}

Region* Regions::nearest(std::uintptr_t address, std::size_t distance) {
  Region* found = nullptr;
  for (Region& region : regions_) {
    const std::size_t away = address < region.begin ? region.begin - address
                             : address - region.begin < region.bytes
                                 ? 0
                                 : address - region.begin - region.bytes;
    if (away <= distance && (!found || away < distance)) {
      found = &region;
      distance = away;
    }
  }
  return found;
}

}  // namespace td::simt

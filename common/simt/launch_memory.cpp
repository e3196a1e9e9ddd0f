// Invariant: arguments that overlap have equal bytes in both copies.
#include "simt/launch_memory.h"

#include <algorithm>
#include <cstring>

namespace td::simt {

LaunchMemory::LaunchMemory(const LaunchInfo& launch) {
  constexpr std::size_t kMost = std::size_t{1} << 30;
  std::size_t bytes = 0;
  for (const PointerArgument& argument : launch.arguments)
    if (!argument.is_const) bytes += argument.bytes;
  is_complete_ = bytes <= kMost;
  if (!is_complete_) return;
  for (const PointerArgument& argument : launch.arguments) {
    if (argument.is_const || argument.bytes == 0) continue;
    const auto* const begin = reinterpret_cast<const unsigned char*>(argument.begin);
    pieces_.push_back({argument.begin, {begin, begin + argument.bytes}});
  }
}

void LaunchMemory::restore() const {
  for (const Piece& piece : pieces_)
    std::memcpy(reinterpret_cast<void*>(piece.begin), piece.bytes.data(), piece.bytes.size());
}

bool LaunchMemory::is_unchanged() const {
  return std::all_of(pieces_.begin(), pieces_.end(), [](const Piece& piece) {
    return std::memcmp(reinterpret_cast<const void*>(piece.begin), piece.bytes.data(),
                       piece.bytes.size()) == 0;
  });
}

}  // namespace td::simt

// See access_map.h.
#include "sim/access_map.h"

#include <algorithm>

namespace td::sim {

/// The first piece that ends behind the address.
AccessMap::Pieces::const_iterator AccessMap::first_behind(std::uintptr_t address) const {
  auto at = pieces_.upper_bound(address);
  if (at != pieces_.begin() && std::prev(at)->second.end > address) --at;
  return at;
}

/// Makes the address a border between pieces, where it lies within one.
void AccessMap::split(std::uintptr_t address) {
  auto behind = pieces_.lower_bound(address);
  if (behind == pieces_.begin()) return;
  Piece& piece = std::prev(behind)->second;
  if (piece.end <= address) return;
  pieces_.emplace_hint(behind, address, piece);  // a copy keeps the end
  piece.end = address;
}

void AccessMap::note(const Access& access) {
  split(access.begin);
  split(access.end);
  auto at = pieces_.lower_bound(access.begin);
  if (access.writes) {  // what came before matters no more: who waits for this waits for all
    at = pieces_.erase(at, pieces_.lower_bound(access.end));
    pieces_.emplace_hint(at, access.begin, Piece{access.end, access, {}});
    return;
  }
  for (std::uintptr_t done = access.begin; done < access.end; ++at) {
    if (at == pieces_.end() || at->first > done) {  // bytes that nobody has touched
      const std::uintptr_t end = at == pieces_.end() ? access.end : std::min(access.end, at->first);
      at = pieces_.emplace_hint(at, done, Piece{end, {}, {}});
    }
    std::vector<Access>& reads = at->second.reads;
    const auto mine = std::find_if(reads.begin(), reads.end(), [&](const Access& read) {
      return read.stream == access.stream;
    });
    if (mine == reads.end())
      reads.push_back(access);
    else
      *mine = access;
    done = at->second.end;
  }
}

}  // namespace td::sim

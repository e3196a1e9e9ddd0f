// The clocks and the map of accesses; races.h describes them. The scheduler and captures call this.
// Invariant: as in races.h.
#include "cuda/races.h"

#include <algorithm>
#include <iterator>
#include <set>

namespace td::cudart {

void VectorClock::raise(std::size_t stream, std::uint64_t count) {
  if (stream >= counts_.size()) counts_.resize(stream + 1);
  counts_[stream] = std::max(counts_[stream], count);
}

void VectorClock::join(const VectorClock& other) {
  if (other.counts_.size() > counts_.size()) counts_.resize(other.counts_.size());
  for (std::size_t i = 0; i < other.counts_.size(); ++i)
    counts_[i] = std::max(counts_[i], other.counts_[i]);
}

const std::string* kept_name(const std::string& name) {
  static auto& names = *new std::set<std::string>;
  return &*names.insert(name).first;
}

/// The first piece that ends after the address.
AccessMap::Pieces::const_iterator AccessMap::first_after(std::uintptr_t address) const {
  auto at = pieces_.upper_bound(address);
  if (at != pieces_.begin() && std::prev(at)->second.end > address) --at;
  return at;
}

/// Splits the piece that contains the address, if there is one.
void AccessMap::split(std::uintptr_t address) {
  const auto after = pieces_.lower_bound(address);
  if (after == pieces_.begin()) return;
  Piece& piece = std::prev(after)->second;
  if (piece.end <= address) return;
  pieces_.emplace_hint(after, address, piece);  // the copy keeps the end
  piece.end = address;
}

const Access* AccessMap::race_of(const Access& access, const VectorClock& before) const {
  const auto conflicts = [&](const Access& earlier) {
    return earlier.stream != access.stream && earlier.count > before[earlier.stream];
  };
  for (auto at = first_after(access.begin); at != pieces_.end() && at->first < access.end; ++at) {
    const Piece& piece = at->second;
    if (piece.write.name && conflicts(piece.write)) return &piece.write;
    if (!access.writes) continue;
    for (const Access& read : piece.reads)
      if (conflicts(read)) return &read;
  }
  return nullptr;
}

const Access* AccessMap::later_than(const VectorClock& clock, std::uintptr_t begin,
                                    std::uintptr_t end) const {
  constexpr unsigned kNoStream = ~0u;
  return race_of({nullptr, kNoStream, 0, true, begin, end, nullptr}, clock);
}

void AccessMap::note(const Access& access) {
  split(access.begin);
  split(access.end);
  auto at = pieces_.lower_bound(access.begin);
  if (access.writes) {  // work that waits for this access comes after the earlier ones too
    at = pieces_.erase(at, pieces_.lower_bound(access.end));
    pieces_.emplace_hint(at, access.begin, Piece{access.end, access, {}});
    return;
  }
  for (std::uintptr_t done = access.begin; done < access.end; ++at) {
    if (at == pieces_.end() || at->first > done) {  // bytes without an access
      const std::uintptr_t end = at == pieces_.end() ? access.end : std::min(access.end, at->first);
      at = pieces_.emplace_hint(at, done, Piece{end, {}, {}});
    }
    std::vector<Access>& reads = at->second.reads;
    std::erase_if(reads, [&](const Access& read) { return read.stream == access.stream; });
    reads.push_back(access);
    done = at->second.end;
  }
}

void AccessMap::forget(std::uintptr_t begin, std::uintptr_t end) {
  split(begin);
  split(end);
  pieces_.erase(pieces_.lower_bound(begin), pieces_.lower_bound(end));
}

void AccessMap::forget(const VectorClock& clock) {
  const auto is_before = [&](const Access& access) { return access.count <= clock[access.stream]; };
  for (auto at = pieces_.begin(); at != pieces_.end();) {
    Piece& piece = at->second;
    if (is_before(piece.write)) piece.write = {};
    std::erase_if(piece.reads, is_before);
    at = piece.write.name || !piece.reads.empty() ? std::next(at) : pieces_.erase(at);
  }
}

}  // namespace td::cudart

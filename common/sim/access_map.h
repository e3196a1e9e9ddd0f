// The accesses with which a new one may conflict. For the race finders of sim and of the CUDA
// runtime on sim.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <vector>

namespace td::sim {

/// The last write of every byte and the reads since. Not thread-safe. Invariant: pieces do not
/// overlap, and a piece has a write or a read.
/// @tparam Access one use of memory: `name` (null: no access), `stream`, `writes`, `begin`, `end`.
template <class Access>
class AccessMap {
 public:
  /// Calls `meet(earlier)` for each conflicting access: for a read the last writes, for a write
  /// also the reads since. It may be called several times for one earlier access.
  template <class Meet>
  void conflicts(const Access& access, Meet meet) const {
    for (auto at = first_after(access.begin); at != pieces_.end() && at->first < access.end; ++at) {
      const Piece& piece = at->second;
      if (piece.write.name) meet(piece.write);
      if (!access.writes) continue;
      for (const Access& read : piece.reads) meet(read);
    }
  }
  /// Adds the access.
  void note(const Access& access) {
    split(access.begin);
    split(access.end);
    auto at = pieces_.lower_bound(access.begin);
    if (access.writes) {  // earlier accesses no longer matter: a wait for this one covers them
      at = pieces_.erase(at, pieces_.lower_bound(access.end));
      pieces_.emplace_hint(at, access.begin, Piece{access.end, access, {}});
      return;
    }
    for (std::uintptr_t done = access.begin; done < access.end; ++at) {
      if (at == pieces_.end() || at->first > done) {  // bytes without an access
        const std::uintptr_t end =
            at == pieces_.end() ? access.end : std::min(access.end, at->first);
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
  /// Removes from [begin, end) the accesses for which `keep` is false; `keep` may change them.
  template <class Keep>
  void filter(std::uintptr_t begin, std::uintptr_t end, Keep keep) {
    split(begin);
    split(end);
    for (auto at = pieces_.lower_bound(begin); at != pieces_.end() && at->first < end;) {
      Piece& piece = at->second;
      if (piece.write.name && !keep(piece.write)) piece.write = {};
      std::erase_if(piece.reads, [&](Access& read) { return !keep(read); });
      at = piece.write.name || !piece.reads.empty() ? std::next(at) : pieces_.erase(at);
    }
  }
  void clear() { pieces_.clear(); }
  std::size_t size() const { return pieces_.size(); }

 private:
  struct Piece {
    std::uintptr_t end = 0;
    Access write;
    std::vector<Access> reads;  // at most one per stream: its last
  };
  using Pieces = std::map<std::uintptr_t, Piece>;  // by begin

  /// Returns the first piece that ends after the address.
  typename Pieces::const_iterator first_after(std::uintptr_t address) const {
    auto at = pieces_.upper_bound(address);
    if (at != pieces_.begin() && std::prev(at)->second.end > address) --at;
    return at;
  }

  /// Splits the piece that contains the address, if any.
  void split(std::uintptr_t address) {
    auto behind = pieces_.lower_bound(address);
    if (behind == pieces_.begin()) return;
    Piece& piece = std::prev(behind)->second;
    if (piece.end <= address) return;
    pieces_.emplace_hint(behind, address, piece);  // a copy keeps the end
    piece.end = address;
  }

  Pieces pieces_;
};

}  // namespace td::sim

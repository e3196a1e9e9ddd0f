// Who touched which bytes last: for every byte the last write and the reads since. The race finder
// asks it what a new access conflicts with. Not safe to share without a lock.
// Invariant: pieces do not overlap, and a piece has a write or a read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

namespace td::sim {

/// Whose memory an access belongs to, now.
enum class Life : std::uint8_t {
  kPresent,          ///< of the tensor that was touched
  kReleased,         ///< that tensor is gone; the access was on another stream than the block's own
  kReleasedByOwner,  ///< gone as well; on the stream that the block belongs to
};

/// One use of memory by a stream.
struct Access {
  const char* name = nullptr;  ///< of the operation; null: no access
  std::uint32_t stream = 0;    ///< the number that the finder gave it
  bool writes = false;
  Life life = Life::kPresent;
  std::uint64_t count = 0;            ///< which piece of the stream's work it was
  std::uintptr_t begin = 0, end = 0;  ///< all that it touched
};

class AccessMap {
 public:
  /// Calls `meet(earlier)` for what the access conflicts with: for a read the last writes, for a
  /// write the reads since as well. One earlier access may be met several times.
  template <class Meet>
  void conflicts(const Access& access, Meet meet) const {
    for (auto at = first_behind(access.begin); at != pieces_.end() && at->first < access.end;
         ++at) {
      const Piece& piece = at->second;
      if (piece.write.name) meet(piece.write);
      if (!access.writes) continue;
      for (const Access& read : piece.reads) meet(read);
    }
  }
  /// Notes the access.
  void note(const Access& access);
  /// Keeps of [begin, end) the accesses for which `keep` is true; it may change what it keeps.
  template <class Keep>
  void filter(std::uintptr_t begin, std::uintptr_t end, Keep keep) {
    split(begin);
    split(end);
    for (auto at = pieces_.lower_bound(begin); at != pieces_.end() && at->first < end;)
      at = filter_piece(at, keep);
  }
  template <class Keep>
  void filter_all(Keep keep) {
    for (auto at = pieces_.begin(); at != pieces_.end();) at = filter_piece(at, keep);
  }
  void clear() { pieces_.clear(); }
  std::size_t size() const { return pieces_.size(); }

 private:
  struct Piece {
    std::uintptr_t end = 0;
    Access write;
    std::vector<Access> reads;  // at most one a stream: its last
  };
  using Pieces = std::map<std::uintptr_t, Piece>;  // by begin

  Pieces::const_iterator first_behind(std::uintptr_t address) const;
  void split(std::uintptr_t address);
  template <class Keep>
  Pieces::iterator filter_piece(Pieces::iterator at, Keep keep) {
    Piece& piece = at->second;
    if (piece.write.name && !keep(piece.write)) piece.write = {};
    std::erase_if(piece.reads, [&](Access& read) { return !keep(read); });
    return piece.write.name || !piece.reads.empty() ? std::next(at) : pieces_.erase(at);
  }

  Pieces pieces_;
};

}  // namespace td::sim

// The last write of every byte and the reads since, and the vector clocks that order accesses. The
// race finder looks up what a new access conflicts with. Not thread-safe. Invariant: pieces do not
// overlap, and a piece has a write or a read.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

namespace td::sim {

/// The state of the block that was accessed.
enum class BlockState : std::uint8_t {
  kPresent,          ///< it still belongs to the tensor that was accessed
  kReleased,         ///< that tensor was released; the access was not on the block's own stream
  kReleasedByOwner,  ///< released as well; the access was on the block's own stream
};

/// One use of memory by a stream.
struct Access {
  const char* name = nullptr;  ///< of the operation; null: no access
  std::uint32_t stream = 0;    ///< its number in the race finder
  bool writes = false;
  BlockState block_state = BlockState::kPresent;
  std::uint64_t count = 0;            ///< its index in the stream's work
  std::uintptr_t begin = 0, end = 0;  ///< the bytes that it accessed
};

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
  void note(const Access& access);
  /// Removes from [begin, end) the accesses for which `keep` is false; `keep` may change them.
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
    std::vector<Access> reads;  // at most one per stream: its last
  };
  using Pieces = std::map<std::uintptr_t, Piece>;  // by begin

  Pieces::const_iterator first_after(std::uintptr_t address) const;
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

/// A vector clock: the work that comes before a point, as one count of finished work per stream (C.
/// J. Fidge, 1988; F. Mattern, 1989). The host, each stream and each event have one. Counts only
/// grow.
class VectorClock {
 public:
  /// Returns how much of the stream's work comes before.
  std::uint64_t operator[](std::size_t stream) const {
    return stream < counts_.size() ? counts_[stream] : 0;
  }
  /// Orders this after the stream's first `count` pieces of work.
  void raise(std::size_t stream, std::uint64_t count) {
    if (stream >= counts_.size()) counts_.resize(stream + 1);
    counts_[stream] = std::max(counts_[stream], count);
  }
  /// Orders this after everything that `other` comes after.
  void join(const VectorClock& other) {
    for (std::size_t i = 0; i < other.counts_.size(); ++i) raise(i, other.counts_[i]);
  }

 private:
  std::vector<std::uint64_t> counts_;
};

}  // namespace td::sim

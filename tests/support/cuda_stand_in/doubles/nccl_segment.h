// The memory that the ranks of one communicator of the stand-in for NCCL share, whether the ranks
// are threads or processes: a control block that every rank maps, and areas of a sparse file in
// which a rank leaves the data that other ranks read. The communicators (nccl_communicator.h) are
// the only users.
// Invariant: the file has no name and belongs to the process that made the unique id. Nothing is
// left of it when all ranks are gone, however they ended.
#pragma once

#include <nccl.h>
#include <pthread.h>

#include <cstdint>
#include <memory>
#include <string>

namespace cuda_stand_in {

constexpr int kMostRanks = 16;

enum class Kind : int { kBroadcast, kAllReduce, kReduce, kAllGather, kReduceScatter, kSend, kRecv };

/// What one rank asks for. It must be equal on all ranks that take part.
struct Signature {
  Kind kind = Kind::kBroadcast;
  ncclDataType_t type = ncclFloat;
  ncclRedOp_t op = ncclSum;
  int root = 0;  ///< the peer of a send or a receive
  std::uint64_t count = 0;

  bool operator==(const Signature&) const = default;
};

/// "ncclAllReduce of 3 x float32 (ncclSum)"
std::string describe(const Signature& signature);
std::size_t size_of(ncclDataType_t type);

/// What the other ranks know about a rank.
struct RankState {
  bool joined = false, finalized = false, aborted = false;
  char gpu[128] = {};
  std::uint64_t published = 0, ended = 0;  ///< collectives that it has begun, and that it has ended
  Signature collectives[2];                ///< of the last two that it has begun
};

/// The sends of one rank to another and the receives for them, in their order.
struct PairState {
  std::uint64_t sent = 0, taken = 0;
  Signature send;  ///< the last one
};

struct Control {
  pthread_mutex_t mutex;
  std::uint64_t token = 0;
  bool has_name = true;  ///< other processes can open the file
  int size = 0;          ///< 0 until the first rank comes
  bool broken = false;   ///< the ranks do not agree on an operation: it never ends
  RankState ranks[kMostRanks];
  PairState pairs[kMostRanks][kMostRanks];  ///< [sender][receiver]
};

class Segment {
 public:
  /// Makes a segment and writes down where other processes find it.
  static void make(ncclUniqueId& id);
  /// Null where the id names no segment of a living process.
  static std::unique_ptr<Segment> open(const ncclUniqueId& id);
  ~Segment();
  Segment(const Segment&) = delete;
  Segment& operator=(const Segment&) = delete;

  /// The control block, for this thread alone while the object lives.
  class Locked {
   public:
    explicit Locked(Control& control);
    ~Locked();
    Locked(const Locked&) = delete;
    Locked& operator=(const Locked&) = delete;
    Control* operator->() const { return &control_; }

   private:
    Control& control_;
  };
  Locked lock() { return Locked(*control_); }
  /// All ranks have the segment open: the process that made it closes the file that they opened.
  void forget(const ncclUniqueId& id);

  /// The position in the file of a rank's input of the collective with this number. Two areas are
  /// enough, because no rank begins a collective before all ranks have ended the last but one.
  static std::uint64_t area(int rank, std::uint64_t number);
  static std::uint64_t area_of_pair(int sender, int receiver);
  void write(std::uint64_t place, const void* data, std::size_t bytes) const;
  void read(std::uint64_t place, void* data, std::size_t bytes) const;

 private:
  Segment(int descriptor, Control* control) : descriptor_(descriptor), control_(control) {}
  static std::unique_ptr<Segment> map(int descriptor);

  const int descriptor_;
  Control* const control_;
};

}  // namespace cuda_stand_in

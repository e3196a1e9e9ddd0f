// The transport between processes of any hosts: gloo's TCP connections, one between any two ranks.
// The collectives are td's own, on gloo's buffers. As in shared memory, each rank of an all_reduce
// reduces one slice of all data and sends it to all ranks, so both results are bitwise identical.
// Invariant: a message is tagged with a hash of its call, so that mismatched calls never exchange
// data; they block until the coordination service has found the mismatch.
#include <algorithm>
#include <cstring>
#include <functional>
#include <string_view>

#include "distributed/transport/gloo_connection.h"

namespace td::distributed {
namespace {

// Up to this many bytes from all other ranks together, one exchange of everything costs less than
// two of slices: a message costs about as much as 60 KiB of data.
constexpr std::size_t kSmall = 64 * 1024;
// While one segment of a slice is reduced, the next one is in flight. A few large segments cost
// least, as long as they stay in a cache between the kernel's copy and the reduction.
constexpr std::size_t kInFlight = 2;
constexpr std::size_t kShortestSegment = 512 * 1024, kLongestSegment = 1024 * 1024;

// The part of a collective that a message belongs to.
enum class Phase : std::uint64_t { kOnly, kReduce, kGather };

// Equal on two ranks if, and in practice only if, they make the same call. gloo terminates the
// process when a message is larger than the receive, so sizes are part of the tag.
std::uint64_t tag_of(const CollectiveFingerprint& key, Phase phase, int from = 0, int to = 0) {
  const bool between = key.sequence == 0;  // send and recv: the two ranks see different sides
  const std::int64_t parts[] = {static_cast<std::int64_t>(phase),
                                static_cast<std::int64_t>(key.sequence),
                                key.numel,
                                between ? from : key.peer,
                                between ? to : static_cast<int>(key.type),
                                key.tag,
                                static_cast<int>(key.reduce),
                                static_cast<int>(key.dtype)};
  return std::hash<std::string_view>()({reinterpret_cast<const char*>(parts), sizeof parts});
}

// How a call's data is divided: a slice per rank, each slice in segments. All in bytes, and equal
// on all ranks.
struct SlicePlan {
  std::vector<std::size_t> borders;  // slice r begins at borders[r] and ends at borders[r + 1]
  std::size_t segment;

  // `numel` elements in slices of almost equal length.
  SlicePlan(std::int64_t numel, ScalarType dtype, int ranks) {
    const std::size_t element = element_size(dtype);
    for (int r = 0; r <= ranks; ++r)
      borders.push_back(static_cast<std::size_t>(numel * r / ranks) * element);
    const std::size_t share = borders.back() / static_cast<std::size_t>(ranks) / kInFlight;
    // Whole elements of any type.
    segment = std::clamp((share / 64 + 1) * 64, kShortestSegment, kLongestSegment);
  }
  int ranks() const { return static_cast<int>(borders.size()) - 1; }
  std::size_t begin(int rank) const { return borders[static_cast<std::size_t>(rank)]; }
  std::size_t length(int rank) const { return begin(rank + 1) - begin(rank); }
  // Bytes of a slice's segment; 0 after the last one.
  std::size_t bytes(int rank, std::size_t index) const {
    return std::min(segment, length(rank) - std::min(length(rank), index * segment));
  }
  // Calls f(offset, bytes) for each segment of a slice.
  template <class F>
  void for_segments(int rank, F&& f) const {
    for (std::size_t i = 0; bytes(rank, i); ++i) f(begin(rank) + i * segment, bytes(rank, i));
  }
};

// The other ranks' segments of rank `me`'s slice, kInFlight of them at a time: their memory is
// reused while it is in a cache.
class ReceiveWindow {
 public:
  ReceiveWindow(GlooMesh& mesh, int me, const SlicePlan& plan, std::uint64_t tag,
                std::vector<char>& scratch)
      : me_(me), size_(plan.ranks()), plan_(plan), tag_(tag), room_(kInFlight * plan.segment) {
    scratch.resize(std::max(scratch.size(), room_ * static_cast<std::size_t>(size_)));
    memory_ = scratch.data();
    // One buffer per rank: segments of one rank arrive in order, those of several ranks do not.
    for (int r = 0; r < size_; ++r)
      buffers_.push_back(std::make_unique<GlooBuffer>(mesh, memory_of(r), room_));
    for (std::size_t i = 0; i < kInFlight; ++i) expect(i);
  }

  // Starts to receive a segment, into the memory of the one kInFlight before it.
  void expect(std::size_t index) {
    const std::size_t bytes = plan_.bytes(me_, index);
    for (int r = 0; bytes && r < size_; ++r)
      if (r != me_) buffers_[r]->receive(r, tag_, offset_of(index), bytes);
  }

  // Segment `index` of every rank, this rank's own being `mine`.
  std::vector<const void*> wait_for(std::size_t index, const void* mine) {
    std::vector<const void*> arrays;
    for (int r = 0; r < size_; ++r) {
      if (r != me_) buffers_[r]->wait_receive();
      arrays.push_back(r == me_ ? mine : memory_of(r) + offset_of(index));
    }
    return arrays;
  }

 private:
  char* memory_of(int rank) { return memory_ + static_cast<std::size_t>(rank) * room_; }
  std::size_t offset_of(std::size_t index) const { return index % kInFlight * plan_.segment; }

  const int me_, size_;
  const SlicePlan& plan_;
  const std::uint64_t tag_;
  const std::size_t room_;  // bytes per rank
  char* memory_;
  std::vector<std::unique_ptr<GlooBuffer>> buffers_;
};

class GlooTransport final : public Transport {
 public:
  explicit GlooTransport(const Member& member)
      : rank_(member.rank), size_(member.size()), mesh_(member) {}
  const char* name() const override { return "gloo"; }

  void all_reduce(const CollectiveFingerprint& key, void* data) override {
    if (key.numel == 0 || size_ == 1) return;
    if (key.bytes() * static_cast<std::size_t>(size_ - 1) <= kSmall) return reduce_small(key, data);
    const SlicePlan plan(key.numel, key.dtype, size_);
    // The others' results are received into the slices that were sent to them: a result comes only
    // after the whole segment has arrived there.
    GlooBuffer all(mesh_, data, key.bytes());
    for (int r = 0; r < size_; ++r) {
      if (r == rank_) continue;
      plan.for_segments(r, [&](std::size_t offset, std::size_t bytes) {
        all.receive(r, tag_of(key, Phase::kGather), offset, bytes);
      });
    }
    reduce_slice(key, plan, data, static_cast<char*>(data) + plan.begin(rank_), &all);
    all.wait_all();
  }

  // The root would receive and send as much as in all_reduce, so all ranks may get the result.
  void reduce(const CollectiveFingerprint& key, void* data) override { all_reduce(key, data); }

  void reduce_scatter(const CollectiveFingerprint& key, const void* input, void* output) override {
    if (key.numel == 0) return;
    reduce_slice(key, SlicePlan(size_ * key.numel, key.dtype, size_), input, output, nullptr);
  }

  void all_gather(const CollectiveFingerprint& key, const void* input, void* output) override {
    const std::size_t bytes = key.bytes();
    if (bytes == 0) return;
    std::memmove(static_cast<char*>(output) + static_cast<std::size_t>(rank_) * bytes, input,
                 bytes);
    gather_all(tag_of(key, Phase::kGather), input, bytes, output);
  }

  // A binomial tree: each rank that has the data sends it to a rank that does not have it, each
  // time half as far away.
  void broadcast(const CollectiveFingerprint& key, void* data) override {
    if (key.numel == 0 || size_ == 1) return;
    const std::uint64_t tag = tag_of(key, Phase::kOnly);
    const int position = (rank_ - key.peer + size_) % size_;  // the root's is 0
    const auto rank_at = [&](int p) { return (p + key.peer) % size_; };
    GlooBuffer all(mesh_, data, key.bytes());
    int distance = 1;
    while (distance < size_ && !(position & distance)) distance *= 2;
    if (position) {
      all.receive(rank_at(position - distance), tag, 0, key.bytes());
      all.wait_receive();
    }
    while (distance /= 2)
      if (position + distance < size_) all.send(rank_at(position + distance), tag, 0, key.bytes());
    all.wait_all();
  }

  void barrier(const CollectiveFingerprint& key) override {
    const char here = 0;
    std::vector<char> there(static_cast<std::size_t>(size_));
    gather_all(tag_of(key, Phase::kOnly), &here, 1, there.data());
  }

  void send(const CollectiveFingerprint& key, const void* data) override {
    GlooBuffer message(mesh_, data, key.bytes());
    message.send(key.peer, tag_of(key, Phase::kOnly, rank_, key.peer), 0, key.bytes());
    message.wait_all();
  }

  void receive(const CollectiveFingerprint& key, void* data) override {
    GlooBuffer message(mesh_, data, key.bytes());
    message.receive(key.peer, tag_of(key, Phase::kOnly, key.peer, rank_), 0, key.bytes());
    message.wait_all();
  }

  void abort(const std::string& why) override { mesh_.abort(why); }

 private:
  // Sends `mine` to every other rank and receives theirs: rank r's bytes at r * bytes of `all`.
  void gather_all(std::uint64_t tag, const void* mine, std::size_t bytes, void* all) {
    GlooBuffer input(mesh_, mine, bytes),
        output(mesh_, all, bytes * static_cast<std::size_t>(size_));
    for (int r = 0; r < size_; ++r)
      if (r != rank_) output.receive(r, tag, static_cast<std::size_t>(r) * bytes, bytes);
    for (int step = 1; step < size_; ++step) input.send((rank_ + step) % size_, tag, 0, bytes);
    output.wait_all();
    input.wait_all();
  }

  // Each rank sends all its data to each other one; all reduce the same arrays in the same order.
  void reduce_small(const CollectiveFingerprint& key, void* data) {
    const std::size_t bytes = key.bytes();
    scratch_.resize(std::max(scratch_.size(), bytes * static_cast<std::size_t>(size_)));
    gather_all(tag_of(key, Phase::kOnly), data, bytes, scratch_.data());
    std::vector<const void*> arrays;
    for (int r = 0; r < size_; ++r)
      arrays.push_back(r == rank_ ? data : scratch_.data() + static_cast<std::size_t>(r) * bytes);
    reduce_all(data, arrays.data(), size_, key.numel, key.dtype, key.reduce);
  }

  // Reduces this rank's slice of the ranks' data, in the order of ranks, segment by segment as they
  // arrive, into `result`. Sends each segment to all ranks immediately if `all` is given.
  void reduce_slice(const CollectiveFingerprint& key, const SlicePlan& plan, const void* data,
                    void* result, GlooBuffer* all) {
    const std::uint64_t tag = tag_of(key, Phase::kReduce);
    ReceiveWindow window(mesh_, rank_, plan, tag, scratch_);
    GlooBuffer source(mesh_, data, plan.borders.back());
    for (int step = 1; step < size_; ++step) {
      const int to = (rank_ + step) % size_;
      plan.for_segments(
          to, [&](std::size_t offset, std::size_t bytes) { source.send(to, tag, offset, bytes); });
    }
    const std::size_t begin = plan.begin(rank_);
    for (std::size_t i = 0; const std::size_t bytes = plan.bytes(rank_, i); ++i) {
      const std::size_t offset = i * plan.segment;
      const auto arrays = window.wait_for(i, static_cast<const char*>(data) + begin + offset);
      reduce_all(static_cast<char*>(result) + offset, arrays.data(), size_,
                 static_cast<std::int64_t>(bytes / element_size(key.dtype)), key.dtype, key.reduce);
      window.expect(i + kInFlight);
      for (int step = 1; all && step < size_; ++step)
        all->send((rank_ + step) % size_, tag_of(key, Phase::kGather), begin + offset, bytes);
    }
    source.wait_all();
  }

  const int rank_, size_;
  GlooMesh mesh_;
  std::vector<char> scratch_;  // what the other ranks send to be reduced here
};

}  // namespace

std::shared_ptr<Transport> make_gloo_transport(const Member& member) {
  return std::make_shared<GlooTransport>(member);
}

}  // namespace td::distributed

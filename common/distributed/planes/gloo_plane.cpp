// Collectives over gloo's buffers.
#include "distributed/planes/gloo_plane.h"

#include <gloo/context.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "distributed/planes/gloo_buffer.h"
#include "distributed/planes/gloo_mesh.h"
#include "distributed/planes/host_reduce.h"
#include "distributed/work.h"

namespace td::distributed {
namespace {

// Up to this many bytes from all other ranks together, one exchange of everything costs less than
// two of slices: a message costs about as much as 60 KiB of data.
constexpr std::size_t kSmall = 64 * 1024;
// While one segment of a slice is reduced the next one travels. Few large ones cost least, as long
// as they stay in a cache between the kernel's copy and the reduction.
constexpr std::size_t kInFlight = 2;
constexpr std::size_t kShortestSegment = 512 * 1024, kLongestSegment = 1024 * 1024;

// The part of a collective that a message belongs to.
enum class Phase : std::uint64_t { kOnly, kReduce, kGather };

std::uint64_t mixed(std::uint64_t hash, std::uint64_t value) {
  hash ^= value + 0x9e3779b97f4a7c15 + (hash << 6) + (hash >> 2);
  hash *= 0xff51afd7ed558ccd;
  return hash ^ (hash >> 33);
}

// Equal on two ranks when, and practically only when, they make the same call. gloo ends the
// process when a message is larger than what waits for it, so sizes are part of it.
std::uint64_t mark_of(const CollectiveKey& key, Phase phase, int from = 0, int to = 0) {
  const bool between = key.sequence == 0;  // send and recv: the two ranks see different sides
  std::uint64_t hash = mixed(static_cast<std::uint64_t>(phase), key.sequence);
  hash = mixed(hash, static_cast<std::uint64_t>(key.numel));
  hash = mixed(hash, between ? static_cast<std::uint64_t>(from) << 32 | static_cast<unsigned>(to)
                             : static_cast<std::uint64_t>(key.peer));
  hash = mixed(hash, static_cast<std::uint64_t>(key.tag) << 32 |
                         (between ? 0 : static_cast<std::uint64_t>(key.type) + 1) << 16 |
                         static_cast<std::uint64_t>(key.reduce) << 8 |
                         static_cast<std::uint64_t>(key.dtype));
  return hash;
}

}  // namespace

GlooPlane::GlooPlane(const GlooOptions& options, Store& store)
    : options_(options),
      rank_(options.rank),
      size_(options.size),
      context_(connect_mesh(options, store)) {}

GlooPlane::~GlooPlane() = default;

// How a call's data is cut: a slice for each rank, each slice in segments. All in bytes, and alike
// on all ranks.
struct GlooPlane::Cut {
  std::vector<std::size_t> borders;  // slice r begins at borders[r] and ends at borders[r + 1]
  std::size_t segment;

  std::size_t begin(int rank) const { return borders[static_cast<std::size_t>(rank)]; }
  std::size_t length(int rank) const { return begin(rank + 1) - begin(rank); }
  // Bytes of a slice's segment; 0 behind the last one.
  std::size_t bytes(int rank, std::size_t index) const {
    return std::min(segment, length(rank) - std::min(length(rank), index * segment));
  }
  // Calls f(offset, bytes) for each segment of a slice.
  template <class F>
  void for_segments(int rank, F&& f) const {
    for (std::size_t i = 0; bytes(rank, i); ++i) f(begin(rank) + i * segment, bytes(rank, i));
  }
};

// `numel` elements in slices that are as even as can be.
GlooPlane::Cut GlooPlane::cut(std::int64_t numel, ScalarType dtype) const {
  const std::size_t element = element_size(dtype);
  Cut cut;
  for (int r = 0; r <= size_; ++r)
    cut.borders.push_back(static_cast<std::size_t>(numel * r / size_) * element);
  const std::size_t share = cut.borders.back() / static_cast<std::size_t>(size_) / kInFlight;
  // Whole elements of any type.
  cut.segment = std::clamp((share / 64 + 1) * 64, kShortestSegment, kLongestSegment);
  return cut;
}

// The other ranks' segments of this rank's slice, some of them on their way at a time: their memory
// is used again and again while it is in a cache.
class GlooPlane::Arrivals {
 public:
  Arrivals(GlooPlane& plane, const Cut& cut, std::uint64_t mark)
      : plane_(plane), cut_(cut), mark_(mark), room_(kInFlight * cut.segment) {
    const std::size_t needed = room_ * static_cast<std::size_t>(plane.size_);
    plane.scratch_.resize(std::max(plane.scratch_.size(), needed));
    // One buffer a rank: segments of one rank arrive in order, those of several do not.
    for (int r = 0; r < plane.size_; ++r)
      buffers_.push_back(std::make_unique<GlooBuffer>(plane, memory_of(r), room_));
    for (std::size_t i = 0; i < kInFlight; ++i) expect(i);
  }

  // Lets a segment come, in place of the one that was kInFlight before it.
  void expect(std::size_t index) {
    const std::size_t bytes = cut_.bytes(plane_.rank_, index);
    for (int r = 0; bytes && r < plane_.size_; ++r)
      if (r != plane_.rank_) buffers_[r]->receive(r, mark_, place_of(index), bytes);
  }

  // Where each rank's segment is; this rank's own is `mine`.
  std::vector<const void*> wait_for(std::size_t index, const void* mine) {
    std::vector<const void*> arrays;
    for (int r = 0; r < plane_.size_; ++r) {
      if (r != plane_.rank_) buffers_[r]->wait_receive();
      arrays.push_back(r == plane_.rank_ ? mine : memory_of(r) + place_of(index));
    }
    return arrays;
  }

 private:
  char* memory_of(int rank) {
    return plane_.scratch_.data() + static_cast<std::size_t>(rank) * room_;
  }
  std::size_t place_of(std::size_t index) const { return index % kInFlight * cut_.segment; }

  GlooPlane& plane_;
  const Cut& cut_;
  const std::uint64_t mark_;
  const std::size_t room_;  // bytes a rank
  std::vector<std::unique_ptr<GlooBuffer>> buffers_;
};

void GlooPlane::check_alive() {
  std::lock_guard lock(mutex_);
  if (!failure_.empty()) throw DistributedError(failure_);
}

void GlooPlane::fail_with(const std::string& what) {
  check_alive();
  throw DistributedError(what);
}

// Each rank sends all it has to each other one, and all reduce the same arrays in the same order.
void GlooPlane::exchange_small(const CollectiveKey& key, void* data) {
  const std::uint64_t mark = mark_of(key, Phase::kOnly);
  const std::size_t bytes = key.bytes();
  scratch_.resize(std::max(scratch_.size(), bytes * static_cast<std::size_t>(size_)));
  GlooBuffer mine(*this, data, bytes), theirs(*this, scratch_.data(), scratch_.size());
  std::vector<const void*> arrays;
  for (int r = 0; r < size_; ++r) {
    char* const from = scratch_.data() + static_cast<std::size_t>(r) * bytes;
    arrays.push_back(r == rank_ ? data : from);
    if (r != rank_) theirs.receive(r, mark, static_cast<std::size_t>(r) * bytes, bytes);
  }
  for (int r = 0; r < size_; ++r)
    if (r != rank_) mine.send(r, mark, 0, bytes);
  theirs.wait_all();
  mine.wait_all();
  reduce_all(data, arrays.data(), size_, key.numel, key.dtype, key.reduce);
}

// Starts sending to each other rank the slice that it reduces.
void GlooPlane::send_slices(const Cut& cut, std::uint64_t mark, GlooBuffer& data) {
  for (int step = 1; step < size_; ++step) {
    const int to = (rank_ + step) % size_;
    cut.for_segments(
        to, [&](std::size_t offset, std::size_t bytes) { data.send(to, mark, offset, bytes); });
  }
}

// Reduces this rank's slice of everybody's data, in the order of ranks, segment by segment as they
// arrive, into `result`; and hands each one out at once to all ranks where `hand_out` is given.
void GlooPlane::reduce_slice(const CollectiveKey& key, const Cut& cut, const void* data,
                             void* result, GlooBuffer* hand_out) {
  const std::uint64_t mark = mark_of(key, Phase::kReduce);
  Arrivals arrivals(*this, cut, mark);
  GlooBuffer source(*this, data, cut.borders.back());
  send_slices(cut, mark, source);
  const std::size_t begin = cut.begin(rank_);
  for (std::size_t i = 0; const std::size_t bytes = cut.bytes(rank_, i); ++i) {
    const std::size_t offset = i * cut.segment;
    const auto arrays = arrivals.wait_for(i, static_cast<const char*>(data) + begin + offset);
    reduce_all(static_cast<char*>(result) + offset, arrays.data(), size_,
               static_cast<std::int64_t>(bytes / element_size(key.dtype)), key.dtype, key.reduce);
    arrivals.expect(i + kInFlight);
    for (int step = 1; hand_out && step < size_; ++step)
      hand_out->send((rank_ + step) % size_, mark_of(key, Phase::kGather), begin + offset, bytes);
  }
  source.wait_all();
}

void GlooPlane::all_reduce(const CollectiveKey& key, void* data) {
  check_alive();
  if (key.numel == 0 || size_ == 1) return;
  if (key.bytes() * static_cast<std::size_t>(size_ - 1) <= kSmall) return exchange_small(key, data);
  const Cut cut = this->cut(key.numel, key.dtype);
  // The others' results are taken where the slices that were sent to them lie: a result comes only
  // after all of the segment has arrived there.
  GlooBuffer all(*this, data, key.bytes());
  for (int r = 0; r < size_; ++r) {
    if (r == rank_) continue;
    cut.for_segments(r, [&](std::size_t offset, std::size_t bytes) {
      all.receive(r, mark_of(key, Phase::kGather), offset, bytes);
    });
  }
  reduce_slice(key, cut, data, static_cast<char*>(data) + cut.begin(rank_), &all);
  all.wait_all();
}

// The root must receive and send as much in all_reduce, so nothing is lost by giving all the
// result.
void GlooPlane::reduce(const CollectiveKey& key, void* data) { all_reduce(key, data); }

void GlooPlane::reduce_scatter(const CollectiveKey& key, const void* input, void* output) {
  check_alive();
  if (key.numel == 0) return;
  reduce_slice(key, cut(size_ * key.numel, key.dtype), input, output, nullptr);
}

void GlooPlane::all_gather(const CollectiveKey& key, const void* input, void* output) {
  check_alive();
  const std::size_t bytes = key.bytes();
  if (bytes == 0) return;
  const std::uint64_t mark = mark_of(key, Phase::kGather);
  GlooBuffer mine(*this, input, bytes), all(*this, output, bytes * static_cast<std::size_t>(size_));
  for (int r = 0; r < size_; ++r)
    if (r != rank_) all.receive(r, mark, static_cast<std::size_t>(r) * bytes, bytes);
  for (int step = 1; step < size_; ++step) mine.send((rank_ + step) % size_, mark, 0, bytes);
  std::memmove(static_cast<char*>(output) + static_cast<std::size_t>(rank_) * bytes, input, bytes);
  all.wait_all();
  mine.wait_all();
}

// A binomial tree: whoever has the data gives it to a rank that has not, each half as far away.
void GlooPlane::broadcast(const CollectiveKey& key, void* data) {
  check_alive();
  if (key.numel == 0 || size_ == 1) return;
  const std::uint64_t mark = mark_of(key, Phase::kOnly);
  const int place = (rank_ - key.peer + size_) % size_;  // the root's is 0
  const auto rank_at = [&](int p) { return (p + key.peer) % size_; };
  GlooBuffer all(*this, data, key.bytes());
  int distance = 1;
  while (distance < size_ && !(place & distance)) distance *= 2;
  if (place) {
    all.receive(rank_at(place - distance), mark, 0, key.bytes());
    all.wait_receive();
  }
  while (distance /= 2)
    if (place + distance < size_) all.send(rank_at(place + distance), mark, 0, key.bytes());
  all.wait_all();
}

void GlooPlane::barrier(const CollectiveKey& key) {
  check_alive();
  const std::uint64_t mark = mark_of(key, Phase::kOnly);
  char here = 0;
  std::vector<char> there(size_);
  GlooBuffer mine(*this, &here, 1), theirs(*this, there.data(), there.size());
  for (int r = 0; r < size_; ++r)
    if (r != rank_) theirs.receive(r, mark, static_cast<std::size_t>(r), 1);
  for (int r = 0; r < size_; ++r)
    if (r != rank_) mine.send(r, mark, 0, 1);
  theirs.wait_all();
  mine.wait_all();
}

void GlooPlane::send(const CollectiveKey& key, const void* data) {
  check_alive();
  GlooBuffer parcel(*this, data, key.bytes());
  parcel.send(key.peer, mark_of(key, Phase::kOnly, rank_, key.peer), 0, key.bytes());
  parcel.wait_all();
}

void GlooPlane::receive(const CollectiveKey& key, void* data) {
  check_alive();
  GlooBuffer parcel(*this, data, key.bytes());
  parcel.receive(key.peer, mark_of(key, Phase::kOnly, key.peer, rank_), 0, key.bytes());
  parcel.wait_all();
}

void GlooPlane::abort(const std::string& why) {
  {
    std::lock_guard lock(mutex_);
    if (!failure_.empty()) return;
    failure_ = why;
    for (GlooBuffer* buffer : buffers_) buffer->abort();
  }
  // Memory that messages in flight were for may go away now.
  context_->closeConnections();
}

std::shared_ptr<HostPlane> make_gloo_plane(const GlooOptions& options, Store& store) {
  return std::make_shared<GlooPlane>(options, store);
}

}  // namespace td::distributed

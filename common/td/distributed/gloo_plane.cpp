// Collectives over gloo's buffers.
#include "td/distributed/gloo_plane.h"

#include <gloo/context.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "td/distributed/gloo_buffer.h"
#include "td/distributed/gloo_mesh.h"
#include "td/distributed/host_reduce.h"
#include "td/distributed/work.h"

namespace td::distributed {
namespace {

// Up to this many bytes from all other ranks together, one exchange of everything costs less than
// two of slices: a message costs about as much as 60 KiB of data.
constexpr std::size_t kSmall = 64 * 1024;
// While one segment is reduced the next one travels.
constexpr std::size_t kSegment = 512 * 1024;

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

char* at(void* data, std::int64_t element, const CollectiveKey& key) {
  return static_cast<char*>(data) + static_cast<std::size_t>(element) * element_size(key.dtype);
}
const char* at(const void* data, std::int64_t element, const CollectiveKey& key) {
  return at(const_cast<void*>(data), element, key);
}

std::int64_t segment_elements(const CollectiveKey& key) {
  return static_cast<std::int64_t>(kSegment / element_size(key.dtype));
}

// Calls f(offset in bytes, bytes) for each segment of elements [begin, end).
template <class F>
void for_segments(std::int64_t begin, std::int64_t end, const CollectiveKey& key, F&& f) {
  const std::size_t size = element_size(key.dtype);
  for (; begin < end; begin += segment_elements(key))
    f(static_cast<std::size_t>(begin) * size,
      static_cast<std::size_t>(std::min(segment_elements(key), end - begin)) * size);
}

}  // namespace

GlooPlane::GlooPlane(const GlooOptions& options, Store& store)
    : options_(options),
      rank_(options.rank),
      size_(options.size),
      context_(connect_mesh(options, store)) {}

GlooPlane::~GlooPlane() = default;

void GlooPlane::check_alive() {
  std::lock_guard lock(mutex_);
  if (!failure_.empty()) throw DistributedError(failure_);
}

void GlooPlane::fail_with(const std::string& what) {
  check_alive();
  throw DistributedError(what);
}

// Rank by rank, as even as can be.
GlooPlane::Slice GlooPlane::slice_of(int rank, std::int64_t numel) const {
  return {numel * rank / size_, numel * (rank + 1) / size_};
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
void GlooPlane::send_slices(const CollectiveKey& key, const std::vector<Slice>& slices,
                            GlooBuffer& data) {
  const std::uint64_t mark = mark_of(key, Phase::kReduce);
  for (int step = 1; step < size_; ++step) {
    const int to = (rank_ + step) % size_;
    for_segments(slices[to].begin, slices[to].end, key, [&](std::size_t offset, std::size_t bytes) {
      data.send(to, mark, offset, bytes);
    });
  }
}

// Reduces this rank's slice of everybody's data, in the order of ranks, segment by segment as they
// arrive, and hands each one out at once: into `result`, and to all ranks where `hand_out` is
// given.
void GlooPlane::reduce_slice(const CollectiveKey& key, const void* data, void* result,
                             const std::vector<Slice>& slices, GlooBuffer* hand_out) {
  const Slice mine = slices[rank_];
  const std::size_t bytes =
      static_cast<std::size_t>(mine.end - mine.begin) * element_size(key.dtype);
  scratch_.resize(std::max(scratch_.size(), bytes * static_cast<std::size_t>(size_)));
  // One buffer a rank: segments of one rank arrive in order, those of several do not.
  std::vector<std::unique_ptr<GlooBuffer>> theirs(size_);
  for (int r = 0; r < size_; ++r) {
    if (r == rank_) continue;
    theirs[r] = std::make_unique<GlooBuffer>(*this, scratch_.data() + r * bytes, bytes);
    for_segments(0, mine.end - mine.begin, key, [&](std::size_t offset, std::size_t length) {
      theirs[r]->receive(r, mark_of(key, Phase::kReduce), offset, length);
    });
  }
  GlooBuffer source(*this, data,
                    static_cast<std::size_t>(slices.back().end) * element_size(key.dtype));
  send_slices(key, slices, source);
  for_segments(0, mine.end - mine.begin, key, [&](std::size_t offset, std::size_t length) {
    std::vector<const void*> arrays;
    for (int r = 0; r < size_; ++r) {
      if (r != rank_) theirs[r]->wait_receive();
      arrays.push_back(r == rank_ ? at(data, mine.begin, key) + offset
                                  : scratch_.data() + r * bytes + offset);
    }
    reduce_all(static_cast<char*>(result) + offset, arrays.data(), size_,
               static_cast<std::int64_t>(length / element_size(key.dtype)), key.dtype, key.reduce);
    if (!hand_out) return;
    const std::size_t begin = static_cast<std::size_t>(mine.begin) * element_size(key.dtype);
    for (int step = 1; step < size_; ++step)
      hand_out->send((rank_ + step) % size_, mark_of(key, Phase::kGather), begin + offset, length);
  });
  source.wait_all();
}

void GlooPlane::all_reduce(const CollectiveKey& key, void* data) {
  check_alive();
  if (key.numel == 0 || size_ == 1) return;
  if (key.bytes() * static_cast<std::size_t>(size_ - 1) <= kSmall) return exchange_small(key, data);
  std::vector<Slice> slices;
  for (int r = 0; r < size_; ++r) slices.push_back(slice_of(r, key.numel));
  // The others' results are taken where the slices that were sent to them lie: a result comes only
  // after all of the slice has arrived there.
  GlooBuffer all(*this, data, key.bytes());
  for (int r = 0; r < size_; ++r) {
    if (r == rank_) continue;
    for_segments(slices[r].begin, slices[r].end, key, [&](std::size_t offset, std::size_t bytes) {
      all.receive(r, mark_of(key, Phase::kGather), offset, bytes);
    });
  }
  reduce_slice(key, data, at(data, slices[rank_].begin, key), slices, &all);
  all.wait_all();
}

// The root must receive and send as much in all_reduce, so nothing is lost by giving all the
// result.
void GlooPlane::reduce(const CollectiveKey& key, void* data) { all_reduce(key, data); }

void GlooPlane::reduce_scatter(const CollectiveKey& key, const void* input, void* output) {
  check_alive();
  if (key.numel == 0) return;
  std::vector<Slice> slices;
  for (int r = 0; r < size_; ++r) slices.push_back({r * key.numel, (r + 1) * key.numel});
  reduce_slice(key, input, output, slices, nullptr);
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
  std::memmove(at(output, rank_ * key.numel, key), input, bytes);
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

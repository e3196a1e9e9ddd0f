// Barriers, stages and mailboxes. A rank's segment holds, in this order: its slot, a mailbox for
// each rank it may send to, its stage, and the memory it was asked for.
#include "distributed/transport/shm_transport.h"

#include <algorithm>
#include <cstring>

#include "distributed/collective.h"

namespace td::distributed {

// A rank's part of the barriers. `arrived` counts how often it has come.
struct RankSlot {
  std::uint64_t token;  // the segment's
  SharedCounter arrived;
  // Its calls, double-buffered: a late rank reads the last one while the next is written.
  struct CallSlot {
    CollectiveFingerprint key;
    std::int64_t place;  // of its data in its segment, or one of the two below
  };
  alignas(64) CallSlot calls[2];
};

// One direction between two ranks. A rank advances its counter after it has written the rest.
struct SharedMailbox {
  SharedCounter posted, taken;
  CollectiveFingerprint sent, wanted;
  alignas(64) char data[64 << 10];
};

namespace {

constexpr std::int64_t kNowhere = -1;  // shows nothing
constexpr std::int64_t kOnStage = -2;

// Half a stage. Two halves, because a rank fills one while another rank still reads the other.
constexpr std::size_t kHalf = 256 << 10;

constexpr std::size_t kSlotBytes = 4096;
static_assert(sizeof(RankSlot) <= kSlotBytes);

std::int64_t elements_on_stage(ScalarType dtype) {
  return static_cast<std::int64_t>(kHalf / element_size(dtype));
}

}  // namespace

std::size_t ShmTransport::segment_bytes(int size) {
  return kSlotBytes + static_cast<std::size_t>(size) * sizeof(SharedMailbox) + 2 * kHalf;
}

ShmTransport::ShmTransport(int rank, std::vector<std::shared_ptr<SharedSegment>> segments)
    : PeerMemoryTransport(rank, static_cast<int>(segments.size())),
      segments_(std::move(segments)),
      pointers_(segments_.size()),
      sent_(segments_.size()),
      received_(segments_.size()) {}

RankSlot& ShmTransport::slot(int rank) const {
  return *reinterpret_cast<RankSlot*>(segments_[rank]->data());
}
SharedMailbox& ShmTransport::mailbox(int from, int to) const {
  return reinterpret_cast<SharedMailbox*>(segments_[from]->data() + kSlotBytes)[to];
}
char* ShmTransport::stage(int rank) const {
  return reinterpret_cast<char*>(&mailbox(rank, size_)) + half_ * kHalf;
}

void* ShmTransport::allocate_shared(std::size_t bytes) { return segments_[rank_]->allocate(bytes); }
void ShmTransport::release_shared(void* memory, std::size_t bytes) {
  segments_[rank_]->release(memory, bytes);
}

// ---- waiting ----

void ShmTransport::throw_failure() {
  std::lock_guard lock(mutex_);
  throw DistributedError(failure_);
}

void ShmTransport::wait_for(SharedCounter& counter, std::uint32_t target) {
  if (!counter.wait_for(target, failed_)) throw_failure();
}

void ShmTransport::abort(const std::string& why) {
  {
    std::lock_guard lock(mutex_);
    if (failure_.empty()) failure_ = why;
  }
  failed_.store(true, std::memory_order_release);
  for (int r = 0; r < size_; ++r) {
    slot(r).arrived.wake();
    mailbox(r, rank_).posted.wake();
    mailbox(rank_, r).taken.wake();
  }
}

// Arrives, and waits until all ranks have arrived equally often.
void ShmTransport::arrive_and_wait() {
  if (failed_.load(std::memory_order_acquire)) throw_failure();
  slot(rank_).arrived.advance();
  ++arrivals_;
  for (int r = 0; r < size_; ++r)
    if (r != rank_) wait_for(slot(r).arrived, arrivals_);
}

// Announces a call and the place of its data, and reads those of all others.
ShmTransport::BufferPlacement ShmTransport::exchange_fingerprints(const CollectiveFingerprint& key,
                                                                  const void* mine) {
  const std::uint32_t turn = calls_++ % 2;
  const std::int64_t place = mine ? segments_[rank_]->offset_of(mine) : kNowhere;
  slot(rank_).calls[turn] = {key, mine && place < 0 ? kOnStage : place};
  arrive_and_wait();
  bool in_place = false, copies = false;
  for (int r = 0; r < size_; ++r) {
    const RankSlot::CallSlot& call = slot(r).calls[turn];
    if (!(call.key == key)) {
      std::vector<CollectiveFingerprint> keys(pointers_.size());
      for (int k = 0; k < size_; ++k) keys[k] = slot(k).calls[turn].key;
      abort(mismatch(keys));
      throw_failure();
    }
    copies = copies || call.place == kOnStage;
    in_place = in_place || call.place >= 0;
    pointers_[r] = call.place >= 0 ? segments_[r]->data() + call.place : nullptr;
  }
  if (copies) return in_place ? BufferPlacement::kMixed : BufferPlacement::kCopies;
  return in_place ? BufferPlacement::kInPlace : BufferPlacement::kNothing;
}

// ---- collectives ----

void ShmTransport::barrier(const CollectiveFingerprint& key) {
  exchange_fingerprints(key, nullptr);
}

void ShmTransport::exchange_buffers(const CollectiveFingerprint& key, void* mine,
                                    std::int64_t numel, Access access, const Use& use) {
  if (size_ == 1) {
    pointers_[0] = mine;
    return use({pointers_, 0, numel});
  }
  // A rank whose data must be copied knows so by itself, and brings the first piece along.
  const bool outside = mine && segments_[rank_]->offset_of(mine) < 0;
  const std::int64_t first = std::min(numel, elements_on_stage(key.dtype));
  if (outside) copy_for_others(stage(rank_), mine, first, key.dtype, access);
  const BufferPlacement shown = exchange_fingerprints(key, mine);
  if (shown == BufferPlacement::kNothing) return;
  if (shown == BufferPlacement::kInPlace) {
    use({pointers_, 0, numel});
    return arrive_and_wait();
  }
  if (shown == BufferPlacement::kMixed) {
    if (mine && !outside) copy_for_others(stage(rank_), mine, first, key.dtype, access);
    arrive_and_wait();
  }
  exchange_staged(key, static_cast<char*>(mine), numel, access, use);
}

// Copies what other ranks look at; in slices, that is all but this rank's own.
void ShmTransport::copy_for_others(void* to, const void* from, std::int64_t numel, ScalarType dtype,
                                   Access access) const {
  const Slice own = access == Access::kSlices ? my_slice(numel, dtype) : Slice{numel, numel};
  const std::size_t element = element_size(dtype), before = own.begin * element,
                    behind = own.end * element;
  if (before) std::memcpy(to, from, before);
  if (own.end < numel)
    std::memcpy(static_cast<char*>(to) + behind, static_cast<const char*>(from) + behind,
                numel * element - behind);
}

// The first piece is on all stages. A half is filled again after the arrival for the other half,
// and by then all ranks are done with it.
void ShmTransport::exchange_staged(const CollectiveFingerprint& key, char* mine, std::int64_t numel,
                                   Access access, const Use& use) {
  const std::int64_t step = elements_on_stage(key.dtype);
  for (std::int64_t begin = 0; begin == 0 || begin < numel; begin += step) {
    const std::int64_t end = std::min(numel, begin + step);
    char* const place = mine ? mine + begin * element_size(key.dtype) : nullptr;
    if (begin) {
      if (mine) copy_for_others(stage(rank_), place, end - begin, key.dtype, access);
      arrive_and_wait();
    }
    for (int r = 0; r < size_; ++r) pointers_[r] = r == rank_ && mine ? place : stage(r);
    use({pointers_, begin, end});
    if (access == Access::kSlices) {
      arrive_and_wait();
      copy_for_others(place, stage(rank_), end - begin, key.dtype, access);
    }
    half_ = 1 - half_;
  }
}

// ---- between two ranks ----

void ShmTransport::check_p2p(int from, const CollectiveFingerprint& sent, int to,
                             const CollectiveFingerprint& wanted) {
  if (sent.numel == wanted.numel && sent.dtype == wanted.dtype && sent.tag == wanted.tag) return;
  abort(p2p_mismatch(from, sent, to, wanted));
  throw_failure();
}

// Both announce their call, and come to the same result. Then the data follows in pieces.
void ShmTransport::send(const CollectiveFingerprint& key, const void* data) {
  if (failed_.load(std::memory_order_acquire)) throw_failure();
  SharedMailbox& box = mailbox(rank_, key.peer);
  std::uint32_t& handovers = sent_[key.peer];
  box.sent = key;
  box.posted.advance();
  wait_for(box.taken, ++handovers);
  check_p2p(rank_, key, key.peer, box.wanted);
  for (std::size_t begin = 0; begin < key.bytes(); begin += sizeof box.data) {
    std::memcpy(box.data, static_cast<const char*>(data) + begin,
                std::min(sizeof box.data, key.bytes() - begin));
    box.posted.advance();
    wait_for(box.taken, ++handovers);
  }
}

void ShmTransport::receive(const CollectiveFingerprint& key, void* data) {
  if (failed_.load(std::memory_order_acquire)) throw_failure();
  SharedMailbox& box = mailbox(key.peer, rank_);
  std::uint32_t& handovers = received_[key.peer];
  wait_for(box.posted, ++handovers);
  const CollectiveFingerprint sent = box.sent;
  box.wanted = key;
  box.taken.advance();
  check_p2p(key.peer, sent, rank_, key);
  for (std::size_t begin = 0; begin < key.bytes(); begin += sizeof box.data) {
    wait_for(box.posted, ++handovers);
    std::memcpy(static_cast<char*>(data) + begin, box.data,
                std::min(sizeof box.data, key.bytes() - begin));
    box.taken.advance();
  }
}

// ---- joining ----

namespace {

std::string why_not_by_facts(const std::vector<HostInfo>& hosts) {
  for (std::size_t r = 1; r < hosts.size(); ++r) {
    if (same_host(hosts[0], hosts[r])) continue;
    if (hosts[0].hostname != hosts[r].hostname)
      return "rank 0 is on host " + hosts[0].hostname + ", rank " + std::to_string(r) + " on " +
             hosts[r].hostname;
    return "rank " + std::to_string(r) +
           " is in another container or on another machine than "
           "rank 0, though both hosts are named " +
           hosts[0].hostname;
  }
  return {};
}

// The first rank that says what is in its way, in the order of ranks.
std::string first_of(const std::vector<std::string>& faults) {
  for (std::size_t r = 0; r < faults.size(); ++r)
    if (!faults[r].empty()) return "rank " + std::to_string(r) + ": " + faults[r];
  return {};
}

}  // namespace

SharedMemory join_shared_memory(int rank, const std::vector<HostInfo>& hosts,
                                const Exchange& exchange) {
  const int size = static_cast<int>(hosts.size());
  if (std::string why = why_not_by_facts(hosts); !why.empty()) return {nullptr, std::move(why)};
  std::string fault;
  std::vector<std::shared_ptr<SharedSegment>> segments(hosts.size());
  try {
    segments[rank] = SharedSegment::make(ShmTransport::segment_bytes(size));
  } catch (const Error& e) {
    fault = e.what();
  }
  // No rank can open what a rank could not make; that rank's own error matters more.
  const auto addresses = exchange(segments[rank] ? segments[rank]->address() : "");
  try {
    for (int r = 0; r < size && segments[rank]; ++r)
      if (r != rank && !addresses[r].empty()) segments[r] = SharedSegment::open(addresses[r]);
  } catch (const Error& e) {
    fault = e.what();
  }
  if (std::string why = first_of(exchange(fault)); !why.empty()) return {nullptr, std::move(why)};
  return {std::make_shared<ShmTransport>(rank, std::move(segments)), {}};
}

}  // namespace td::distributed

// Barriers, stages and mailboxes. A rank's segment holds, in this order: its slot, a mailbox for
// each rank it may send to, its stage, and the memory it was asked for.
#include "distributed/transport/shm_transport.h"

#include <algorithm>
#include <cstring>

#include "distributed/transport/peer_memory_transport.h"

namespace td::distributed {
namespace {

// A rank's part of the barriers. `arrived` counts how often it has come.
struct RankSlot {
  SharedCounter arrived;
  // Its calls, double-buffered: a late rank reads the last one while the next is written.
  struct CallSlot {
    CollectiveFingerprint key;
    std::int64_t place;  // of its data in its segment, or one of the two below
  };
  alignas(64) CallSlot calls[2];
};

constexpr std::int64_t kNowhere = -1;  // shows nothing
constexpr std::int64_t kOnStage = -2;

// One direction between two ranks. A rank advances its counter after it has written the rest.
struct SharedMailbox {
  SharedCounter posted, taken;
  CollectiveFingerprint sent, wanted;
  alignas(64) char data[64 << 10];
};

// Half a stage. Two halves, because a rank fills one while another rank still reads the other.
constexpr std::size_t kHalf = 256 << 10;

constexpr std::size_t kSlotBytes = 4096;
static_assert(sizeof(RankSlot) <= kSlotBytes);

class ShmTransport final : public PeerMemoryTransport {
 public:
  ShmTransport(int rank, std::vector<std::shared_ptr<SharedSegment>> segments)
      : PeerMemoryTransport(rank, static_cast<int>(segments.size())),
        segments_(std::move(segments)),
        pointers_(segments_.size()),
        places_(segments_.size()),
        sent_(segments_.size()),
        received_(segments_.size()) {}
  const char* name() const override { return "shared memory"; }

  void barrier(const CollectiveFingerprint& key) override { exchange_fingerprints(key, kNowhere); }

  // Both announce their call, and come to the same result. Then the data follows in pieces.
  void send(const CollectiveFingerprint& key, const void* data) override {
    failure_.check();
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

  void receive(const CollectiveFingerprint& key, void* data) override {
    failure_.check();
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

  void* allocate_shared(std::size_t bytes) override { return segments_[rank_]->allocate(bytes); }
  void release_shared(void* memory, std::size_t bytes) override {
    segments_[rank_]->release(memory, bytes);
  }

  void abort(const std::string& why) override {
    failure_.set(why);
    for (int r = 0; r < size_; ++r) {
      slot(r).arrived.wake();
      mailbox(r, rank_).posted.wake();
      mailbox(rank_, r).taken.wake();
    }
  }

 protected:
  // Where a rank's data is in its segment, the others use it there. If one rank's data is not, all
  // go piece by piece, and this rank's pieces go through its stage. A half of it is filled again
  // after the arrival for the other half, and by then all ranks are done with it.
  void exchange_buffers(const CollectiveFingerprint& key, void* data, std::int64_t numel,
                        Access access, const Use& use) override {
    auto* const mine = static_cast<char*>(data);
    const std::size_t element = element_size(key.dtype);
    const auto on_stage = static_cast<std::int64_t>(kHalf / element);
    const std::int64_t place = mine ? segments_[rank_]->offset_of(mine) : kNowhere;
    const bool outside = mine && place < 0;
    // A rank whose data must be copied knows so by itself, and brings the first piece along.
    if (outside) copy_for_others(stage(rank_), mine, std::min(numel, on_stage), key.dtype, access);
    exchange_fingerprints(key, outside ? kOnStage : place);
    const bool in_place = *std::max_element(places_.begin(), places_.end()) >= 0;
    const bool staged = std::count(places_.begin(), places_.end(), kOnStage) > 0;
    if (!in_place && !staged) return;
    const std::int64_t step = staged ? on_stage : std::max<std::int64_t>(numel, 1);
    for (std::int64_t begin = 0; begin == 0 || begin < numel; begin += step) {
      const std::int64_t end = std::min(numel, begin + step);
      const std::size_t offset = static_cast<std::size_t>(begin) * element;
      char* const here = mine ? mine + offset : nullptr;
      if (begin) {
        if (outside) copy_for_others(stage(rank_), here, end - begin, key.dtype, access);
        arrive_and_wait();
      }
      point_to(here, offset);
      use({pointers_, begin, end});
      if (access == Access::kSlices) arrive_and_wait();
      if (access == Access::kSlices && outside)
        copy_for_others(here, stage(rank_), end - begin, key.dtype, access);
      half_ = 1 - half_;
    }
    // Stages may be read on, but what is in place is the caller's again.
    if (access == Access::kRead && in_place) arrive_and_wait();
  }

 private:
  RankSlot& slot(int rank) const { return *reinterpret_cast<RankSlot*>(segments_[rank]->data()); }
  SharedMailbox& mailbox(int from, int to) const {
    return reinterpret_cast<SharedMailbox*>(segments_[from]->data() + kSlotBytes)[to];
  }
  char* stage(int rank) const {
    return reinterpret_cast<char*>(&mailbox(rank, size_)) + half_ * kHalf;
  }

  void wait_for(SharedCounter& counter, std::uint32_t target) {
    if (!counter.wait_for(target, failure_.happened())) failure_.check();
  }

  // Arrives, and waits until all ranks have arrived equally often.
  void arrive_and_wait() {
    failure_.check();
    slot(rank_).arrived.advance();
    ++arrivals_;
    for (int r = 0; r < size_; ++r)
      if (r != rank_) wait_for(slot(r).arrived, arrivals_);
  }

  // Where each rank's piece at `offset` of its data is; this rank's is `here`.
  void point_to(char* here, std::size_t offset) {
    for (int r = 0; r < size_; ++r)
      pointers_[r] = places_[r] >= 0 ? segments_[r]->data() + places_[r] + offset : stage(r);
    pointers_[rank_] = here;
  }

  // Announces a call and the place of its data, and reads those of all others.
  void exchange_fingerprints(const CollectiveFingerprint& key, std::int64_t place) {
    const std::uint32_t turn = calls_++ % 2;
    slot(rank_).calls[turn] = {key, place};
    arrive_and_wait();
    for (int r = 0; r < size_; ++r) {
      const RankSlot::CallSlot& call = slot(r).calls[turn];
      if (!(call.key == key)) {
        std::vector<CollectiveFingerprint> keys;
        for (int k = 0; k < size_; ++k) keys.push_back(slot(k).calls[turn].key);
        abort(mismatch(keys));
        failure_.check();
      }
      places_[r] = call.place;
    }
  }

  // Copies what other ranks look at; in slices, that is all but this rank's own.
  void copy_for_others(void* to, const void* from, std::int64_t numel, ScalarType dtype,
                       Access access) const {
    const Slice own = access == Access::kSlices ? my_slice(numel, dtype) : Slice{numel, numel};
    const std::size_t element = element_size(dtype), before = own.begin * element,
                      behind = own.end * element;
    if (before) std::memcpy(to, from, before);
    if (own.end < numel)
      std::memcpy(static_cast<char*>(to) + behind, static_cast<const char*>(from) + behind,
                  numel * element - behind);
  }

  void check_p2p(int from, const CollectiveFingerprint& sent, int to,
                 const CollectiveFingerprint& wanted) {
    if (sent.numel == wanted.numel && sent.dtype == wanted.dtype && sent.tag == wanted.tag) return;
    abort(p2p_mismatch(from, sent, to, wanted));
    failure_.check();
  }

  const std::vector<std::shared_ptr<SharedSegment>> segments_;
  std::uint32_t arrivals_ = 0;  // of every rank: all arrive equally often
  std::uint32_t calls_ = 0;
  int half_ = 0;                                // of the stage
  std::vector<void*> pointers_;                 // of the piece that is shown
  std::vector<std::int64_t> places_;            // of each rank's data in this call
  std::vector<std::uint32_t> sent_, received_;  // messages with each rank
  GroupFailure failure_;
};

}  // namespace

std::size_t shm_segment_bytes(int size) {
  return kSlotBytes + static_cast<std::size_t>(size) * sizeof(SharedMailbox) + 2 * kHalf;
}

std::shared_ptr<Transport> make_shm_transport(
    int rank, std::vector<std::shared_ptr<SharedSegment>> segments) {
  return std::make_shared<ShmTransport>(rank, std::move(segments));
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

SharedMemory join_shared_memory(const Member& member) {
  const int rank = member.rank, size = member.size();
  if (std::string why = why_not_by_facts(member.hosts); !why.empty())
    return {nullptr, std::move(why)};
  std::string fault;
  std::vector<std::shared_ptr<SharedSegment>> segments(member.hosts.size());
  try {
    segments[rank] = SharedSegment::make(shm_segment_bytes(size));
  } catch (const Error& e) {
    fault = e.what();
  }
  // No rank can open what a rank could not make; that rank's own error matters more.
  const auto addresses = member.exchange(segments[rank] ? segments[rank]->address() : "");
  try {
    for (int r = 0; r < size && segments[rank]; ++r)
      if (r != rank && !addresses[r].empty()) segments[r] = SharedSegment::open(addresses[r]);
  } catch (const Error& e) {
    fault = e.what();
  }
  if (std::string why = first_of(member.exchange(fault)); !why.empty())
    return {nullptr, std::move(why)};
  return {make_shm_transport(rank, std::move(segments)), {}};
}

}  // namespace td::distributed

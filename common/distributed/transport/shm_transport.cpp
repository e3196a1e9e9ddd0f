// The transport between processes of one host: a barrier is a counter in shared memory, and data in
// shared memory is reduced in place. init_process_group takes it when all ranks are on one host;
// NCCL has such a transport for GPUs, gloo has none. It carries data and compares calls. It waits
// for the other ranks without a limit: the coordination service finds that a rank has failed, hangs
// or has left, and calls abort.
// First come the collectives, each as the work of a rank on the pieces that all ranks show; then
// barriers, stages and mailboxes. A rank's segment holds, in this order: its slot, a mailbox for
// each rank it may send to, its stage, and the memory it has allocated. Invariant: while ranks show
// their data, each element is written by one rank alone.
#include <algorithm>
#include <cstring>

#include "distributed/transport/shared_segment.h"

namespace td::distributed {
namespace {

constexpr std::int64_t kNowhere = -1;  // shows nothing
constexpr std::int64_t kOnStage = -2;

// Half a stage. Two halves, because a rank fills one while another rank still reads the other.
constexpr std::size_t kHalf = 256 << 10;

constexpr std::size_t kSlotBytes = 4096;
static_assert(sizeof(RankSlot) <= kSlotBytes);

char* at(void* memory, std::int64_t element, ScalarType dtype) {
  return static_cast<char*>(memory) + static_cast<std::size_t>(element) * element_size(dtype);
}

// A block is copied to the other ranks while it and theirs are in the nearest cache; measured.
constexpr std::int64_t kBlock = 1024;

class ShmTransport final : public Transport {
 public:
  ShmTransport(int rank, std::vector<std::shared_ptr<SharedSegment>> segments)
      : rank_(rank),
        size_(static_cast<int>(segments.size())),
        segments_(std::move(segments)),
        shown_(segments_.size()),
        places_(segments_.size()),
        sent_(segments_.size()),
        received_(segments_.size()),
        arrays_(segments_.size()) {}
  const char* name() const override { return "shared memory"; }

  // Reduce-scatter and all-gather in one pass: slice r of all ranks' data is touched by rank r
  // alone, which reads it, reduces it, and writes the result to all ranks.
  void all_reduce(const CollectiveFingerprint& key, void* data) override {
    exchange_buffers(key, data, key.numel, Access::kSlices, [&](Range piece) {
      const Range mine = my_slice(piece.numel(), key.dtype);
      for (std::int64_t begin = mine.begin; begin < mine.end; begin += kBlock) {
        const std::int64_t end = std::min(mine.end, begin + kBlock);
        void* const result = at(shown_[rank_], begin, key.dtype);
        reduce_range(result, {begin, end}, key);
        for (int r = 0; r < size_; ++r)
          if (r != rank_)
            std::memcpy(at(shown_[r], begin, key.dtype), result,
                        static_cast<std::size_t>(end - begin) * element_size(key.dtype));
      }
    });
  }

  void reduce(const CollectiveFingerprint& key, void* data) override {
    exchange_buffers(key, data, key.numel, Access::kRead, [&](Range piece) {
      if (rank_ == key.peer)
        reduce_range(at(data, piece.begin, key.dtype), {0, piece.numel()}, key);
    });
  }

  void broadcast(const CollectiveFingerprint& key, void* data) override {
    void* const shown = rank_ == key.peer ? data : nullptr;
    exchange_buffers(key, shown, key.numel, Access::kRead, [&](Range piece) {
      if (rank_ != key.peer && piece.numel())
        std::memcpy(at(data, piece.begin, key.dtype), shown_[key.peer],
                    static_cast<std::size_t>(piece.numel()) * element_size(key.dtype));
    });
  }

  void all_gather(const CollectiveFingerprint& key, const void* input, void* output) override {
    exchange_buffers(key, const_cast<void*>(input), key.numel, Access::kRead, [&](Range piece) {
      const auto bytes = static_cast<std::size_t>(piece.numel()) * element_size(key.dtype);
      for (int r = 0; r < size_; ++r)  // `input` may be a part of `output`
        if (bytes)
          std::memmove(at(output, r * key.numel + piece.begin, key.dtype), shown_[r], bytes);
    });
  }

  void reduce_scatter(const CollectiveFingerprint& key, const void* input, void* output) override {
    const std::int64_t first = rank_ * key.numel;
    exchange_buffers(key, const_cast<void*>(input), size_ * key.numel, Access::kRead,
                     [&](Range piece) {
                       const std::int64_t begin = std::max(first, piece.begin);
                       const std::int64_t end = std::min(first + key.numel, piece.end);
                       if (begin < end)
                         reduce_range(at(output, begin - first, key.dtype),
                                      {begin - piece.begin, end - piece.begin}, key);
                     });
  }

  void barrier(const CollectiveFingerprint& key) override { exchange_fingerprints(key, kNowhere); }

  // Both announce their call and reach the same decision. Then the data follows in pieces.
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

  std::shared_ptr<void> allocate_shared(std::size_t bytes) override {
    const auto release = [own = segments_[rank_], bytes](void* m) { own->release(m, bytes); };
    void* const memory = segments_[rank_]->allocate(bytes);
    return memory ? std::shared_ptr<void>(memory, release) : nullptr;
  }

  void abort(const std::string& why) override {
    failure_.set(why);
    for (int r = 0; r < size_; ++r) {
      slot(r).arrived.wake();
      mailbox(r, rank_).posted.wake();
      mailbox(rank_, r).taken.wake();
    }
  }

 private:
  // Elements [begin, end): a piece of what the ranks show, or a slice of it.
  struct Range {
    std::int64_t begin, end;
    std::int64_t numel() const { return end - begin; }
  };
  // What ranks do with a piece: read all of it, or read and write their slices of it alone.
  enum class Access { kRead, kSlices };

  // This rank's slice of `numel` elements: as even as possible, in whole cache lines, because two
  // ranks that write to one line would send it back and forth.
  Range my_slice(std::int64_t numel, ScalarType dtype) const {
    const std::int64_t line = 64 / static_cast<std::int64_t>(element_size(dtype));
    const std::int64_t lines = (numel + line - 1) / line;
    const auto border = [&](int r) { return std::min(numel, lines * r / size_ * line); };
    return {border(rank_), border(rank_ + 1)};
  }

  // result = these elements of the piece that the ranks show, reduced in the order of ranks.
  void reduce_range(void* result, Range range, const CollectiveFingerprint& key) {
    for (int r = 0; r < size_; ++r) arrays_[r] = at(shown_[r], range.begin, key.dtype);
    reduce_all(result, arrays_.data(), size_, range.numel(), key.dtype, key.reduce);
  }

  // Shows `numel` elements at `data` to all ranks, and calls `use` with theirs: once with all of
  // them, or piece by piece. A rank whose `data` is null shows nothing. Returns when no rank reads
  // `data` any longer. Throws, with the same text on all ranks, when their keys differ.
  // Where a rank's data is in its segment, the others use it there. If one rank's data is not, all
  // work piece by piece, and that rank's pieces go through its stage. A half of it is filled again
  // after the arrival for the other half; by then all ranks are done with it.
  template <class Use>
  void exchange_buffers(const CollectiveFingerprint& key, void* data, std::int64_t numel,
                        Access access, const Use& use) {
    auto* const mine = static_cast<char*>(data);
    const std::size_t element = element_size(key.dtype);
    const auto on_stage = static_cast<std::int64_t>(kHalf / element);
    const std::int64_t place = mine ? segments_[rank_]->offset_of(mine) : kNowhere;
    const bool outside = mine && place < 0;
    // A rank knows whether its own data must be copied, and then copies the first piece now.
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
      use(Range{begin, end});
      if (access == Access::kSlices) arrive_and_wait();
      if (access == Access::kSlices && outside)
        copy_for_others(here, stage(rank_), end - begin, key.dtype, access);
      half_ = 1 - half_;
    }
    // Stages may still be read, but data in place belongs to the caller again.
    if (access == Access::kRead && in_place) arrive_and_wait();
  }

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
      shown_[r] = places_[r] >= 0 ? segments_[r]->data() + places_[r] + offset : stage(r);
    shown_[rank_] = here;
  }

  // Announces a call and the offset of its data, and reads those of all others.
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

  // Copies what other ranks read; with slices, that is all except this rank's own slice.
  void copy_for_others(void* to, const void* from, std::int64_t numel, ScalarType dtype,
                       Access access) const {
    const Range own = access == Access::kSlices ? my_slice(numel, dtype) : Range{numel, numel};
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

  const int rank_, size_;
  const std::vector<std::shared_ptr<SharedSegment>> segments_;
  std::uint32_t arrivals_ = 0;  // of every rank: all arrive equally often
  std::uint32_t calls_ = 0;
  int half_ = 0;                                // of the stage
  std::vector<void*> shown_;                    // where each rank's piece is, for this rank
  std::vector<std::int64_t> places_;            // of each rank's data in this call
  std::vector<std::uint32_t> sent_, received_;  // messages with each rank
  std::vector<const void*> arrays_;             // that are being reduced
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

}  // namespace td::distributed
